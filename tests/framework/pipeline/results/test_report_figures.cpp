// A recipe with figures, from its text to the report, with barely trained models.
#include "evaluators/register.h"
#include "framework/pipeline/rating/kinds/register.h"
#include "framework/pipeline/results/report_figures.h"

#include <ATen/ATen.h>

#include <set>

#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/safetensors.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/figures/register.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/results/results.h"
#include "framework/pipeline/store/finished_data.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

const char* kRecipe = R"Y(lvtext: 1
recipe: paper/figure
data: {set: embedded, train_at_most: 60, tokenizer: {type: unigram, vocab: 120}}
train: {seed: 1, device: cpu, batch: {size: 20}, stop: 2u, optimizers: {default: {type: adam, lr: 1e-3}}}
models:
  real: {label: "real data", samples: data.train}
  lm: {model: rnn_lm, embedding: 8, decoder: {hidden: 8}}
  sph: {model: autoencoder, label: "SPH", latent: {kind: sphere, size: 4, noise: 0.2}, embedding: 8, encoder: {hidden: 8}, decoder: {hidden: 8}}
  det: {model: autoencoder, label: "DET", latent: {kind: gauss_det, size: 4}, embedding: 8, encoder: {hidden: 8}, decoder: {hidden: 8}}
not_run:
  aae: {label: "AAE", reason: "not built"}
latent_space: {interpolations: 2, steps: 3, neighbors_of: 2, neighbors: 4}
figures:
  fig: {figure: posterior_tsne, rows: [det, aae, sph, lm, real], sentences: 3, draws: 6, perplexity: 5, iterations: 40}
)Y";

struct Run {
  Experiment experiment;
  GraphStatus status;
  std::vector<std::string> test;
  at::Tensor draws(const std::string& row) const {
    return read_safetensors(status.at(row + "-figure-fig-layout-draws").folder /
                            "tensors.safetensors")
        .tensors.at("points");
  }
};

const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    register_all_models(each);
    register_all_evaluators(each);
    register_all_inference(each);
    register_all_figures(each);
    register_all_sheets(each);
    return each;
  }();
  return all;
}

Run run(const TemporaryFolder& scratch, std::vector<std::string> overrides,
        std::vector<std::string> rows = {}) {
  make_folders(scratch.path);
  write_file_synced(scratch / "recipe.yaml", kRecipe);
  const Recipe recipe =
      load_recipe({(scratch / "recipe.yaml").string(), "", "", std::move(overrides), {}});
  Run run{
      build_experiment(check_recipe(recipe, registries()), registries(), {std::move(rows), 1, {}}),
      {},
      {}};
  run.status = run_graph(run.experiment.graph, run.experiment.targets(), scratch / "runs");
  run.test = read_split(run.status.at(run.experiment.data[0].nodes.source).folder, "test");
  return run;
}

std::vector<Figure> drawn(const Run& run) {
  return figures_of(run.experiment, read_finished_scores(run.experiment, run.status), run.status,
                    registries());
}

size_t text_count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// A row of the figure's CSV.
struct Point {
  std::string row;
  int64_t sentence, draw;
};
std::vector<Point> points_of(const Figure& figure) {
  const auto lines = split(figure.csv, '\n');
  REQUIRE(lines.front() == "row,sentence_id,draw,x,y");
  std::vector<Point> points;
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    const auto cells = split(lines[i], ',');
    points.push_back({cells.at(0), std::stoll(cells.at(1)), std::stoll(cells.at(2))});
  }
  return points;
}

}  // namespace

TEST_CASE("report: figures and the latent space, from a recipe", "[results]") {
  const TemporaryFolder scratch;
  const Run whole = run(scratch, {});

  const auto figures = drawn(whole);
  REQUIRE(figures.size() == 1);
  const Figure& figure = figures[0];
  CHECK(figure.title == "fig");
  CHECK(figure.file == "fig-seed1");
  CHECK(text_count(figure.html, "<svg xmlns") == 5);
  for (const char* reason :
       {"not built", "the model rnn_lm lacks the capability", "the row has no model"}) {
    CHECK_THAT(figure.html, Contains(reason));
  }
  CHECK(text_count(figure.html, "<li>") == 3);
  const auto points = points_of(figure);
  CHECK(points.size() == 2 * 18);
  for (size_t i = 0; i < points.size(); ++i) {  // both rows have the same sentences
    CHECK(points[i].row == (i < 18 ? "det" : "sph"));
    CHECK(points[i].sentence == points[i % 18].sentence);
    CHECK(points[i].draw == static_cast<int64_t>(i % 6));
    CHECK_THAT(figure.html, Contains(escape_html(whole.test.at(points[i].sentence)) + "</li>"));
  }

  // Draws of a deterministic model are equal; those on a sphere are around a unit vector.
  const at::Tensor det = whole.draws("det").reshape({3, 6, 4});
  CHECK(at::equal(det, det.narrow(1, 0, 1).expand_as(det)));
  const at::Tensor sph = whole.draws("sph").reshape({3, 6, 4});
  CHECK_FALSE(at::equal(sph[0][0], sph[0][1]));
  CHECK((sph.std(1).mean().item<double>()) == Approx(0.2).margin(0.08));

  ReconstructedTexts texts(whole.experiment, whole.status);
  const auto tables = latent_tables(whole.experiment, whole.status, texts);
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].file == "interpolations.csv");
  REQUIRE(tables[0].rows.size() == 2 * 2 * 5);  // rows, pairs, steps including both sentences
  CHECK(tables[0].rows[0] == std::vector<std::string>{"SPH", "1", "0 (source)", whole.test[0]});
  CHECK(tables[0].rows[2][2] == "0.50");
  CHECK(tables[0].rows[9] == std::vector<std::string>{"SPH", "2", "1 (source)", whole.test[3]});
  REQUIRE(tables[1].rows.size() == 2 * 2 * 4);
  CHECK(tables[1].rows[4][1] == whole.test[1]);
  CHECK(std::stod(tables[1].rows[0][2]) <= std::stod(tables[1].rows[1][2]));
  CHECK(tables[1].rows[0][3] != whole.test[0]);
  // Without their sentences there are no tables.
  GraphStatus missing = whole.status;
  missing.at(whole.experiment.data[0].nodes.source).state = NodeState::kMissing;
  ReconstructedTexts none(whole.experiment, missing);
  CHECK(latent_tables(whole.experiment, missing, none).empty());

  // More draws of more sentences do not change the earlier ones.
  const Run more = run(scratch, {"figures.fig.sentences=4", "figures.fig.draws=8"}, {"sph"});
  const at::Tensor longer = more.draws("sph").reshape({4, 8, 4});
  CHECK(at::allclose(longer.narrow(0, 0, 3).narrow(1, 0, 6), sph, 1e-5, 1e-6));
  const auto fewer = drawn(more);
  CHECK_THAT(fewer[0].html, Contains("not selected (--rows)"));
  CHECK(points_of(fewer[0]).size() == 32);
  CHECK(text_count(fewer[0].html, "<li>") == 4);

  const Run other = run(scratch, {"figures.fig.seed=2"}, {"sph"});
  CHECK_FALSE(at::equal(other.draws("sph"), whole.draws("sph")));
}

TEST_CASE("report: a panel reports a failed layout, the other panels are complete", "[results]") {
  const TemporaryFolder scratch;
  Run whole = run(scratch, {"latent_space.interpolations=0", "latent_space.neighbors_of=0"},
                  {"sph", "det"});
  ReconstructedTexts texts(whole.experiment, whole.status);
  CHECK(latent_tables(whole.experiment, whole.status, texts).empty());
  whole.status.at("det-figure-fig-layout").state = NodeState::kFailed;
  whole.status.at("det-figure-fig-layout").reason = "no such luck\nand more";
  const auto figures = drawn(whole);
  CHECK_THAT(figures[0].html, Contains(">no such luck<"));
  CHECK(points_of(figures[0]).size() == 18);
  CHECK(points_of(figures[0])[0].row == "sph");
  // The panel reports a damaged text, and the report is completed.
  const auto test = whole.status.at(whole.experiment.data[0].nodes.source).folder / "test.jsonl";
  std::string bytes = read_file(test);
  bytes[100] ^= 1;
  write_file_synced(test, bytes);
  const auto without = drawn(whole);
  CHECK_THAT(without[0].html, Contains("is damaged"));
  CHECK(points_of(without[0]).empty());
}

TEST_CASE("report: a figure shows scores of the checkpoint that `choose` selected", "[results]") {
  Experiment experiment;
  experiment.metrics = {{"acc", "accuracy", "", {}}, {"sim", "similarity", "", {}}};
  ExperimentRow row;
  row.id = row.label = "m0";
  row.cells["acc"].scores[1] = "acc";
  row.at_checkpoints["sim"][1] = "sim";
  row.checkpoint_selections["at"][1] = "at";
  experiment.rows.push_back(row);
  ExperimentFigure figure;
  figure.checked.id = "chosen";
  figure.checked.options.choose = "at";
  figure.checked.kind =
      registries().figures.get("scatter").configure(parse_yaml_or_throw("{x: acc, y: sim}"));
  figure.checked.needs = figure.checked.kind.figure->needs();
  figure.checked.named.rows.push_back({"", {{"m0", ""}}});
  figure.checked.named.metrics = {{"sim", "sim", "", {}}, {"acc", "acc", "", {}}};
  figure.rows.push_back({ExperimentPanel{.row = "m0", .label = "M0"}});
  experiment.figures.push_back(figure);

  FinishedScores finished;
  finished.scores["acc"] = {{.id = "a", .value = 0.5}};  // has no kept checkpoints
  finished.at_checkpoints["sim"][10] = {{.id = "s", .value = 0.25}};
  finished.at_checkpoints["sim"][20] = {{.id = "s", .value = 0.75}};
  finished.selections["at"] = {.key = "20", .score = 1, .reason = ""};
  const auto point = [&] {
    return split(figures_of(experiment, finished, {}, registries()).at(0).csv, '\n').at(1);
  };
  CHECK(point() == "sim,,m0,,0.5,0.75,");
  finished.selections["at"] = {.key = {}, .score = 1, .reason = "no checkpoint within 0.02"};
  CHECK(point() == "sim,,m0,,0.5,,no checkpoint within 0.02");
  finished.selections.clear();
  finished.reasons["at"] = "not run yet";
  CHECK(point() == "sim,,m0,,0.5,,not run yet");
}
