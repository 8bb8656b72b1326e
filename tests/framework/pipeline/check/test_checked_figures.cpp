// Rows, metrics and inputs of figures.
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const std::string kFigures = kTwoSizes + R"Y(evaluate:
  variety: {evaluator: diversity, samples: 10}
  length: {evaluator: diversity, score: length, samples: 10}
  rho: {evaluator: spearman, across: ["vae[*]", real], inputs: {x: variety, y: variety.unique}}
select:
  at: {among: checkpoints, nearest: 0.8, of: variety}
figures:
  points: {figure: scatter, rows: ["vae[*]", real], x: variety.unique, y: length}
  lines: {figure: curves, lines: {sizes: "vae[*]"}, y: variety}
  said: {figure: texts, rows: [real], of: [samples], inputs: {source: data.test}}
)Y";

/// The ids of a group's rows, each with the text that `*` matched.
std::vector<std::string> rows_of(const FigureRowIds& group) {
  std::vector<std::string> rows;
  for (const auto& row : group.rows) rows.push_back(row.id + " " + row.matched);
  return rows;
}

}  // namespace

TEST_CASE("figures: groups of rows, metrics and inputs", "[check]") {
  const CheckedRecipe checked = check_text(kFigures);
  REQUIRE(checked.figures.size() == 3);
  const CheckedFigure& points = checked.figures[0];
  CHECK(points.id == "points");
  REQUIRE(points.named.rows.size() == 2);
  CHECK(points.named.rows[0].name == "vae");
  CHECK(rows_of(points.named.rows[0]) == std::vector<std::string>{"vae[2] 2", "vae[4] 4"});
  CHECK(rows_of(points.named.rows[1]) == std::vector<std::string>{"real "});
  REQUIRE(points.named.metrics.size() == 2);  // y, then x
  CHECK(points.named.metrics[0].name == "length");
  CHECK(points.named.metrics[0].score.empty());
  CHECK(points.named.metrics[1].name == "variety.unique");
  CHECK(points.named.metrics[1].metric == "variety");
  CHECK(points.named.metrics[1].score == "unique");
  const CheckedFigure& lines = checked.figures[1];
  REQUIRE(lines.named.rows.size() == 1);
  CHECK(lines.named.rows[0].name == "sizes");
  CHECK(lines.named.rows[0].rows.size() == 2);
  const CheckedFigure& said = checked.figures[2];
  CHECK(said.named.metrics.empty());
  REQUIRE(said.inputs.size() == 2);
  CHECK(said.inputs[0].decl.name == "samples");
  CHECK_FALSE(said.inputs[0].is_written);
  CHECK(said.inputs[1].is_written);
  REQUIRE(said.inputs[1].fillings.size() == 1);
  CHECK(std::get<KnownReference>(said.inputs[1].fillings[0]).part == "test");
}

TEST_CASE("figures: errors", "[check]") {
  const auto wrong = [](const std::string& from, const std::string& to) {
    return mistake(replaced(kFigures, from, to));
  };
  CHECK_THAT(wrong("rows: [\"vae[*]\", real], ", ""),
             Contains("missing key 'figures.points.rows'"));
  CHECK_THAT(wrong("sizes: \"vae[*]\"", "sizes: \"vae[2]\""),
             Contains("figures.lines.x is missing: 'vae[2]' has no * whose value could be on the x "
                      "axis"));
  CHECK_THAT(wrong("y: variety}", "y: variety, rows: [real]}"),
             Contains("figures.lines.rows: curves does not use rows") &&
                 Contains("its other options name them"));
  CHECK_THAT(wrong("y: length}", "y: length, along: checkpoints, choose: at}"),
             Contains("figures.points.choose: scatter shows several checkpoints here"));
  CHECK_THAT(
      wrong("rows: [real], of: [samples], inputs: {source: data.test}", "of: rho, choose: at"),
      Contains("figures.said.choose: texts does not use rows"));
}
