// Scores, rows and inputs of metrics.
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const std::string kMetrics = kTwoSizes + R"Y(evaluate:
  variety: {evaluator: diversity, samples: 10}
  length: {evaluator: diversity, score: length, samples: 10}
  some: {evaluator: diversity, rows: "vae[*]", samples: 20}
  rho: {evaluator: spearman, across: [real, "vae[*]"], inputs: {x: variety, y: variety.unique}}
  kept: {evaluator: spearman, across: checkpoints, inputs: {x: variety, y: length}}
)Y";

}  // namespace

TEST_CASE("metrics: scores, rows and inputs", "[check]") {
  const CheckedRecipe checked = check_text(kMetrics);
  REQUIRE(checked.metrics.size() == 5);
  CHECK(checked.metrics[0].id == "variety");
  CHECK(checked.metrics[0].score.empty());
  CHECK(checked.metrics[0].rows.empty());
  CHECK(checked.metrics[1].score == "length");
  CHECK(checked.metrics[2].rows == std::vector<std::string>{"vae[2]", "vae[4]"});
  const CheckedMetric& rho = checked.metrics[3];
  CHECK(rho.across == std::vector<std::string>{"real", "vae[2]", "vae[4]"});
  CHECK_FALSE(rho.across_checkpoints);
  REQUIRE(rho.inputs.size() == 2);
  REQUIRE(rho.inputs[1].fillings.size() == 1);
  const auto& y = std::get<KnownReference>(rho.inputs[1].fillings[0]);
  CHECK((y.of == KnownReference::Of::kMetric));
  CHECK(y.id == "variety");
  CHECK(y.part == "unique");
  CHECK(checked.metrics[4].across_checkpoints);
  CHECK(checked.metrics[4].across.empty());
}

TEST_CASE("metrics: errors", "[check]") {
  const auto wrong = [](const std::string& from, const std::string& to) {
    return mistake(replaced(kMetrics, from, to));
  };
  CHECK_THAT(wrong("score: length", "score: lenght"),
             Contains("evaluate.length.score: diversity has no score 'lenght'"));
  CHECK_THAT(wrong("across: [real, \"vae[*]\"], ", ""),
             Contains("evaluate.rho.across is missing: spearman combines several rows"));
  CHECK_THAT(wrong("rows: \"vae[*]\"", "across: \"vae[*]\""),
             Contains("evaluate.some.across: diversity scores one row"));
  CHECK_THAT(wrong("across: checkpoints", "across: checkpoints, checkpoints: all"),
             Contains("evaluate.kept.checkpoints: `across: checkpoints` already uses them"));
}
