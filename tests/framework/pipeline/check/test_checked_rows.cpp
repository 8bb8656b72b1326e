// Rows: their models, given values and generated texts.
#include "framework/pipeline/check/checked_rows.h"

#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const std::string kRows = R"Y(lvtext: 1
recipe: p/rows
data:
  news: {set: embedded}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  judge: {model: rnn_lm, data: news, embedding: 4, decoder: {hidden: 4}, train: {stop: 2u}}
  codes: {infer: encode, model: vae, data: news}
models:
  vae: {model: vae, data: news, latent: {size: 2}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
  lm: {model: rnn_lm, data: news, embedding: 4, decoder: {hidden: 4}}
rows:
  vae: {label: "VAE", model: vae, embeddings: codes, generation: {samples: {max_length: 30}}}
  lm: {model: lm}
  copy: {outputs: {infer: copy, data: news.test}, judge: judge, said: [news.train, news.valid]}
generation:
  samples: {max_length: 50}
  short: {infer: samples, max_length: 5, checkpoints: all}
evaluate:
  variety: {evaluator: diversity, inputs: {samples: row.short}}
  judged: {evaluator: perplexity, rows: copy, inputs: {language_model: row.judge}}
  many: {evaluator: bleu, rows: copy, inputs: {outputs: news.test, references: row.said}}
select:
  best: {among: [vae, lm], max: variety}
profiles:
  less: {models: {lm: null}}
)Y";

std::string wrong(const std::string& from, const std::string& to) {
  return mistake(replaced(kRows, from, to));
}

}  // namespace

TEST_CASE("rows: labels, models and given values", "[check]") {
  const CheckedRecipe checked = check_text(kRows);
  REQUIRE(checked.rows.size() == 3);
  const CheckedRow& vae = checked.rows[0];
  CHECK(vae.label == "VAE");
  CHECK(vae.entry.get() == find_entry(checked.entries, "vae"));
  CHECK(vae.reason.empty());
  // A whole data set: the metric chooses its split.
  REQUIRE(vae.fillers.size() == 1);
  const auto& codes = std::get<KnownReference>(vae.fillers.at("embeddings").at(0));
  CHECK(codes.id == "codes");
  CHECK(codes.part.empty());
  const CheckedRow& lm = checked.rows[1];
  CHECK(lm.label == "lm");
  CHECK(lm.fillers.empty());
  const CheckedRow& copy = checked.rows[2];
  CHECK_FALSE(copy.entry);
  CHECK(std::get<std::shared_ptr<const InlineComponent>>(copy.fillers.at("outputs").at(0))
            ->component.component->about.name == "copy");
  CHECK(
      (std::get<KnownReference>(copy.fillers.at("judge").at(0)).of == KnownReference::Of::kEntry));
  REQUIRE(copy.fillers.at("said").size() == 2);
  CHECK(std::get<KnownReference>(copy.fillers.at("said")[1]).part == "valid");
  // A row without its model is kept, with the reason.
  const CheckedRow removed = load(kRows, "less").checked.rows.at(1);
  CHECK(removed.id == "lm");
  CHECK_FALSE(removed.entry);
  CHECK(removed.reason == "not run: not in this profile");
}

TEST_CASE("rows: without `rows`, each entry of `models` is a row", "[check]") {
  const CheckedRecipe checked = check_text(R"Y(lvtext: 1
recipe: p/models
data: {set: embedded}
train: {stop: 2u}
models:
  vae: {label: "VAE", model: vae}
  real: {label: "real data", samples: data.train}
)Y");
  REQUIRE(checked.rows.size() == 2);
  CHECK(checked.rows[0].label == "VAE");
  CHECK(checked.rows[0].entry);
  CHECK(checked.rows[0].fillers.empty());
  CHECK(checked.rows[1].label == "real data");
  CHECK_FALSE(checked.rows[1].entry);
  CHECK(checked.rows[1].fillers.size() == 1);
}

TEST_CASE("rows: generated texts are those of `generation` and all with default options",
          "[check]") {
  const CheckedRecipe checked = check_text(kRows);
  const auto& own = checked.rows[0].generation;
  const auto& common = checked.rows[1].generation;
  std::vector<std::string> names;
  for (const auto& [name, inlined] : common) names.push_back(name);
  CHECK(names == std::vector<std::string>{"interpolations", "reconstructions", "samples", "short",
                                          "transfer"});
  CHECK(common.at("short")->component.component->about.name == "samples");
  CHECK(common.at("short")->at_checkpoints);
  CHECK_FALSE(common.at("samples")->at_checkpoints);
  // Read once for all rows without a `generation` of their own.
  CHECK(checked.rows[2].generation.at("short") == common.at("short"));
  CHECK(own.at("short") != common.at("short"));
  CHECK(own.at("short")->component.options.find("max_length")->text() == "5");
  CHECK(own.at("samples")->component.options.find("max_length")->text() == "30");
  CHECK_THAT(wrong("  samples: {max_length", "  sampels: {max_length"),
             Contains("r.yaml:17:3: error: unknown inference component 'sampels'") &&
                 Contains("did you mean 'samples'?"));
}

TEST_CASE("rows: values that no input uses", "[check]") {
  CHECK_THAT(wrong("lm: {model: lm}", "lm: {model: lm, ouputs: news.test}"),
             Contains("r.yaml:14:19: error: rows.lm.ouputs: no metric uses a text of this name") &&
                 Contains("did you mean 'outputs'?") && Contains("1 error;"));
  CHECK_THAT(wrong("references: row.said", "references: news.test"),
             Contains("rows.copy.said: no metric uses a text of this name"));
  // A figure names values without `row.`.
  const std::string unread = replaced(kRows, "said: [news.train, news.valid]", "said: news.train");
  CHECK(mistake(replaced(
            replaced(unread, "references: row.said", "references: news.test"), "profiles:",
            "figures: {f: {figure: texts, rows: [copy], of: [said]}}\nprofiles:")) == "accepted");
  // Another mistake may be the reason why a value has no use.
  CHECK_THAT(wrong("lm: {model: lm}", "lm: {model: lm, ouputs: news.tset}"),
             Contains("rows.lm.ouputs: 'news.tset': the data set 'embedded' has no split 'tset'") &&
                 Contains("1 error;"));
}

TEST_CASE("rows: values that an input cannot read", "[check]") {
  CHECK_THAT(
      wrong("{infer: copy, data: news.test}", "{data: news.test}"),
      Contains("rows.copy.outputs does not name a component") && Contains("{infer: NAME, ...}"));
  // The value of each row that a select may choose.
  CHECK_THAT(wrong("select:",
                   "  norms: {evaluator: vector_statistics, inputs: {embeddings: "
                   "best.embeddings}}\nselect:"),
             Contains("r.yaml:13:47: error: rows.vae.embeddings has the splits train, valid, test, "
                      "reverse, and evaluate.norms.inputs.embeddings reads one text") &&
                 Contains("name the split there, row.embeddings.reverse, or here, codes.reverse") &&
                 Contains("1 error;"));
  CHECK_THAT(
      wrong("profiles:", "figures: {f: {figure: texts, rows: [copy], of: [said]}}\nprofiles:"),
      Contains("rows.copy.said has 2 values, and figures.f.inputs.said accepts one") &&
          Contains("name one of them, or exclude this row by `rows` of the metric") &&
          Contains("1 error;"));
}
