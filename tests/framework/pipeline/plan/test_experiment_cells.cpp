// What the cells of tables show: the scores of a row, of several rows, or none.
#include "framework/core/base/strings.h"
#include "framework/pipeline/plan/experiment.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

TableLine line_of(std::map<std::string, std::string> rows) {
  TableLine line;
  line.rows = std::move(rows);
  return line;
}

TableColumn column_of(const std::string& metric, const std::string& block = "") {
  TableColumn column;
  column.id = metric;
  column.metric = metric;
  column.block = block;
  return column;
}

/// Two trained rows, one that was not run, metrics of a row, of several rows and of each of them.
Experiment scored() {
  Experiment made;
  ExperimentRow a{.id = "a"}, b{.id = "b"}, gone{.id = "gone", .reason = "not selected (--rows)"};
  a.trained = {{1, "a"}, {2, "a-seed2"}};
  a.cells["bleu"] = {{{1, "a-bleu-score"}, {2, "a-seed2-bleu-score"}}, ""};
  a.at_checkpoints["bleu"] = {{1, "a-bleu-score-checkpoints"}};
  a.checkpoint_selections["best"] = {{1, "a-best"}};
  a.interpolations = "a-interpolations";
  b.cells["bleu"] = {{}, "the row has no model"};
  b.cells["size"] = {{{std::nullopt, "b-size-score"}}, ""};
  made.rows = {a, b, gone};
  ExperimentMetric rho{.id = "rho", .evaluator = "spearman", .across = {"a", "b"}};
  rho.of_rows.scores = {{1, "rho-score"}};
  ExperimentMetric ranking{.id = "ranking", .evaluator = "ranks", .across = {"a", "b"}};
  ranking.of_rows.scores = {{1, "ranking-score"}};
  ranking.scores_each_row = true;
  made.metrics = {
      {.id = "bleu", .evaluator = "bleu"}, {.id = "size", .evaluator = "size"}, rho, ranking};
  made.selects = {{.id = "choice", .selections = {{1, "choice"}}, .rows = {{"1", "a"}}}};
  return made;
}

}  // namespace

TEST_CASE("cells: the metric and the row of a cell", "[plan]") {
  const TableLine line = line_of({{"", "a"}, {"wide", "b"}});
  CHECK(metric_of(line, column_of("bleu")) == "bleu");
  CHECK(row_of(line, column_of("bleu")) == "a");
  CHECK(row_of(line, column_of("bleu", "wide")) == "b");
  CHECK(row_of(line, column_of("bleu", "narrow")) == "a");
  CHECK(row_of(line_of({}), column_of("bleu")).empty());
  TableLine matches = line_of({});
  matches.metrics = {{"bleu", "bleu[2]"}};
  CHECK(metric_of(matches, column_of("bleu")) == "bleu[2]");
  CHECK(metric_of(matches, column_of("size")).empty());
}

TEST_CASE("cells: the scores of a row, or why it has none", "[plan]") {
  const Experiment experiment = scored();
  const auto cell = [&](const std::string& row, const std::string& metric) {
    return experiment.cell(line_of({{"", row}}), column_of(metric));
  };
  CHECK((cell("a", "bleu").scores == SeedNodes{{1, "a-bleu-score"}, {2, "a-seed2-bleu-score"}}));
  CHECK(cell("b", "bleu").scores.empty());
  CHECK(cell("b", "bleu").reason == "the row has no model");
  CHECK(cell("gone", "bleu").reason == "not selected (--rows)");
  CHECK(cell("a", "size").scores.empty());
  CHECK(cell("choice", "bleu").scores.empty());  // which row it is, is known after it ran
  // Without a row, the scores of any row.
  CHECK((experiment.cell(line_of({}), column_of("size")).scores ==
         SeedNodes{{std::nullopt, "b-size-score"}}));
}

TEST_CASE("cells: reasons of columns and lines come first", "[plan]") {
  const Experiment experiment = scored();
  TableLine line = line_of({{"", "a"}});
  TableColumn column = column_of("bleu", "wide");
  line.reasons = {{"wide", "no such row"}};
  CHECK(experiment.cell(line, column).reason == "no such row");
  CHECK(experiment.cell(line, column_of("bleu")).reason.empty());
  column.reason = "no such metric";
  CHECK(experiment.cell(line, column).reason == "no such metric");
  CHECK(experiment.cell(line, column).scores.empty());
}

TEST_CASE("cells: scores at the chosen checkpoint", "[plan]") {
  const Experiment experiment = scored();
  TableColumn column = column_of("bleu");
  column.choose = "best";
  const ExperimentCell chosen = experiment.cell(line_of({{"", "a"}}), column);
  CHECK((chosen.scores == SeedNodes{{1, "a-bleu-score-checkpoints"}}));
  CHECK((chosen.selections == SeedNodes{{1, "a-best"}}));
  column.choose = "other";  // no selection of that name: the selected weights
  CHECK(experiment.cell(line_of({{"", "a"}}), column).selections.empty());
  CHECK(experiment.cell(line_of({{"", "a"}}), column).scores.size() == 2);
}

TEST_CASE("cells: a metric of several rows, and one with a score for each of them", "[plan]") {
  const Experiment experiment = scored();
  const auto cell = [&](const std::string& row, const std::string& metric) {
    return experiment.cell(line_of({{"", row}}), column_of(metric));
  };
  CHECK((cell("a", "rho").scores == SeedNodes{{1, "rho-score"}}));
  CHECK_FALSE(cell("a", "rho").line);
  CHECK((cell("b", "ranking").scores == SeedNodes{{1, "ranking-score"}}));
  CHECK(cell("b", "ranking").line == 1);
  CHECK(cell("gone", "ranking").reason == "not among the rows of ranking");
}

TEST_CASE("cells: the nodes that a report needs", "[plan]") {
  Experiment experiment = scored();
  CHECK(experiment.targets(true) == std::vector<std::string>{"a", "a-seed2"});
  const auto needs = [&](const std::string& node) { return contains(experiment.targets(), node); };
  for (const char* node : {"a-bleu-score", "a-bleu-score-checkpoints", "a-best", "a-interpolations",
                           "b-size-score", "rho-score", "ranking-score", "choice"}) {
    INFO(node);
    CHECK(needs(node));
  }
  ExperimentPanel panel{.row = "a"};
  panel.inputs["text"] = {NodePart("a-samples")};
  CHECK(panel.nodes() == std::vector<std::string>{"a-samples"});
  ExperimentFigure figure;
  figure.rows = {{panel}};
  experiment.figures = {figure};
  CHECK(needs("a-samples"));
  // A sheet of the recipe is rated for the lines with numbers of the paper.
  ExperimentSheet sheet{.id = "sheet"};
  sheet.is_written = true;
  sheet.rows = {{.panel = {.row = "a", .inputs = {{"text", {NodePart("a-rated")}}}}},
                {.panel = {.row = "b", .inputs = {{"text", {NodePart("b-rated")}}}}}};
  sheet.groups = {{"a", "A", {0}}, {"b", "B", {1}}};
  sheet.options.paper["a"] = {};
  experiment.sheets = {sheet};
  CHECK(needs("a-rated"));
  CHECK_FALSE(needs("b-rated"));
  experiment.sheets.front().options.paper.clear();
  CHECK(needs("b-rated"));
}
