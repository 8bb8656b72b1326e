// Kinds of figures and sheets in recipes: references and results.
#include "evaluators/register.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/datasets/dataset.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/options/dump.h"
#include "framework/pipeline/check/printed_recipe.h"
#include "framework/pipeline/figures/register.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/rating/kinds/register.h"
#include "framework/pipeline/results/figure_pictures.h"
#include "framework/pipeline/results/rating.h"
#include "framework/pipeline/results/report_figures.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/node_parts.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

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

const char* kRecipe = R"Y(lvtext: 1
recipe: p/t
axes:
  width: [2, 4]
  kind: [variety, length]
data: {set: embedded, train_at_most: 60, tokenizer: {type: unigram, vocab: 120}}
train: {seed: 1, device: cpu, batch: {size: 20}, stop: 2u, optimizers: {default: {type: adam, lr: 1e-3}}}
models:
  ae: {over: width, model: autoencoder, label: "AE $width", latent: {kind: sphere, size: 4}, embedding: $width, encoder: {hidden: 4}, decoder: {hidden: 4}}
  real: {label: "real data", samples: data.train}
not_run:
  aae: {label: "AAE", reason: "not built"}
evaluate:
  variety: {evaluator: diversity, samples: 10}
  length: {evaluator: diversity, score: length, samples: 10}
  overlap: {evaluator: rouge, inputs: {outputs: data.valid, references: data.valid}}
  rho: {over: [kind, kind2], evaluator: spearman, across: ["ae[*]", real], inputs: {x: $kind, y: $kind2}}
figures:
  lines: {figure: curves, lines: {ae: "ae[*]"}, y: [variety, length.length]}
  points: {figure: scatter, rows: ["ae[*]", aae, real], x: variety, y: length}
  steps: {figure: curves, along: checkpoints, rows: ["ae[*]"], x: variety, y: length}
  map: {figure: heat_map, of: "rho[*,*]", margin: [mean]}
  said: {figure: texts, rows: ["ae[*]", real], of: [reconstructions, samples], items: 2, inputs: {source: data.test}}
  worst: {figure: texts, of: overlap, items: 3, inputs: {text: data.valid}}
  followed: {figure: texts, row: "ae[4]", checkpoints: [1u], source: "a", beside: [variety], inputs: {outputs: row.reconstructions, source: data.test}}
  images: {figure: image_grid, rows: ["ae[2]"], columns: [data.test, samples], items: 2}
sheets:
  spoken: {kind: sampling, rows: ["ae[*]"], each: 3, sources: [row.samples, data.test]}
  both: {kind: reconstruction, rows: ["ae[2]"], show: [data.test, reconstructions]}
  better: {kind: pairwise, rows: ["ae[*]"], show: [data.test, reconstructions], each: 3}
  equal: {kind: pairwise, compare: [["ae[4]", "ae[2]"]], show: [data.test], each: 3}
  prefer: {kind: preference, compare: [["ae[4]", "ae[2]"]], show: [data.test], each: 3}
)Y";

/// The second axis has the values of the first one.
std::string recipe_text() {
  std::string text = kRecipe;
  const std::string kind = "  kind: [variety, length]\n";
  return text.insert(text.find(kind) + kind.size(), "  kind2: [variety, length]\n");
}

CheckedRecipe checked(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const TemporaryFolder folder;
  write_file_synced(folder / "r.yaml", text);
  return check_recipe(load_recipe({(folder / "r.yaml").string(), "", "", overrides, {}}),
                      registries());
}

std::string mistake(const std::string& figures) {
  const std::string text = recipe_text();
  try {
    checked(text.substr(0, text.find("figures:\n")) + figures + "\n");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

const Figure& figure_named(const std::vector<Figure>& figures, const std::string& file) {
  for (const Figure& figure : figures) {
    if (figure.file == file) return figure;
  }
  throw std::runtime_error("no figure " + file);
}

std::vector<std::string> lines_of(const std::string& csv) {
  auto lines = split(csv, '\n');
  lines.pop_back();  // after the last line end
  return lines;
}

std::string reason_in(const Figure& figure, const std::string& what) {
  for (const MissingPart& part : figure.missing) {
    if (part.what == what) return part.reason;
  }
  return "nothing is missing of " + what;
}

}  // namespace

TEST_CASE("recipe figures: every kind from the recipe to its files", "[results]") {
  const TemporaryFolder scratch;
  const Experiment experiment = build_experiment(checked(recipe_text()), registries(), {});
  GraphStatus status = run_graph(experiment.graph, experiment.targets(), scratch / "runs");
  const auto draw = [&] {
    return figures_of(experiment, read_finished_scores(experiment, status), status, registries());
  };
  const auto figures = draw();
  REQUIRE(figures.size() == 8);

  const auto lines = lines_of(figure_named(figures, "lines").csv);
  REQUIRE(lines.size() == 1 + 2 * 2);
  CHECK(lines[1].starts_with("variety,ae,ae[2],,2,"));
  CHECK(lines[4].starts_with("length.length,ae,ae[4],,4,"));
  CHECK(figure_named(figures, "lines").missing.empty());

  const Figure& points = figure_named(figures, "points");
  CHECK(lines_of(points.csv).size() == 1 + 4);
  CHECK(reason_in(points, "AAE, length") == "not built");
  CHECK(points.missing.size() == 1);

  const Figure& steps = figure_named(figures, "steps");
  CHECK(reason_in(steps, "AE 2") == "the row keeps no checkpoints");
  CHECK(steps.missing.size() == 2);

  const auto map = lines_of(figure_named(figures, "map").csv);
  REQUIRE(map.size() == 1 + 4);
  CHECK(map[1].starts_with("variety,variety,1,"));
  CHECK(map[2].starts_with("variety,length,"));

  // Rows are listed in order below the source; real data have no reconstructions.
  const Figure& said = figure_named(figures, "said");
  const auto test = read_split(status.at(experiment.data[0].nodes.source).folder, "test");
  REQUIRE(said.texts);
  CHECK(said.texts->columns ==
        std::vector<std::string>{"item", "row", "reconstructions", "samples"});
  CHECK(said.texts->rows[0] == std::vector<std::string>{"1", "source", test[0], ""});
  CHECK(said.texts->rows[1][1] == "AE 2");
  CHECK(said.texts->rows[4][2] == test[1]);
  CHECK(lines_of(said.csv).size() == 1 + 2 * 3);
  CHECK(reason_in(said, "real data") == "the row has no model");

  const auto worst = lines_of(figure_named(figures, "worst").csv);
  REQUIRE(worst.size() == 1 + 3);
  const auto valid = read_split(status.at(experiment.data[0].nodes.source).folder, "valid");
  // A text overlaps completely with itself, so the first ones are listed.
  CHECK(worst[1].starts_with("overlap,0,"));
  CHECK_THAT(worst[3], Contains(valid[2].substr(0, valid[2].find_first_of(",\""))));

  CHECK(reason_in(figure_named(figures, "followed"), "AE 4") == "the row keeps no checkpoints");
  CHECK(reason_in(figure_named(figures, "images"), "AE 2, data.test") ==
        "there are no images; the columns are text");

  // A figure with a failed metric keeps the rest and reports the reason.
  const std::string node = experiment.row("ae[2]")->cells.at("variety").scores.begin()->second;
  status.at(node).state = NodeState::kFailed;
  status.at(node).reason = "no such luck";
  const auto fewer = draw();
  const Figure& gap = figure_named(fewer, "lines");
  CHECK(reason_in(gap, "AE 2, variety") == "no such luck");
  CHECK(lines_of(gap.csv)[1] == "variety,ae,ae[2],,2,,no such luck");
  CHECK(lines_of(gap.csv)[2].starts_with("variety,ae,ae[4],,4,"));
  CHECK(figure_named(fewer, "said").svg == said.svg);
}

TEST_CASE("recipe sheets: texts for raters are generated with the other texts", "[results]") {
  const TemporaryFolder scratch;
  const Experiment experiment = build_experiment(checked(recipe_text()), registries(), {});
  const GraphStatus status = run_graph(experiment.graph, experiment.targets(), scratch / "runs");
  const auto texts = [&](const std::string& id) {
    return sheet_texts(*find_entry(experiment.sheets, id), experiment, status, registries(), {});
  };
  const SheetTexts spoken = texts("spoken");
  CHECK(spoken.unfinished.empty());
  REQUIRE(spoken.key.rows.size() == 3);
  CHECK(spoken.key.kind == "spoken");
  CHECK(spoken.key.rows[1].id == "ae[4]");
  CHECK(spoken.key.rows[2].id == "data.test");
  CHECK(spoken.key.rows[2].is_real);
  CHECK_FALSE(spoken.key.rows[0].is_real);
  for (const auto& sentences : spoken.sentences) CHECK(sentences.size() == 3);
  const auto test = read_split(status.at(experiment.data[0].nodes.source).folder, "test");
  const RatedSentence& real = spoken.sentences[2][0];
  CHECK(real.texts == std::vector<std::string>{test.at(real.index)});

  const SheetTexts both = texts("both");
  const ExperimentSheet& sheet = *find_entry(experiment.sheets, "both");
  CHECK(sheet.kind.shown == std::vector<std::string>{"data_test", "reconstructions"});
  REQUIRE(both.key.rows.size() == 1);
  for (const RatedSentence& each : both.sentences[0]) CHECK(each.texts[0] == test.at(each.index));

  // The texts of two rows, of the same lines, are compared.
  const SheetTexts better = texts("better");
  REQUIRE(better.key.groups.size() == 1);
  CHECK(better.key.groups[0].id == "ae[2]_vs_ae[4]");
  CHECK(better.key.groups[0].label == "AE 2 vs AE 4");
  CHECK(better.key.groups[0].rows == std::vector<size_t>{0, 1});
  REQUIRE(better.sentences[0].size() == 3);
  for (const RatedSentence& each : better.sentences[0]) {
    REQUIRE(each.texts.size() == 3);
    CHECK(each.texts[0] == test.at(each.index));
  }
  CHECK(better.sentences[0][0].texts[1] == both.sentences[0][0].texts[1]);
  // Equal texts can be tied, but none of them can be preferred.
  CHECK(texts("equal").key.groups[0].id == "ae[4]_vs_ae[2]");
  CHECK(texts("equal").sentences[0].size() == 3);
  CHECK(texts("prefer").sentences[0].empty());

  // A kind that the recipe does not list is available if its texts are.
  CHECK(texts("sampling").key.rows.size() == 3);
  CHECK(texts("reconstruction").left_out.size() == 2);  // real data, and the row that is not run
}

TEST_CASE("recipe figures: errors are reported with their locations, all at once", "[results]") {
  const std::string all = mistake(R"Y(figures:
  a: {figure: curves, lines: {x: "ea[*]"}, y: [varity]}
  b: {figure: curves, rows: [real, rael], y: variety}
  c: {figure: curves, y: variety}
  d: {figure: heat_map, of: "rho[variety,*]"}
  e: {figure: heat_map, rows: [real], of: "rho[*,*]"}
  f: {figure: texts, of: variety}
  g: {figure: texts, rows: [real], of: [output]}
  h: {figure: scatter, rows: [real], x: length.mean, y: "rho[*,*]"}
  i: {figure: curve, rows: [reol], y: variety}
  j: {figure: image_grid, rows: [real], columns: [data.tset]}
sheets:
  s: {kind: samplng}
  t: {kind: sampling, show: [comment], rows: [reel]}
  u: {kind: sampling, paper: {real: {relevance: 3}}, sources: [row.outputs]}
  v: {kind: sampling, eech: 3})Y");
  for (const char* part : {"figures.a: 'ea[*]' is not a row of this recipe",
                           "figures.a: 'varity' is not a metric",
                           "did you mean 'variety'?",
                           "figures.b.x is missing: 'real' has no *",
                           "figures.b: 'rael' is not a row of this recipe",
                           "did you mean 'real'?",
                           "missing key 'figures.c.rows'",
                           "figures.d: 'rho[variety,*]' has 1 `*`",
                           "figures.e.rows: heat_map does not use rows",
                           "figures.f: 'variety' has a score per row, but texts does not show rows",
                           "'row.output' is not a text that can be used here",
                           "figures.h: diversity has no score 'mean'",
                           "figures.h takes one metric here",
                           "unknown figure 'curve'",
                           "figures.i: 'reol' is not a row of this recipe",
                           "'data.tset': the data set 'embedded' has no split 'tset'",
                           "unknown rating sheet 'samplng'",
                           "sheets.t.show: the sheet already has a column 'comment'",
                           "sheets.t.rows: 'reel' is not a row",
                           "the rating sheet u has no column 'relevance'",
                           "sheets.u.sources: 'row.outputs' is not a text of the sheet",
                           "sheets.v.eech",
                           "r.yaml:"}) {
    CHECK_THAT(all, Contains(part));
  }
  const std::string compared = mistake(R"Y(sheets:
  w: {kind: pairwise, show: [a], compare: [["ae[2]", "ae[4]"]], rows: [real]}
  x: {kind: pairwise, show: [samples], compare: [["ae[2]", "ae[2]"]], sources: [data.test]}
  y: {kind: preference, show: [samples], compare: [["ae[2]", real]], paper: {"ae[2]_vs_ae[4]": {preference_tie: 1}}}
  z: {kind: sampling, compare: [["ae[2]", "ae[4]"]]})Y");
  for (const char* part : {"sheets.w.show: the sheet already has a column 'a'",
                           "sheets.w.compare and rows are both given",
                           "sheets.x.compare must list pairs of different rows",
                           "sheets.x.sources: the kind pairwise compares rows",
                           "the rating sheet y does not compare 'ae[2]_vs_ae[4]'",
                           "the rating sheet y has no column 'preference_tie'",
                           "sheets.z.compare: the kind sampling does not compare rows"}) {
    CHECK_THAT(compared, Contains(part));
  }
  CHECK_THAT(mistake("ratings: {sampling: {item: x}}\nsheets: {sampling: {kind: sampling}}"),
             Contains("is defined in ratings and in sheets"));
  // What * matches must be a number where it is the place on the axis.
  CHECK_THAT(mistake("figures: {z: {figure: heat_map, of: \"rho[*,*,*]\"}}"),
             Contains("has 3 `*`"));
}

TEST_CASE("recipe figures: config prints them in an equivalent form", "[results]") {
  const CheckedRecipe first = checked(recipe_text());
  const Node resolved = printed_recipe(first, registries());
  const CheckedRecipe second = checked(to_yaml(resolved));
  const Node again = printed_recipe(second, registries());
  for (const char* section : {"figures", "sheets"}) {
    CHECK(to_yaml(*again.find(section)) == to_yaml(*resolved.find(section)));
  }
  REQUIRE(second.figures.size() == first.figures.size());
  CHECK(second.figures[0].named.metrics.size() == 2);
}

TEST_CASE("recipe figures: pictures of the checkpoint that `choose` selects", "[results]") {
  const TemporaryFolder scratch;
  const Experiment experiment = build_experiment(checked(R"Y(lvtext: 1
recipe: p/pictures
data: {reader: {type: synthcxr, size: 64}, draws: {seed: 1, records: {valid: 8, test: 4, train: 16}}, tokenizer: words, pack: {type: captions, max_words: 30}}
train: {seed: 1, device: cpu, batch: {size: 8, drop_last: true}, stop: 2u, validate_every: 2u, keep: {checkpoints: 1u}, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts: {words: {fit: words, data: data.train, min_count: 1}}
models: {gan: {model: tti_gan, generator: 8, discriminator: 4, condition: attributes, equal_by: attributes}}
generation: {drawn: {infer: draw, checkpoints: all, column: attributes, inputs: {embeddings: data.valid}}}
evaluate: {spread: {evaluator: image_spread, inputs: {real: data.valid, drawn: row.drawn}}}
select: {least: {among: checkpoints, min: spread}, most: {among: checkpoints, max: spread}}
figures:
  least: {figure: image_grid, rows: [gan], columns: {drawn: row.drawn}, items: 1, choose: least}
  most: {figure: image_grid, rows: [gan], columns: {drawn: row.drawn}, items: 1, choose: most}
)Y"),
                                                 registries(), {});
  const GraphStatus status = run_graph(experiment.graph, experiment.targets(), scratch / "runs");
  const FinishedScores scores = read_finished_scores(experiment, status);
  const auto figures = figures_of(experiment, scores, status, registries());
  std::vector<std::string> shown;
  for (const std::string select : {"least", "most"}) {
    const int64_t step = scores.selections.at("gan-" + select).step();
    const auto part = part_folder(status.at("gan-drawn-checkpoints").folder, step);
    const auto drawn = pictures_of(read_dataset(part), 1).at(0).rgb;
    const std::string bytes(drawn.begin(), drawn.end());
    const Figure& figure = figure_named(figures, select);
    CHECK(figure.missing.empty());
    shown.push_back(lines_of(figure.csv).at(1));
    CHECK(shown.back() == "gan,drawn,1,64,64," + sha256(bytes) + ",");
  }
  CHECK(shown[0] != shown[1]);
}

TEST_CASE("pictures: the first images of a dataset", "[results]") {
  const TemporaryFolder folder;
  ColumnDecl image{.name = "image", .kind = ColumnKind::kImage, .shape = {3, 1, 2}};
  ColumnDecl label{.name = "label", .kind = ColumnKind::kLabel, .classes = 2};
  DatasetWriter writer(folder / kDatasetFile, {label, image});
  for (uint8_t row = 0; row < 3; ++row) {
    const std::vector<uint8_t> pixels = {row, 1, 2, 3, 4, 5};  // red, green and blue planes
    writer.add_label(0, 1);
    writer.add_image(1, pixels);
    writer.end_row();
  }
  writer.finish();
  const auto pictures = pictures_of(Dataset(folder / kDatasetFile), 2);
  REQUIRE(pictures.size() == 2);
  CHECK(pictures[1].width == 2);
  CHECK(pictures[1].height == 1);
  CHECK(pictures[1].rgb == std::vector<uint8_t>{1, 2, 4, 1, 3, 5});
}
