// From scores to the table: seeds, signatures, units.
#include "framework/pipeline/results/filled_table.h"

#include <cmath>

#include "evaluators/register.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/model/registries.h"
#include "framework/pipeline/inference/register.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

const char* kRecipe = R"Y(lvtext: 1
recipe: paper/seeds
data: {set: embedded}
train: {seed: 0, device: cpu}
models:
  real: {label: "real data", samples: data.train}
  lm: {model: rnn_lm}
evaluate:
  diversity: {evaluator: diversity, samples: 10}
table: {columns: [diversity]}
)Y";

Experiment experiment(std::vector<std::string> overrides, std::optional<int64_t> seeds) {
  static Registries registries;
  if (registries.models.names().empty()) {
    register_all_models(registries);
    register_all_evaluators(registries);
    register_all_inference(registries);
  }
  const TemporaryFolder scratch;
  write_file_synced(scratch / "recipe.yaml", kRecipe);
  const Recipe recipe =
      load_recipe({(scratch / "recipe.yaml").string(), "", "", std::move(overrides), {}});
  return build_experiment(check_recipe(recipe, registries), registries, {{}, seeds, {}});
}

Score score_of(double value) {
  return {.id = "corpus", .value = value};
}

}  // namespace

TEST_CASE("scores: seed 0 is a valid seed", "[results]") {
  const Experiment three = experiment({}, 3);
  const auto& cells = three.rows[1].cells.at("diversity").scores;
  REQUIRE(cells.size() == 3);
  CHECK(cells.begin()->first == 0);
  CHECK(cells.rbegin()->first == 2);
  const auto& real = three.rows[0].cells.at("diversity").scores;
  REQUIRE(real.size() == 1);
  CHECK(real.begin()->first == std::nullopt);

  TableScores scores;
  scores.row_ids = {"real", "lm"};
  scores.metric_ids = {"diversity"};
  scores.cells["real"]["diversity"][std::nullopt] = score_of(5);
  for (int64_t seed = 0; seed < 3; ++seed) {
    scores.cells["lm"]["diversity"][seed] = score_of(6 + 0.1 * static_cast<double>(seed));
  }
  CHECK(scores.per_seed("real", "diversity").empty());
  REQUIRE(scores.per_seed("lm", "diversity").size() == 3);
  const CheckResult check = judge({"c", "", "lm.diversity > real.diversity", false}, "cpu", scores);
  CHECK(check.verdict == Verdict::kHolds);
  CHECK(check.comparisons.at(0).n_seeds == 3);
}

TEST_CASE("scores: seeds that overflow 64 bits are rejected before any work", "[results]") {
  const std::string most = "train.seed=9223372036854775807";
  CHECK(experiment({most}, 1).rows[1].trained.contains(INT64_MAX));
  try {
    experiment({most}, 3);
    FAIL("was accepted");
  } catch (const UsageError& error) {
    CHECK(contains(error.what(), "train.seed: 9223372036854775807 is too large for 3 trainings"));
    CHECK(contains(error.what(), "allowed: 0..9223372036854775805"));
  }
  CHECK_THROWS_AS(experiment({"models.lm.train.seeds=9223372036854775807"}, {}), UsageError);
}

TEST_CASE("scores: different units are listed for each row", "[results]") {
  Experiment two;
  two.tables.emplace_back();
  two.metrics = {{"latent", "latent_statistics", "", {}}};
  FinishedScores finished;
  for (const char* row : {"small", "large"}) {
    two.rows.push_back({});
    two.rows.back().id = two.rows.back().label = row;
    two.rows.back().cells["latent"].scores[std::nullopt] = row;
  }
  const auto add = [&](const std::string& row, const std::string& unit) {
    finished.scores[row] = {{.id = "active_units", .value = 12, .unit = unit},
                            {.id = "kl", .value = 3, .unit = "nats/sentence"}};
  };
  add("small", "of 16");
  add("large", "of 32");
  const auto all = all_scores(two, finished);
  REQUIRE(all.size() == 1);
  const TextTable table = score_texts(all[0]);
  CHECK(table.columns == std::vector<std::string>{"row", "active_units", "kl, nats/sentence"});
  CHECK(table.rows[0] == std::vector<std::string>{"small", "12 of 16", "3"});
  CHECK(table.rows[1] == std::vector<std::string>{"large", "12 of 32", "3"});
}

TEST_CASE("scores: a metric of several rows has one column, and each row its own score",
          "[results]") {
  Experiment both;
  both.tables.emplace_back();
  both.metrics = {{"rank", "mean_rank", "", {}}};
  FinishedScores finished;
  finished.scores["node"] = {{.id = "rank", .value = 1.5, .line = 0},
                             {.id = "rank", .value = 2.5, .line = 1}};
  for (const int64_t line : {0, 1}) {
    both.rows.push_back({});
    both.rows.back().id = both.rows.back().label = "row" + std::to_string(line);
    both.rows.back().cells["rank"].scores[std::nullopt] = "node";
    both.rows.back().cells["rank"].line = line;
  }
  const auto all = all_scores(both, finished);
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].table.columns.size() == 1);
  CHECK(all[0].table.cell("row0", "rank").value == 1.5);
  CHECK(all[0].table.cell("row1", "rank").value == 2.5);
}

TEST_CASE("scores: derived scores have resamples, and so do rows", "[results]") {
  TableScores scores;
  auto& cells = scores.cells["row"];
  cells["ratio"][1] = {.id = "ratio", .value = 2, .resamples = std::vector<double>(1000, 2.0)};
  cells["ratio"][2] = {.id = "ratio", .value = 5, .resamples = std::vector<double>(1000, 4.0)};
  cells["mean"][1] = {.id = "mean", .value = 2, .rows = {"mean", 1, {2, 2, 2}}};
  cells["size"][1] = {.id = "size", .value = 7};
  CHECK(scores.resampled("row", "ratio", 999) == 3);
  CHECK(scores.resampled("row", "mean", 5) == 2);
  CHECK_FALSE(scores.resampled("row", "size", 5));
  CHECK_FALSE(scores.resampled("row", "other", 5));
}

namespace {

/// A table of one row with five seeds, each with scores at two kept checkpoints.
struct KeptScores {
  Experiment experiment;
  FinishedScores finished;
  CheckedTable table;

  KeptScores() {
    experiment.metrics = {{"acc", "accuracy", "", {}}, {"sim", "similarity", "", {}}};
    ExperimentRow row;
    row.id = row.label = "m0";
    const std::vector<double> sims = {0.1, 0.12, 0.11, 0.13, 5};
    for (int64_t seed = 0; seed < 5; ++seed) {
      const std::string number = std::to_string(seed);
      row.cells["acc"].scores[seed] = "acc" + number;
      row.at_checkpoints["sim"][seed] = "sim" + number;
      row.checkpoint_selections["at"][seed] = "at" + number;
      finished.scores["acc" + number] = {{.id = "a", .value = static_cast<double>(seed)}};
      auto& steps = finished.at_checkpoints["sim" + number];
      steps[10] = {{.id = "s", .value = sims[seed]}};
      steps[20] = {{.id = "s", .value = -1}};
      finished.selections["at" + number] = {.key = "10", .score = 1, .reason = ""};
    }
    experiment.rows = {row};
    table.id = "t";
    table.lines = {{"m0", "M0", {{"", "m0"}}, {}, {}, {}}};
    table.columns = {{.id = "acc", .metric = "acc", .choose = "at"},
                     {.id = "sim", .metric = "sim", .choose = "at"}};
  }
};

}  // namespace

TEST_CASE("scores: a cell contains the chosen checkpoint", "[results]") {
  KeptScores kept;
  TableScores scores;
  Table table = fill_table(kept.experiment, kept.finished, kept.table, scores);
  CHECK(*table.cell("m0", "acc").value == 2);  // has no kept checkpoints
  CHECK(*table.cell("m0", "sim").value == Approx(5.46 / 5));
  CHECK(scores.steps["m0"]["sim"][3] == 10);
  kept.finished.selections["at3"] = {.key = "20", .score = 1, .reason = ""};
  kept.finished.selections["at4"] = {.key = {}, .score = 1, .reason = "no checkpoint within 0.02"};
  scores = {};
  table = fill_table(kept.experiment, kept.finished, kept.table, scores);
  CHECK(*table.cell("m0", "sim").value == Approx((0.1 + 0.12 + 0.11 - 1) / 4));
  CHECK(table.cell("m0", "sim").n_seeds == 4);
  CHECK(table.cell("m0", "sim").reason == "no checkpoint within 0.02");
}

TEST_CASE("scores: rows with and without kept checkpoints, chosen by seed", "[results]") {
  KeptScores kept;
  ExperimentRow plain;  // its scores are those of the end of its training
  plain.id = plain.label = "m1";
  for (int64_t seed = 0; seed < 5; ++seed) {
    const std::string node = "plain" + std::to_string(seed);
    plain.cells["sim"].scores[seed] = node;
    kept.finished.scores[node] = {{.id = "s", .value = 7}};
  }
  kept.experiment.rows.push_back(plain);
  ExperimentSelect best;
  best.id = "best";
  best.rows = {{"m0", "m0"}, {"m1", "m1"}};
  for (int64_t seed = 0; seed < 5; ++seed) {
    const std::string node = "best" + std::to_string(seed);
    best.selections[seed] = node;
    kept.finished.selections[node] = {.key = seed == 1 ? "m0" : "m1", .score = 1, .reason = ""};
  }
  kept.experiment.selects.push_back(best);
  kept.table.lines = {{"best", "best", {{"", "best"}}, {}, {}, {}}};
  TableScores scores;
  const Table table = fill_table(kept.experiment, kept.finished, kept.table, scores);
  CHECK(*table.cell("best", "sim").value == Approx((7 * 4 + 0.12) / 5));
  CHECK(scores.steps["best"]["sim"].size() == 1);
  CHECK(scores.steps["best"]["sim"][1] == 10);
}

TEST_CASE("scores: a column is comparable if all of its scores are", "[results]") {
  KeptScores kept;
  TableScores scores;
  kept.finished.at_checkpoints["sim3"][10].front().title = "Sim-local";
  kept.finished.at_checkpoints["sim3"][10].front().comparable = false;
  const Table table = fill_table(kept.experiment, kept.finished, kept.table, scores);
  CHECK(table.columns[0].comparable);
  CHECK(table.columns[0].note.empty());
  CHECK_FALSE(table.columns[1].comparable);
  CHECK(contains(table.columns[1].note, "not comparable with published values"));
}

TEST_CASE("scores: a title of scores replaces the metric's id in a column's title", "[results]") {
  KeptScores kept;
  for (auto& [node, steps] : kept.finished.at_checkpoints) steps[10].front().title = "Sim-local";
  kept.table.columns.push_back(kept.table.columns[1]);
  kept.table.columns[2].id = "at_sim";
  kept.table.columns.push_back(kept.table.columns[1]);
  kept.table.columns[3].id = "content";
  TableScores scores;
  const Table table = fill_table(kept.experiment, kept.finished, kept.table, scores);
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(column.title);
  CHECK(titles == std::vector<std::string>{"acc", "Sim-local", "at_Sim-local", "content"});
}

TEST_CASE("scores: dropped runs are removed from all columns of a table row", "[results]") {
  KeptScores kept;
  kept.table.options.choose = "at";
  kept.table.options.aggregate = AggregateOptions{"sim", {5, 2, ""}};
  kept.table.dropped_by = {"sim", ""};
  kept.table.lines.push_back(kept.table.lines.front());
  kept.table.lines[0].drops_runs = true;
  kept.table.lines[1].id = "m0_all";
  TableScores scores;
  const Table table = fill_table(kept.experiment, kept.finished, kept.table, scores);
  CHECK(table.cell("m0", "sim").n_seeds == 4);
  CHECK(*table.cell("m0", "sim").value == Approx(0.115));
  CHECK(*table.cell("m0", "acc").value == Approx(1.5));
  CHECK(*table.cell("m0_all", "acc").value == Approx(2));
  REQUIRE(scores.dropped.size() == 1);
  CHECK(scores.dropped[0].line == "m0");
  CHECK(scores.dropped[0].seed == 4);
  CHECK(contains(scores.dropped[0].reason, "dropped: sim: 5 is 4.88 from the median 0.12"));
  CHECK(scores.per_seed("m0", "acc").size() == 4);
  CHECK(scores.notes.empty());
}

TEST_CASE("scores: a note on lines with too few runs for dropping one", "[results]") {
  KeptScores kept;
  kept.table.options.choose = "at";
  kept.table.options.aggregate = AggregateOptions{"acc", {5, 2, ""}};
  kept.table.dropped_by = {"acc", ""};
  kept.table.lines[0].drops_runs = true;
  REQUIRE(kept.experiment.rows[0].cells["acc"].scores.erase(0) == 1);
  TableScores scores;
  fill_table(kept.experiment, kept.finished, kept.table, scores);
  CHECK(scores.dropped.empty());
  CHECK(scores.notes.at({"m0", "4 runs; runs far from the median are dropped from 5 runs on"}) ==
        std::vector<std::string>{"acc"});
}

TEST_CASE("scores: one score that all seeds share is one score", "[results]") {
  KeptScores kept;
  kept.table.columns = {{.id = "acc", .metric = "acc"}};
  auto& scores_by_seed = kept.experiment.rows[0].cells["acc"].scores;
  for (auto& [seed, node] : scores_by_seed) node = "judge";
  kept.finished.scores["judge"] = {
      {.id = "a", .value = 0.96, .rows = {"mean", 1, {1, 1, 1, 0.8, 1}}}};
  TableScores scores;
  const Table table = fill_table(kept.experiment, kept.finished, kept.table, scores);
  const Cell& cell = table.cell("m0", "acc");
  CHECK(*cell.value == 0.96);
  CHECK(cell.n_seeds == 1);
  CHECK_FALSE(cell.sd);
  CHECK(scores.per_seed("m0", "acc").empty());
  // The interval is that of its sentences, not of zero width.
  const CheckResult guard = judge({"g", "", "m0.acc > 0.9", false, true}, "cpu", scores);
  CHECK(guard.sentence_noise_only);
  CHECK(*guard.comparisons.at(0).lo < *guard.comparisons.at(0).hi);
}

TEST_CASE("scores: NaN is shown as NaN, an undefined score is empty with its reason", "[results]") {
  KeptScores kept;
  kept.table.columns = {{.id = "acc", .metric = "acc"}};
  for (int seed = 0; seed < 5; ++seed) {
    kept.finished.scores["acc" + std::to_string(seed)].front().value = std::nan("");
  }
  TableScores scores;
  Table table = fill_table(kept.experiment, kept.finished, kept.table, scores);
  CHECK(table.cell("m0", "acc").text == "NaN");
  CHECK(table.cell("m0", "acc").reason == "not a number (NaN)");
  CHECK(contains(table_csv(table), "m0,M0,NaN,"));
  for (int seed = 0; seed < 5; ++seed) {
    kept.finished.scores["acc" + std::to_string(seed)].front().reason = "there are no sentences";
  }
  scores = {};
  table = fill_table(kept.experiment, kept.finished, kept.table, scores);
  CHECK(table.cell("m0", "acc").text.empty());
  CHECK(table.cell("m0", "acc").reason == "undefined: there are no sentences");
}

TEST_CASE("scores: notes of scores are those of line and columns", "[results]") {
  KeptScores kept;
  kept.table.columns = {{.id = "acc", .metric = "acc"}, {.id = "again", .metric = "acc"}};
  kept.finished.scores["acc1"].front().notes = {"1 of 10 `outputs` are empty (10 %)"};
  kept.finished.scores["acc2"].front().notes = {"1 of 10 `outputs` are empty (10 %)"};
  TableScores scores;
  fill_table(kept.experiment, kept.finished, kept.table, scores);
  const std::string note = "seeds 1, 2: 1 of 10 `outputs` are empty (10 %)";
  REQUIRE(scores.notes.size() == 1);
  CHECK(scores.notes.at({"m0", note}) == std::vector<std::string>{"acc", "again"});
  scores.notes[{"m1", note}] = {"acc", "again"};
  scores.notes[{"m2", note}] = {"acc"};
  CHECK(scores.merged_notes() ==
        std::vector<std::string>{"acc of m2: " + note, "acc, again of m0, m1: " + note});
  for (auto& [node, found] : kept.finished.scores) found.front().notes = {"whole batches"};
  scores = {};
  fill_table(kept.experiment, kept.finished, kept.table, scores);
  CHECK(scores.merged_notes() == std::vector<std::string>{"acc, again of m0: whole batches"});
}

TEST_CASE("scores: rows of a data set's text are real data", "[results]") {
  const Experiment one = experiment({}, 1);
  TableScores scores;
  FinishedScores none;
  for (const GraphNode& node : one.graph.nodes()) none.reasons[node.name] = "not run";
  const Table table = fill_table(one, none, one.tables.front(), scores);
  CHECK(table.rows[0].is_real);
  CHECK_FALSE(table.rows[1].is_real);
}

TEST_CASE("scores: numbers of the paper keep the zeros that the recipe has", "[results]") {
  Experiment one = experiment({"table.paper={lm: {diversity: 0.50}}"}, 1);
  FinishedScores none;
  for (const GraphNode& node : one.graph.nodes()) none.reasons[node.name] = "not run";
  TableScores scores;
  const Table table = fill_table(one, none, one.tables.front(), scores);
  CHECK(*table.cell("lm", "diversity").paper == 0.5);
  CHECK(paper_text(table.cell("lm", "diversity")) == "0.50");
  CHECK(paper_text(table.cell("real", "diversity")).empty());
}
