// The full form of recipes: several data sets, artifacts, rows, loops and tables.
#include <algorithm>
#include <map>

#include "evaluators/evaluator.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/dump.h"
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const char* kRecipe = R"Y(lvtext: 1
recipe: p/t
axes:
  size: [2, 4]
  style: {plain: {label: "Plain", width: 4}, wide: {width: 8}}
data:
  news: {set: embedded}
  other: {set: embedded, tokenizer: {type: unigram, vocab: 60}}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  judge: {model: rnn_lm, data: news, embedding: 4, decoder: {hidden: 4}, train: {stop: 1u, optimizers: {default: {type: adam, lr: 0.01}}}}
  spoken: {infer: samples, model: judge, count: 20}
models:
  vae: {over: [style, size], model: vae, data: news, latent: {size: $size}, embedding: $style.width, encoder: {hidden: 4}, decoder: {hidden: 4}}
rows:
  vae: {over: [style, size], label: "VAE, $style.label, $size", model: "vae[$style,$size]"}
  real: {label: "real data", samples: news.train}
  judge: {label: "the judge itself", samples: spoken}
evaluate:
  variety: {evaluator: diversity, samples: 10}
  forward: {evaluator: forward_cross_entropy, samples: 10, rows: "vae[*,2]", inputs: {language_model: judge, text: news.test}}
select:
  best: {over: style, among: "vae[$style,*]", max: variety}
tables:
  all: {rows: ["vae[*,*]", real, judge], columns: [variety, forward]}
  by_size:
    rows: {plain: "vae[plain,$size]", wide: "vae[wide,$size]"}
    columns: [{each: size, of: {v: variety, words: variety.unique}}]
  chosen: {rows: {plain: "best[plain]", wide: "best[wide]"}, columns: [chosen, variety]}
profiles:
  one: {axes: {size: [2]}}
)Y";

}  // namespace

TEST_CASE("full form: rows, artifacts and data sets become nodes", "[check]") {
  const Loaded loaded = load(kRecipe);
  const Experiment& experiment = loaded.experiment;
  REQUIRE(experiment.rows.size() == 6);
  CHECK(experiment.rows[1].id == "vae[plain,4]");
  CHECK(experiment.rows[1].label == "VAE, Plain, 4");
  CHECK(experiment.rows[2].label == "VAE, wide, 2");
  CHECK(experiment.rows[1].trained.at(3) == "vae[plain,4]");
  const GraphNode& vae = experiment.graph.at("vae[wide,4]");
  CHECK(vae.label == "p.vae=wide,4.default.s3");
  CHECK(vae.options.at("model").at("embedding") == 8);
  CHECK(vae.inputs.at("train") == "news-pack-train");
  CHECK(experiment.graph.at("judge").kind == NodeKind::kTrain);
  // A judge has only the seed and the device of the recipe's training.
  CHECK(experiment.graph.at("judge").options.at("train").at("stop").dump().find('1') !=
        std::string::npos);
  const Loaded changed = load(kRecipe, "", {"train.batch.size=7"});
  CHECK(changed.experiment.graph.at("judge").identity == experiment.graph.at("judge").identity);
  CHECK(changed.experiment.graph.at("vae[wide,4]").identity != vae.identity);
  // The text of a row that is an artifact is the artifact's output.
  const auto& judge = experiment.rows[5].cells.at("variety").scores;
  REQUIRE(judge.size() == 1);
  CHECK(experiment.graph.at(judge.begin()->second).inputs.at("samples") == "spoken");
}

TEST_CASE("full form: a metric is computed for the rows that it lists", "[check]") {
  const Loaded loaded = load(kRecipe);
  for (const auto& row : loaded.experiment.rows) {
    const bool is_named = row.id == "vae[plain,2]" || row.id == "vae[wide,2]";
    CHECK(row.cells.at("forward").scores.empty() != is_named);
    if (!is_named) CHECK(row.cells.at("forward").reason == "not computed for this row");
  }
}

TEST_CASE("full form: removed entries of a profile remain known", "[check]") {
  const Loaded loaded = load(kRecipe, "one");
  CHECK(loaded.experiment.rows.size() == 4);
  const CheckedTable& by_size = loaded.checked.tables[1];
  REQUIRE(by_size.columns.size() == 4);
  CHECK(by_size.columns[2].reason == "not run: not in this profile");
  CHECK(by_size.lines[0].reasons.at("4") == "not run: not in this profile");
}

TEST_CASE("full form: the expanded recipe has the same nodes", "[check]") {
  for (const char* profile : {"", "one"}) {
    const Loaded loaded = load(kRecipe, profile);
    const std::string text = to_yaml(expanded_recipe(loaded.recipe));
    CHECK(text.find('$') == std::string::npos);
    const Loaded again = load(text, profile);
    std::vector<std::string> one, two;
    for (const auto& node : loaded.experiment.graph.nodes()) one.push_back(node.identity);
    for (const auto& node : again.experiment.graph.nodes()) two.push_back(node.identity);
    CHECK(one == two);
    CHECK(again.checked.tables[1].columns.size() == 4);
  }
}

TEST_CASE("full form: seeds of a model apply to nodes computed from it", "[check]") {
  const std::string text = replaced(kRecipe, "spoken: {infer: samples, model: judge, count: 20}",
                                    "spoken: {infer: samples, model: \"vae[plain,2]\", count: 20}");
  ExperimentRequest three;
  three.seeds = 3;
  const Loaded loaded = load(text, "", {}, three);
  const auto& scores = loaded.experiment.rows[5].cells.at("variety").scores;
  REQUIRE(scores.size() == 3);
  CHECK(scores.begin()->first == 3);
  CHECK(scores.rbegin()->first == 5);
}

TEST_CASE("full form: a choice among rows is a node that reads their scores", "[check]") {
  const Loaded loaded = load(kRecipe);
  REQUIRE(loaded.experiment.selects.size() == 2);
  const ExperimentSelect& plain = loaded.experiment.selects[0];
  CHECK(plain.id == "best[plain]");
  CHECK(plain.rows.at("4") == "vae[plain,4]");
  REQUIRE(plain.selections.size() == 1);
  const GraphNode& node = loaded.experiment.graph.at(plain.selections.begin()->second);
  CHECK(node.inputs.size() == 2);
  const CheckedTable& chosen = loaded.checked.tables[2];
  CHECK(chosen.columns[0].shows_selection);
  // References to the chosen row depend on the choice and on all candidates.
  const std::string text =
      replaced(kRecipe, "spoken: {infer: samples, model: judge, count: 20}",
               "spoken: {infer: samples, model: \"best[wide].model\", count: 20}");
  const Loaded later = load(text);
  const auto& inputs = later.experiment.graph.at("spoken").inputs;
  CHECK(std::count_if(inputs.begin(), inputs.end(), [](const auto& input) {
          return input.second.starts_with("vae[wide,");
        }) == 2);
}

TEST_CASE("full form: sets derived from other sets, separate tokenizers, columns", "[check]") {
  const Loaded loaded = load(R"Y(lvtext: 1
recipe: p/t
data:
  few: {from: pairs, at_most: 5, columns: [premise]}
  pairs: {set: embedded-pairs, tokenizer: words}
  both: {from: [pairs.train, pairs.valid], columns: [premise]}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  words: {fit: words, data: few.train}
models:
  lm: {model: rnn_lm, data: few, embedding: 4, decoder: {hidden: 4}}
evaluate:
  variety: {evaluator: diversity, samples: 10}
)Y");
  const Graph& graph = loaded.experiment.graph;
  CHECK(graph.at("words").inputs.at("source") == "few-source");
  CHECK(graph.at("few-source").inputs.begin()->second == "pairs-source");
  CHECK(graph.at("lm").inputs.at("train") == "few-pack-train");
  CHECK(graph.at("few-pack-train").inputs.at("tokenizer") == "words");
  // Joined splits are the training split, with the tokenizer of the first one's set.
  CHECK(graph.at("both-source").inputs.size() == 2);
  CHECK(graph.at("both-pack-train").inputs.at("tokenizer") == "words");
  CHECK(std::none_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const GraphNode& node) { return node.name == "both-pack-valid"; }));
  CHECK(loaded.experiment.data[1].block->tokenizer->summary() == "50000 at most (words)");
  CHECK_THAT(mistake("lvtext: 1\nrecipe: p/t\ndata: {a: {from: b}, b: {from: a}}\n"),
             Contains("in a cycle"));
}

TEST_CASE("full form: columns of a set are the texts of a row, with the lines of the records",
          "[check]") {
  const Loaded loaded = load(R"Y(lvtext: 1
recipe: p/t
data:
  news: {set: embedded}
  pairs: {set: embedded-pairs}
rows:
  published: {outputs: pairs.test.hypothesis}
evaluate:
  bleu: {evaluator: bleu, inputs: {references: pairs.test.premise}}
table: {columns: [bleu]}
)Y");
  const auto& cell = loaded.experiment.row("published")->cells.at("bleu");
  REQUIRE(cell.scores.size() == 1);
  const auto& inputs = loaded.experiment.graph.at(cell.scores.begin()->second).inputs;
  CHECK(inputs.at("outputs") == "pairs-test-hypothesis");
  CHECK(inputs.at("references") == "pairs-test-premise");
}

TEST_CASE("full form: a pattern of models is a value of a row", "[check]") {
  const std::string text =
      replaced(kRecipe, "\"vae[$style,$size]\"}", "\"vae[$style,$size]\", all: \"vae[$style,*]\"}");
  const std::string several =
      replaced(text, "evaluate:\n",
               "evaluate:\n  w: {evaluator: critic_distance, rows: \"vae[*,*]\", inputs: {critics: "
               "row.all, real: news.valid, drawn: news.test}}\n");
  const CheckedRow row = load(several).checked.rows.at(2);
  CHECK(row.id == "vae[wide,2]");
  std::vector<std::string> models;
  for (const Filling& each : row.fillers.at("all")) {
    models.push_back(std::get<KnownReference>(each).id);
  }
  CHECK(models == std::vector<std::string>{"vae[wide,2]", "vae[wide,4]"});
  CHECK_THAT(mistake(replaced(text, "language_model: judge", "language_model: row.all")),
             Contains("rows.vae[plain,2].all has 2 values, and "
                      "evaluate.forward.inputs.language_model accepts one"));
}

TEST_CASE("full form: errors", "[check]") {
  const auto with = [](const std::string& from, const std::string& to) {
    return mistake(replaced(kRecipe, from, to));
  };
  CHECK_THAT(with("model: \"vae[$style,$size]\"", "model: vae"),
             Contains("rows.vae[plain,2].model: 'vae' matches 4 members") &&
                 Contains("specify one, or all as vae[*,*]: vae[plain,2], vae[plain,4]"));
  CHECK_THAT(with("rows: \"vae[*,2]\"", "rows: \"vae[*,3]\""),
             Contains("evaluate.forward.rows: 'vae[*,3]' is not a row of this recipe") &&
                 Contains("no member of vae has the value '3'"));
  CHECK_THAT(with("language_model: judge", "language_model: jugde"),
             Contains("'jugde' is not a model that can be used here; did you mean 'judge'?"));
  CHECK_THAT(with("language_model: judge", "language_model: spoken"),
             Contains("'spoken' is a text, and a model is required"));
  CHECK_THAT(with("samples: news.train", "samples: data.train"),
             Contains("the recipe has several data sets; specify one of news, other"));
  CHECK_THAT(with("  judge: {model: rnn_lm, data: news,", "  judge: {model: rnn_lm,"),
             Contains("artifacts.judge.data is missing"));
  CHECK_THAT(
      with("  spoken: {infer: samples, model: judge,", "  spoken: {infer: samples, model: spoken,"),
      Contains("'spoken' is a text, and a model is required"));
  CHECK_THAT(with("  spoken: {infer: samples", "  news: {infer: samples"),
             Contains("the id 'news' is used in data and in artifacts"));
  CHECK_THAT(with("words: variety.unique", "words: variety.uniqeu"),
             Contains("diversity has no score 'uniqeu'"));
  CHECK_THAT(with("  vae: {over: [style, size], model: vae, data: news,",
                  "  vae: {over: [style, size], model: vae, data: spoken.sentence,"),
             Contains("'spoken.sentence' is not valid here"));
  CHECK_THAT(
      with("  vae: {over: [style, size], model: vae, data: news,",
           "  vae: {over: [style, size], model: vae, data: news, init: {from: \"best[plain]\"},"),
      Contains("'best[plain]' is not valid here"));
  CHECK_THAT(
      with("  vae: {over: [style, size], model: vae, data: news,",
           "  vae: {over: [style, size], model: vae, data: news, init: {from: \"judge@frist\"},"),
      Contains("unknown weights 'frist'"));
  CHECK_THAT(
      with("max: variety", "max: varity"),
      Contains("'varity' is not a metric of `evaluate`") && Contains("did you mean 'variety'?"));
  CHECK_THAT(with("variety: {evaluator: diversity, samples: 10}",
                  "variety: {evaluator: diversity, samples: 10, rows: \"vae[*,2]\"}"),
             Contains("select.best[plain].among: variety is not computed for vae[plain,4]"));
  CHECK_THAT(with("max: variety", "max: forward"),
             Contains("select.best[plain]: forward uses no row, so that all have the same score"));
  CHECK_THAT(with("max: variety", "max: variety.uniqe"),
             Contains("diversity has no score 'uniqe'") && Contains("did you mean 'unique'?"));
  const std::string sheet =
      with("profiles:\n",
           "sheets: {style: {kind: style, rows: \"vae[plain,2]@last\", choose: best}}\n"
           "figures: {texts: {figure: texts, rows: [real], of: [samples], choose: varied}}\n"
           "profiles:\n");
  CHECK_THAT(sheet, Contains("'vae[plain,2]@last' is a part of a row, not a row"));
  CHECK_THAT(sheet, Contains("sheets.style.choose: 'best' is not a select among kept checkpoints"));
  CHECK_THAT(sheet, Contains("figures.texts.choose: 'varied' is not a select among kept"));
  CHECK_THAT(with("profiles:\n", "sheets: {all: {kind: style}}\nprofiles:\n"),
             Contains("the id 'all' is used in tables and in sheets"));
  CHECK_THAT(
      with("  variety: {evaluator", "  chosen: {evaluator: diversity}\n  variety: {evaluator"),
      Contains("the id 'chosen' is reserved"));
  CHECK_THAT(
      with("language_model: judge", "language_model: \"vae[plain,2]\""),
      Contains("the model of vae[plain,2] has the capability encoder, which language_model"));
  CHECK_THAT(with("max: variety", "nearest: 0.5"), Contains("nearest and of require each other"));
  CHECK_THAT(with("columns: [variety, forward]", "columns: [variety, variety]"),
             Contains("tables.all.columns has 'variety' twice"));
  CHECK_THAT(with("{each: size, of:", "{each: sise, of:"),
             Contains("`each` has an unknown axis 'sise'"));
}

TEST_CASE("full form: a score of several rows uses the remaining runs", "[check]") {
  const std::string text = replaced(
      replaced(
          kRecipe, "select:",
          "  agree: {evaluator: spearman, across: [real, \"vae[*,*]\", gone], inputs: "
          "{x: variety, y: bleu}}\n  bleu: {evaluator: latent_statistics, inputs: {text: news.test}}\nselect:"),
      "rows:\n", "rows:\n  gone: {model: \"vae[plain,4]\"}\n");
  const auto agree = [](const Experiment& experiment) {
    return *std::find_if(experiment.metrics.begin(), experiment.metrics.end(),
                         [](const ExperimentMetric& metric) { return metric.id == "agree"; });
  };
  const ExperimentMetric all = agree(load(text).experiment);
  CHECK(all.across.size() == 5);
  CHECK(all.left_out.at("real") == "bleu: the row has no model");
  const ExperimentMetric removed = agree(load(text, "one").experiment);
  CHECK(removed.across.size() == 2);
  CHECK_THAT(removed.left_out.at("gone"), Contains("not run: not in this profile"));
  ExperimentRequest request;
  request.rows = {"vae[wide,2]", "real"};
  const ExperimentMetric some = agree(load(text, "", {}, request).experiment);
  CHECK(some.across == std::vector<std::string>{"vae[wide,2]"});
  CHECK(some.left_out.at("vae[plain,2]") == "not selected (--rows)");
}

namespace {

/// Inference on a whole data set, referenced by its splits and as a filler.
const char* kSplits = R"Y(lvtext: 1
recipe: p/splits
data:
  news: {set: embedded}
  few: {from: news, at_most: 5}
train: {seed: 3, seeds: 2, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  said: {infer: reconstructions, model: vae, data: news}
  again: {infer: reconstructions, model: vae, data: said}
models:
  vae: {model: vae, data: news, latent: {size: 2}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
rows:
  vae: {label: "VAE", model: vae, samples: said.valid, reconstructions: again}
evaluate:
  variety: {evaluator: diversity, samples: 10}
  bleu: {evaluator: bleu, inputs: {outputs: row.reconstructions.test, references: news.test}}
table: {columns: [variety, bleu]}
)Y";

}  // namespace

TEST_CASE("full form: inference on a whole data set has its splits", "[check]") {
  const Loaded loaded = load(kSplits);
  const Graph& graph = loaded.experiment.graph;
  CHECK(graph.at("said-valid").inputs.at("text") == "news-pack-valid");
  CHECK(graph.at("said-valid").inputs.at("model") == "vae");
  CHECK(graph.at("said-valid-4").inputs.at("model") == "vae-4");
  CHECK(graph.at("again-test").inputs.at("text") == "said-test");
  // Each split is computed only if it is referenced.
  CHECK(std::none_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const GraphNode& node) { return node.name == "said-train"; }));
  const ExperimentRow& row = loaded.experiment.rows.at(0);
  CHECK(row.cells.at("bleu").scores.size() == 2);
  CHECK_THAT(mistake(replaced(kSplits, "samples: said.valid", "samples: said.valit")),
             Contains("'said.valit' is not a split of said"));
}

TEST_CASE("full form: joined columns have the same records", "[check]") {
  const auto joined = [](const std::string& data) {
    std::string text =
        replaced(kSplits, "  few:", "  short: {set: embedded, max_words: 12}\n  few:");
    text =
        replaced(text, "  again:", "  codes: {infer: encode, model: vae, data: short}\n  again:");
    return replaced(text, "rows:\n",
                    "  lm: {model: rnn_lm, data: " + data + "}\nrows:\n  lm: {model: lm}\n");
  };
  const Loaded loaded = load(joined("[short, codes]"));
  CHECK(loaded.experiment.graph.at("codes-train").rows == NodeRows{"short-source", "train"});
  CHECK(loaded.experiment.graph.at("lm").inputs.at("train+1") == "codes-train");
  const std::string other = mistake(joined("[news, codes]"));
  CHECK_THAT(other, Contains("r.yaml:14:3: error: lm joins columns of different records: "
                             "news.train and 'codes-train' (rows of short.train)"));
  CHECK_THAT(mistake(joined("[news.train, news.test]")),
             Contains("lm joins columns of different records: news.train and news.test"));
}

TEST_CASE("full form: cycles and seeds that cannot be paired are reported with their line",
          "[check]") {
  const std::string circle =
      mistake(replaced(kSplits, "again: {infer: reconstructions, model: vae, data: said}",
                       "again: {infer: reconstructions, model: vae, data: third}\n"
                       "  third: {infer: reconstructions, model: vae, data: again}"));
  CHECK_THAT(circle, Contains("cyclic references: again -> third -> again"));
  CHECK_THAT(circle, Contains("r.yaml:9:3: error"));
  const std::string seeds = mistake(
      replaced(replaced(kSplits, "models:",
                        "models:\n  other: {model: vae, data: news, latent: {size: 2}, train: "
                        "{seeds: 3}}\n"),
               "reconstructions: again}",
               "reconstructions: {infer: reconstructions, model: other, data: news.test}}"));
  CHECK_THAT(seeds, Contains("vae has 2 seeds and its reconstructions 3"));
  CHECK_THAT(seeds, Contains("seeds are paired by their order: both must have equally many, or "
                             "one of them only one"));
}

TEST_CASE("full form: in scores of several rows a select is replaced by the chosen row",
          "[check]") {
  const std::string text =
      replaced(replaced(kRecipe, "select:",
                        "  words: {evaluator: diversity, samples: 10, score: length}\n"
                        "  rank: {evaluator: mean_rank, across: [judge, \"best[*]\"], inputs: "
                        "{scores: [variety, words]}}\nselect:"),
               "columns: [chosen, variety]", "columns: [chosen, variety, rank]");
  const Loaded loaded = load(text);
  const ExperimentMetric& rank = loaded.experiment.metrics.back();
  CHECK(rank.across == std::vector<std::string>{"judge", "best[plain]", "best[wide]"});
  const auto& scores = rank.of_rows.scores;
  REQUIRE(scores.size() == 1);
  const auto& inputs = loaded.experiment.graph.at(scores.begin()->second).inputs;
  CHECK(inputs.at("scores[0,0]") == "judge-variety-score");
  CHECK(inputs.at("scores[0,1]@2") == "vae[plain,2]-variety-score");
  CHECK(inputs.at("scores[0,1]@4") == "vae[plain,4]-variety-score");
  CHECK(inputs.at("scores[1,2].length@4") == "vae[wide,4]-variety-score");
  CHECK(inputs.at("scores[0,1].choice") == "best[plain]");
  // The ranks have a separate row.
  const CheckedTable& table = loaded.checked.tables.back();
  CHECK(loaded.experiment.cell(table.lines[1], table.columns[2]).line == 2);
  const TableLine unranked{"plain", "plain", {{"", "vae[plain,2]"}}, {}, {}, {}};
  CHECK(loaded.experiment.cell(unranked, table.columns[2]).reason == "not among the rows of rank");
  // Another one would be chosen from a part of the rows.
  ExperimentRequest request;
  request.rows = {"judge"};
  const Experiment some = load(text, "", {}, request).experiment;
  CHECK(some.metrics.back().left_out.at("best[plain]") == "not selected (--rows)");
  CHECK_THAT(mistake(replaced(text, "rows: \"vae[*,2]\"", "rows: \"best[*]\"")),
             Contains("evaluate.forward.rows: 'best[*]' is a select, not a row"));
}

namespace {

/// Scores several texts together.
struct Overlap : Evaluator {
  static constexpr int kRevision = 1;
  static constexpr ScoresOf kScoresOf = ScoresOf::kRows;
  explicit Overlap(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"overlap", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {{.name = "samples",
             .help = "what is compared",
             .by_default = reference("row.samples"),
             .arity = InputDecl::Arity::kMany},
            {.name = "text", .help = "with what", .by_default = reference("news.test")}};
  }
  std::vector<Score> evaluate(const Inputs&) const override { return {}; }
};

}  // namespace

TEST_CASE("full form: a metric of several rows reads the texts of each row", "[check]") {
  Registries all;
  register_all_models(all);
  register_all_evaluators(all);
  register_all_inference(all);
  add_evaluator<Overlap, NoOptions>(all, "overlap", "for this test", {});
  const TemporaryFolder folder;
  write_file_synced(
      folder / "r.yaml",
      replaced(kRecipe, "select:",
               "  shared: {evaluator: overlap, across: [real, \"best[wide]\", judge]}\nselect:"));
  const Recipe recipe = load_recipe({(folder / "r.yaml").string(), "", "", {}, {}});
  const CheckedRecipe checked = check_recipe(recipe, all);
  const Experiment experiment = build_experiment(checked, all, {});
  const ExperimentMetric& shared = experiment.metrics.back();
  REQUIRE(shared.of_rows.scores.size() == 1);
  const GraphNode& node = experiment.graph.at(shared.of_rows.scores.begin()->second);
  CHECK(node.inputs.at("samples") == "real-samples");
  CHECK(node.inputs.at("samples[1]@4") == "vae[wide,4]-samples");
  CHECK(node.inputs.at("samples[1].choice") == "best[wide]");
  CHECK(node.inputs.at("samples[2]") == "spoken");
  CHECK(node.inputs.at("text") == "news-pack-test");
  CHECK_FALSE(node.inputs.contains("text[1]"));
}

TEST_CASE("full form: generated text with an input's name is used as that input", "[check]") {
  const Loaded loaded = load(replaced(
      replaced(kRecipe, "select:",
               "  bleu: {evaluator: bleu, rows: \"vae[*,2]\", inputs: {references: "
               "news.test}}\nselect:"),
      "evaluate:",
      "generation:\n  outputs: {infer: reconstructions, max_length: 7, inputs: {text: news.test}}\nevaluate:"));
  const auto& cell = loaded.experiment.row("vae[wide,2]")->cells.at("bleu");
  REQUIRE(cell.scores.size() == 1);
  CHECK(loaded.experiment.graph.at(cell.scores.begin()->second).inputs.at("outputs") ==
        "vae[wide,2]-outputs");
}

namespace {

const char* kEncoded = R"Y(lvtext: 1
recipe: p/encoded
axes: {size: [2, 3]}
data:
  news: {set: embedded}
  few: {from: news, at_most: 5}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  embeddings: {over: size, infer: encode, model: "vae[$size]", data: news}
models:
  vae: {over: size, model: vae, data: news, latent: {size: $size}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
rows:
  decoded: {over: size, model: "vae[$size]", embeddings: "embeddings[$size]", outputs: {infer: decode, inputs: {embeddings: row.embeddings.test}, beam: {width: 2}}}
  copy: {outputs: {infer: copy, data: news.test}}
  random: {outputs: {infer: random_lines, data: news.test, inputs: {from: news.train}}}
evaluate:
  bleu: {evaluator: bleu, inputs: {references: news.test}}
  source: {evaluator: bleu, inputs: {references: row.outputs.source}, rows: [copy, random]}
  meteor: {evaluator: meteor, rows: [copy, random]}
table: {columns: [bleu, source, meteor]}
)Y";

}  // namespace

TEST_CASE("full form: vectors of sentences are a dataset that can be decoded", "[check]") {
  const Experiment experiment = load(kEncoded).experiment;
  const Graph& graph = experiment.graph;
  const GraphNode& outputs = graph.at("decoded[2]-outputs");
  CHECK(outputs.component == "decode");
  CHECK(outputs.inputs.at("embeddings") == "embeddings[2]-test");
  CHECK(outputs.inputs.at("model") == "vae[2]");
  CHECK(graph.at("embeddings[2]-test").inputs.at("text") == "news-pack-test");
  const GraphNode& source = graph.at("copy-source-score");
  CHECK(source.inputs.at("references:source") == "copy-outputs");
  CHECK(source.inputs.at("outputs") == "copy-outputs");
  CHECK(graph.at("copy-meteor-score").inputs == source.inputs);  // the default of its references
  CHECK(experiment.row("random")->cells.at("source").scores.size() == 1);
  CHECK_THAT(mistake(replaced(kEncoded, "embeddings: \"embeddings[$size]\"",
                              "embeddings: \"embeddings[$size].text\"")),
             Contains("is not a split of embeddings[2]"));
  CHECK_THAT(
      mistake(replaced(kEncoded, "references: news.test", "references: \"embeddings[2].test\"")),
      Contains("'embeddings[2]' is a dataset, and a text is required"));
}
