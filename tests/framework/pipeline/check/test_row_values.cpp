// Values of rows, texts of data, and tables without columns: what recipes may write, and refusals.
#include <algorithm>

#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;

namespace {

const char* kRecipe = R"Y(lvtext: 1
recipe: p/t
axes: {size: [2, 4]}
data:
  news: {set: embedded}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  lm: {over: size, model: rnn_lm, data: news, embedding: $size, decoder: {hidden: 4}}
  said: {over: size, infer: random_lines, seed: $size, data: news.test, inputs: {from: news.train}}
  codes: {infer: encode, model: vae, data: news}
models:
  vae: {model: vae, data: news, latent: {size: 2}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
rows:
  vae: {model: vae, embeddings: codes}
  copy: {outputs: {infer: copy, data: news.test}, judge: "lm[4]", several: "said[*]"}
generation:
  outputs: {infer: decode, inputs: {embeddings: row.embeddings.test}}
evaluate:
  bleu: {evaluator: bleu, inputs: {outputs: row.outputs, references: news.test}}
  many: {evaluator: bleu, rows: copy, inputs: {outputs: row.outputs, references: row.several}}
  pp: {evaluator: perplexity, rows: copy, inputs: {language_model: row.judge, outputs: row.outputs}}
tables: {all: {rows: [vae, copy]}}
profiles:
  none: {axes: {size: []}}
)Y";

std::vector<std::string> columns_of(const Experiment& experiment) {
  std::vector<std::string> ids;
  for (const TableColumn& column : experiment.tables.front().columns) ids.push_back(column.id);
  return ids;
}

}  // namespace

TEST_CASE("row values: a pattern is a list of values", "[check]") {
  const Experiment experiment = load(kRecipe).experiment;
  const auto& cell = experiment.row("copy")->cells.at("many");
  REQUIRE(cell.scores.size() == 1);
  const auto& inputs = experiment.graph.at(cell.scores.begin()->second).inputs;
  CHECK(inputs.at("references") == "said[2]");
  CHECK(inputs.at("references[1]") == "said[4]");
  // Models, too.
  CHECK_THAT(mistake(replaced(kRecipe, "judge: \"lm[4]\"", "judge: \"lm[*]\"")),
             Contains("rows.copy.judge has 2 values, and evaluate.pp.inputs.language_model "
                      "accepts one"));
}

TEST_CASE("models within an entry: their texts are resolved by the check", "[check]") {
  const auto judged_by = [](const std::string& text, const std::string& valid = "news.valid") {
    const std::string model = "{model: rnn_lm, data: " + text + ", validate_on: " + valid + "}";
    const std::string recipe = replaced(kRecipe, ", judge: \"lm[4]\"", ", references: news");
    return replaced(recipe, "language_model: row.judge", "language_model: " + model);
  };
  const auto cell_of = [](const Experiment& experiment) {
    return experiment.row("copy")->cells.at("pp");
  };
  using Inputs = std::map<std::string, std::string>;
  const auto inputs_of = [&](const std::string& text, const std::string& valid = "news.valid") {
    const Experiment experiment = load(judged_by(text, valid)).experiment;
    const ExperimentCell cell = cell_of(experiment);
    INFO(text << ": " << cell.reason);
    REQUIRE(cell.scores.size() == 1);
    const Graph& graph = experiment.graph;
    const std::string model = graph.at(cell.scores.begin()->second).inputs.at("language_model");
    const auto& inputs = graph.at(model).inputs;
    return Inputs{{"model", model}, {"train", inputs.at("train")}, {"valid", inputs.at("valid")}};
  };
  // One model for all rows, and a model of each row.
  CHECK(inputs_of("\"said[2]\"") ==
        Inputs{{"model", "pp-language_model"}, {"train", "said[2]"}, {"valid", "news-pack-valid"}});
  CHECK(inputs_of("row.outputs", "row.references.test") ==
        Inputs{{"model", "copy-pp-language_model"},
               {"train", "copy-outputs"},
               {"valid", "news-pack-test"}});
  CHECK(inputs_of("news.train", "row.outputs").at("model") == "copy-pp-language_model");
  CHECK(inputs_of("{from: row.references.train, at_most: 20}").at("train") ==
        "copy-pp-language_model-text");
  // A text that a profile removes leaves the cell empty.
  for (const std::string& recipe :
       {judged_by("\"said[2]\""), judged_by("news.train", "\"said[4]\"")}) {
    const ExperimentCell removed = cell_of(load(recipe, "none").experiment);
    CHECK(removed.scores.empty());
    CHECK_THAT(removed.reason, Contains("not run: not in this profile"));
  }
  const std::string two = "rows.copy.several has 2 values, and evaluate.pp.inputs.language_model.";
  CHECK_THAT(mistake(judged_by("row.several")), Contains(two + "data accepts one"));
  CHECK_THAT(mistake(judged_by("news.train", "row.several")),
             Contains(two + "validate_on accepts one"));
  CHECK_THAT(mistake(judged_by("row.references")),
             Contains("rows.copy.references has the splits") &&
                 Contains("row.references.reverse, or here, news.reverse"));
  CHECK_THAT(mistake(judged_by("news")), Contains("news") && Contains("splits"));
  // A data set with mistakes is reported once, without those of what it would be used for.
  const std::string unknown =
      mistake(replaced(judged_by("news.train"), "{set: embedded}", "{set: embeded}"));
  CHECK_THAT(unknown, Contains("embeded") && Contains("1 error"));
  CHECK_THAT(mistake(judged_by("\"said[*]\"")), Contains("'said[*]' is not valid here"));
}

TEST_CASE("row values: several values for an input that takes one are refused", "[check]") {
  CHECK_THAT(mistake(replaced(kRecipe, "judge: \"lm[4]\"", "judge: [\"lm[2]\", \"lm[4]\"]")),
             Contains("rows.copy.judge has 2 values, and evaluate.pp.inputs.language_model "
                      "accepts one"));
  CHECK_THAT(mistake(replaced(kRecipe, "outputs: {infer: copy, data: news.test}",
                              "outputs: [news.test, news.valid]")),
             Contains("rows.copy.outputs has 2 values, and evaluate.bleu.inputs.outputs"));
  // All mistakes are reported at once, also beside entries that could not be read.
  const std::string two = replaced(kRecipe, "judge: \"lm[4]\"", "judge: [\"lm[2]\", \"lm[4]\"]");
  for (const auto& [from, to, other] :
       {std::tuple{"stop: 2u", "stop: 2x", "train.stop"},
        {"latent: {size: 2}", "latent: {sise: 2}", "models.vae.latent.sise"},
        {"{infer: encode, model: vae, data: news}", "{infer: encode, model: vea, data: news}",
         "vea"},
        {"data: news.test, inputs", "data: nows.test, inputs", "nows"}}) {
    INFO(to);
    CHECK_THAT(mistake(replaced(two, from, to)),
               Contains(other) && Contains("rows.copy.judge has 2 values"));
  }
}

TEST_CASE("row values: a column of an artifact stays a column", "[check]") {
  const std::string listed = replaced(replaced(kRecipe, "rows: [vae, copy]", "rows: [told, copy]"),
                                      "perplexity, rows: copy", "perplexity, rows: [told, copy]");
  const std::string columns =
      replaced(replaced(listed, "  codes:",
                        "  told: {infer: complete, model: \"lm[2]\", inputs: {text: news.test}, "
                        "words: 2, max_length: 4}\n  codes:"),
               "  copy: {outputs: {infer: copy, data: news.test}",
               "  told: {outputs: told, judge: \"lm[4]\"}\n  copy: {outputs: told.original");
  const Experiment experiment = load(columns).experiment;
  const auto inputs = [&](const char* row) {
    const auto& cell = experiment.row(row)->cells.at("pp");
    INFO(cell.reason);
    REQUIRE(cell.scores.size() == 1);
    return experiment.graph.at(cell.scores.begin()->second).inputs;
  };
  CHECK(inputs("told").at("outputs") == "told");
  CHECK_FALSE(inputs("copy").contains("outputs"));
  CHECK(inputs("copy").at("outputs:original") == "told");
  // A training reads whole texts.
  const std::string unjudged =
      replaced(replaced(columns, "told, judge: \"lm[4]\"", "told"), ", judge: \"lm[4]\"", "");
  const Experiment trained =
      load(
          replaced(
              unjudged, "language_model: row.judge",
              "language_model: {model: rnn_lm, embedding: 2, decoder: {hidden: 4}, data: row.outputs}"))
          .experiment;
  const auto& cell = trained.row("copy")->cells.at("pp");
  CHECK(cell.scores.empty());
  CHECK_THAT(cell.reason, Contains("a model is trained on all texts of told, not on its part "
                                   "original"));
}

TEST_CASE("row values: a metric whose input only the rows fill has a score of each row",
          "[check]") {
  const Experiment experiment =
      load(replaced(replaced(kRecipe, "several:", "embeddings: codes.test, several:"),
                    "evaluate:\n",
                    "evaluate:\n  norms: {evaluator: vector_statistics, rows: copy}\n"))
          .experiment;
  REQUIRE(experiment.row("copy")->cells.at("norms").scores.size() == 1);
  const auto metric = std::find_if(experiment.metrics.begin(), experiment.metrics.end(),
                                   [](const ExperimentMetric& each) { return each.id == "norms"; });
  REQUIRE(metric != experiment.metrics.end());
  CHECK(metric->uses_row);
}

TEST_CASE("row values: a whole set is refused where one split is read", "[check]") {
  CHECK_THAT(
      mistake(replaced(kRecipe, "embeddings: row.embeddings.test", "embeddings: row.embeddings")),
      Contains("rows.vae.embeddings has the splits train, valid, test, reverse, and "
               "generation.outputs.inputs.embeddings reads one text") &&
          Contains("name the split there, row.embeddings.reverse"));
  CHECK_THAT(mistake(replaced(kRecipe, "outputs: {infer: copy, data: news.test}", "outputs: news")),
             Contains("rows.copy.outputs has the splits"));
}

TEST_CASE("texts of data: `decoded` after a split asks for the tokenizer's text", "[check]") {
  const auto references = [](const std::string& text) {
    const Experiment experiment = load(text).experiment;
    const auto& cell = experiment.row("copy")->cells.at("bleu");
    REQUIRE(cell.scores.size() == 1);
    const GraphNode& score = experiment.graph.at(cell.scores.begin()->second);
    return experiment.graph.at(score.inputs.at("references"));
  };
  CHECK(references(kRecipe).name == "news-pack-test");
  const auto with = [](const std::string& to) {
    return replaced(kRecipe, "references: news.test", "references: " + to);
  };
  const GraphNode decoded = references(with("news.test.decoded"));
  CHECK(decoded.component == "sentences");
  CHECK(decoded.options.at("decoded") == true);
  CHECK(decoded.inputs.at("text") == "news-pack-test");
  CHECK(decoded.rows == NodeRows{"news-source", "test"});
  CHECK(references(with("news.test.text.decoded")).inputs.at("text") == "news-test-text");
  CHECK_THAT(mistake(with("news.test.sentence")), Contains("has no column 'sentence'"));
  CHECK_THAT(mistake(with("news.tset.decoded")), Contains("has no split 'tset'"));
  CHECK_THAT(mistake(with("news.decoded")), Contains("has the splits"));
  CHECK_THAT(mistake(replaced(kRecipe, "data: news.test}", "data: news.test.decoded}")),
             Contains("'news.test.decoded' is a decoded text, and a dataset is required") &&
                 Contains("write news.test"));
  // A training reads tokens.
  CHECK_THAT(mistake(replaced(kRecipe, "model: rnn_lm, data: news,",
                              "model: rnn_lm, data: news.train.decoded,")),
             Contains("'news.train.decoded' is not valid here"));
}

TEST_CASE("tables: without columns, all metrics are columns", "[check]") {
  CHECK(columns_of(load(kRecipe).experiment) == std::vector<std::string>{"bleu", "many", "pp"});
  CHECK(
      columns_of(load(replaced(kRecipe, "tables: {all: {rows: [vae, copy]}}\n", "")).experiment) ==
      std::vector<std::string>{"bleu", "many", "pp"});
  CHECK(columns_of(load(replaced(kRecipe, "rows: [vae, copy]", "rows: [vae], columns: [pp]"))
                       .experiment) == std::vector<std::string>{"pp"});
}

TEST_CASE("axes: one without values is refused, unless a profile removed them", "[check]") {
  CHECK_THAT(mistake(replaced(kRecipe, "size: [2, 4]", "size: []")),
             Contains("'axes.size' has no values"));
  CHECK_THAT(mistake(replaced(kRecipe, "size: [2, 4]", "size: {}")),
             Contains("'axes.size' has no values"));
  const Experiment experiment = load(kRecipe, "none").experiment;
  const auto& cell = experiment.row("copy")->cells.at("pp");
  CHECK(cell.scores.empty());
  CHECK_THAT(cell.reason, Contains("not run: not in this profile"));
}

TEST_CASE("fields: those of a flattened set are checked", "[check]") {
  const char* recipe = R"Y(lvtext: 1
recipe: p/t
data:
  reviews: {train: FILE, fields: [id, texts], reader: {type: json_lines, types: {texts: {ragged: true}}}, pack: captions}
  single: {from: reviews, flatten: texts}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
models:
  lm: {model: rnn_lm, data: single, embedding: 4, decoder: {hidden: 4}}
evaluate:
  forward: {evaluator: reconstruction, inputs: {text: single.test}}
)Y";
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    lines += "{\"id\": \"n" + n + "\", \"texts\": [\"a " + n + "\", \"b " + n + "\"]}\n";
  }
  write_file_synced(folder / "own.jsonl", lines);
  const std::string with_file = replaced(recipe, "FILE", (folder / "own.jsonl").string());
  CHECK_THAT(mistake(with_file), Contains("text"));
  CHECK(mistake(replaced(with_file, "flatten: texts}", "flatten: texts, columns: [texts]}")) ==
        "accepted");
}
