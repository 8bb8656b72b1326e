// Lines and columns of tables.
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const char* kRecipe = R"Y(lvtext: 1
recipe: p/t
axes:
  size: [2, 4]
data: {set: embedded}
train: {seed: 3, seeds: 2, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
models:
  vae: {over: size, label: "VAE", model: vae, latent: {size: $size}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
  real: {label: "real data", samples: data.train}
evaluate:
  variety: {evaluator: diversity, samples: 10}
  bleu: {evaluator: bleu}
tables:
  all: {columns: [variety, bleu]}
  by_size: {rows: {vae: "vae[$size]"}, columns: [{each: size, of: {v: variety, words: variety.unique}}]}
)Y";

}  // namespace

TEST_CASE("tables: lines and columns by block", "[check]") {
  const Loaded loaded = load(kRecipe);
  REQUIRE(loaded.checked.tables.size() == 2);
  const CheckedTable& all = loaded.checked.tables[0];
  CHECK(all.lines.size() == 3);
  CHECK(all.columns.size() == 2);
  const CheckedTable& by_size = loaded.checked.tables[1];
  REQUIRE(by_size.columns.size() == 4);
  CHECK(by_size.columns[0].id == "2_v");
  CHECK(by_size.columns[3].id == "4_words");
  CHECK(by_size.columns[3].score == "unique");
  REQUIRE(by_size.lines.size() == 1);
  CHECK(by_size.lines[0].rows.at("4") == "vae[4]");
}

TEST_CASE("aggregate: a table row without the dropped runs, and one with all runs", "[check]") {
  const std::string text = replaced(
      kRecipe, "all: {columns",
      "all: {aggregate: {by: variety, drop: {mad: 5, most: 1, flag: variety.unique}}, columns");
  const Experiment experiment = load(text).experiment;
  const CheckedTable& table = experiment.tables.at(0);
  CHECK(table.dropped_by.metric == "variety");
  REQUIRE(table.flag);
  CHECK(table.flag->score == "unique");
  REQUIRE(table.lines.size() == 6);
  CHECK(table.lines[0].id == "vae[2]");
  CHECK(table.lines[1].id == "vae_all[2]");
  CHECK(table.lines[1].label == "VAE, all runs");
  CHECK_THAT(mistake(replaced(text, "by: variety", "by: varieti")),
             Contains("tables.all.aggregate: 'varieti' is not a metric of `evaluate`"));
}
