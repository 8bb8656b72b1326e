// Scores of images: agreement with captions, the probe of word order, spread, and distances.
#include <ATen/ATen.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "evaluators/frechet/frechet_distance.h"
#include "evaluators/image_frechet/image_frechet_evaluator.h"
#include "evaluators/image_frechet/kernel_distance.h"
#include "evaluators/image_spread/image_spread_evaluator.h"
#include "evaluators/swap_probe/swap_probe_evaluator.h"
#include "evaluators/synthcxr_attributes/synthcxr_attributes_evaluator.h"
#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/tensor/philox.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

constexpr uint64_t kSeed = 1234;
using Images = std::vector<std::vector<uint8_t>>;  // of one row

/// A dataset of images [1, size, size] and, if there are any, vectors.
Dataset image_dataset(const TemporaryFolder& folder, const std::string& name, int64_t size,
                      const std::vector<Images>& rows, const std::string& vector_name = "",
                      const std::vector<std::vector<float>>& vectors = {}) {
  std::vector<ColumnDecl> columns = {
      {.name = "image", .kind = ColumnKind::kImage, .shape = {1, size, size}, .ragged = true}};
  if (!vectors.empty()) {
    columns.push_back({.name = vector_name,
                       .kind = ColumnKind::kVector,
                       .shape = {static_cast<int64_t>(vectors.front().size())}});
  }
  DatasetWriter writer(folder / name, columns);
  for (size_t row = 0; row < rows.size(); ++row) {
    for (const auto& image : rows[row]) writer.add_image(0, image);
    if (!vectors.empty()) writer.add_numbers(1, vectors[row]);
    writer.end_row();
  }
  writer.finish();
  return Dataset(folder / name);
}

Dataset vector_dataset(const TemporaryFolder& folder, const std::string& name,
                       const std::string& column, const std::vector<std::vector<float>>& rows) {
  DatasetWriter writer(folder / name, {{.name = column,
                                        .kind = ColumnKind::kVector,
                                        .shape = {static_cast<int64_t>(rows.front().size())}}});
  for (const auto& row : rows) {
    writer.add_numbers(0, row);
    writer.end_row();
  }
  writer.finish();
  return Dataset(folder / name);
}

std::vector<uint8_t> patient_image(uint64_t patient) {
  return image_bytes(chest_image(chest_scene(kSeed, patient), 64, kSeed, patient));
}

std::vector<float> attribute_vector(const ChestAttributes& attributes) {
  return {attributes.begin(), attributes.end()};
}

ChestAttributes with(std::initializer_list<size_t> set) {
  ChestAttributes attributes = {};
  for (const size_t index : set) attributes[index] = true;
  return attributes;
}

double value(const std::vector<Score>& scores, const std::string& id) {
  const Score* score = find_score(scores, id);
  REQUIRE(score);
  return score->value;
}

/// An image of a scene without noise with these findings.
std::vector<uint8_t> image_with(std::vector<Finding> findings) {
  ChestScene scene;
  scene.findings = std::move(findings);
  return image_bytes(clean_chest_image(scene, 64));
}

Finding focal(FindingKind kind, size_t zone) {
  return {.kind = kind, .side = zone < 3 ? Side::kLeft : Side::kRight, .zone = zone % 3};
}

/// The image that the caption of the probe with this index describes.
std::vector<uint8_t> image_of_swap(size_t index) {
  std::vector<Finding> findings;
  const ChestAttributes attributes = swap_caption(index).attributes;
  for (size_t i = 0; i < 12; ++i) {
    if (!attributes[i]) continue;
    findings.push_back(focal(i % 2 == 0 ? FindingKind::kOpacity : FindingKind::kNodule, i / 2));
  }
  return image_with(findings);
}

at::Tensor formula(double (*of)(int i, int j)) {
  at::Tensor rows = at::empty({400, 15}, at::kDouble);
  for (int i = 0; i < 400; ++i) {
    for (int j = 0; j < 15; ++j) rows[i][j] = of(i, j);
  }
  return rows;
}
at::Tensor formula_x() {
  return formula([](int i, int j) {
    return std::sin(0.37 * (i + 1) * (j + 1)) + 0.1 * std::cos(0.11 * i) * j;
  });
}
at::Tensor formula_y() {
  return formula([](int i, int j) {
    return 0.8 * std::cos(0.29 * (i + 2) * (j + 1)) + 0.05 * std::sin(0.17 * i) * j + 0.2;
  });
}

}  // namespace

TEST_CASE("synthcxr attributes: shares and F1 by hand", "[evaluators]") {
  // Left upper opacity; nothing; right upper nodule and right effusion.
  const std::vector<ChestAttributes> captions = {with({0}), with({}), with({7, 13})};
  const std::vector<std::vector<ChestReading>> seen = {
      {{with({0}), false}, {with({6}), false}},           // right; on the other side
      {{with({}), true}, {with({14}), true}},             // right; a heart too many, close
      {{with({9, 12}), false}, {with({7, 13}), false}}};  // another zone and side; right
  const std::vector<Score> scores = attribute_scores(captions, seen);
  CHECK(value(scores, "exact") == Approx(3. / 6));
  CHECK(value(scores, "exact_with_findings") == Approx(2. / 4));
  // Named 2 + 0 + 4, seen 2 + 1 + 4, hits 1 + 0 + 2.
  CHECK(value(scores, "f1") == Approx(6. / 13));
  CHECK(value(scores, "f1_focal") == Approx(2 * 2. / (4 + 4)));
  CHECK(value(scores, "f1_opacity") == Approx(2. / 4));
  CHECK(value(scores, "f1_nodule") == Approx(2. / 4));
  CHECK(value(scores, "f1_effusion") == Approx(2. / 4));
  CHECK(value(scores, "f1_heart") == 0);
  CHECK(value(scores, "wrong_side") == Approx(2. / 6));  // the opacity and the effusion
  CHECK(value(scores, "wrong_zone") == Approx(1. / 4));  // the nodule
  // Against {}, {7, 13}, {0}: one exact at most.
  CHECK(value(scores, "next_exact") == 0);
  CHECK(value(scores, "next_f1") == 0);
  CHECK(value(scores, "congruent") == 3);
  CHECK(value(scores, "not_congruent") == 2);
  CHECK(value(scores, "unclear") == 1);
  CHECK(value(scores, "congruent_odds") == Approx(1.5));
  CHECK(value(scores, "congruent_share") == Approx(0.6));
  CHECK(find_score(scores, "f1")->interval.has_value());
  CHECK(find_score(scores, "exact")->n == 3);
  CHECK(find_score(scores, "exact")->signature ==
        "synthcxr_attributes|n_images:6|n_captions:3|exact|version:1");
}

TEST_CASE("synthcxr attributes: scores without a denominator are undefined", "[evaluators]") {
  const std::vector<Score> scores = attribute_scores({with({})}, {{ChestReading{with({}), false}}});
  CHECK(std::isnan(value(scores, "f1")));
  CHECK(find_score(scores, "f1")->reason == "neither captions nor images have findings");
  CHECK(find_score(scores, "congruent_odds")->reason == "no image contradicts its caption");
  CHECK(find_score(scores, "exact_with_findings")->reason == "no caption names a finding");
  CHECK(value(scores, "exact") == 1);
}

TEST_CASE("synthcxr attributes: real images and the next captions", "[evaluators]") {
  const TemporaryFolder folder;
  std::vector<Images> images;
  std::vector<std::vector<float>> attributes;
  for (uint64_t patient = 0; patient < 400; ++patient) {
    images.push_back({patient_image(patient)});
    attributes.push_back(attribute_vector(attributes_of(chest_scene(kSeed, patient))));
  }
  Inputs inputs;
  inputs.add("drawn", image_dataset(folder, "drawn", 64, images));
  inputs.add("real", vector_dataset(folder, "real", "attributes", attributes));
  const std::vector<Score> scores = SynthcxrAttributesEvaluator({}).evaluate(inputs);
  CHECK(value(scores, "exact") >= 0.995);
  CHECK(value(scores, "f1") >= 0.995);
  // Chance levels of the 400 patients.
  CHECK(value(scores, "next_f1") == Approx(0.086).margin(0.0006));
  CHECK(value(scores, "next_exact_with_findings") == Approx(0.031).margin(0.0006));
  std::vector<std::string> ids;
  for (const Score& score : scores) ids.push_back(score.id);
  std::vector<std::string> declared;
  for (const ScoreDecl& each : SynthcxrAttributesEvaluator::scores()) declared.push_back(each.id);
  CHECK(ids == declared);
}

TEST_CASE("synthcxr attributes: wrong inputs are named", "[evaluators]") {
  const TemporaryFolder folder;
  const Dataset image = image_dataset(folder, "image", 64, {{patient_image(0)}});
  const auto refused = [](const Dataset& drawn, const Dataset& real, const char* why) {
    Inputs inputs;
    inputs.add("drawn", drawn);
    inputs.add("real", real);
    CHECK_THROWS_WITH(SynthcxrAttributesEvaluator({}).evaluate(inputs), Contains(why));
  };
  const std::vector<float> none(15);
  const Dataset one = vector_dataset(folder, "one", "attributes", {none});
  refused(image, vector_dataset(folder, "two", "attributes", {none, none}),
          "'drawn' has 1 row, but 'real' has 2");
  refused(image, vector_dataset(folder, "short", "attributes", {{1, 0}}),
          "the column 'attributes' of the input 'real' has 2 values, not 15 zeros and ones");
  std::vector<float> half(15);
  half[3] = 0.5F;
  refused(image, vector_dataset(folder, "half", "attributes", {half}), "has the value 0.5, not 15");
  refused(image, vector_dataset(folder, "other", "findings", {none}),
          "'real' has no column 'attributes' of vectors; its columns are findings");
  refused(one, one, "'drawn' has no column 'image' of images; its columns are attributes");
  refused(image_dataset(folder, "small", 32, {{std::vector<uint8_t>(32 * 32)}}), one,
          "the images of the input 'drawn' have 1x32x32 bytes");
}

TEST_CASE("swap probe: equal vectors reach at most one half", "[evaluators]") {
  const TemporaryFolder folder;
  std::vector<Images> right, same;
  std::vector<std::vector<float>> attributes, vectors, bag;
  for (size_t i = 0; i < kSwapCaptions; ++i) {
    right.push_back({image_of_swap(i), image_of_swap(i)});
    const size_t pair = i / 2;
    same.push_back({image_of_swap(pair * 2)});
    attributes.push_back(attribute_vector(swap_caption(i).attributes));
    vectors.push_back({static_cast<float>(i), 1});
    bag.push_back({static_cast<float>(pair), 1});
  }
  const Dataset real = vector_dataset(folder, "real", "attributes", attributes);
  const auto evaluate = [&](const std::vector<Images>& images,
                            const std::vector<std::vector<float>>& embeddings) {
    static int count = 0;
    const std::string name = std::to_string(++count);
    Inputs inputs;
    inputs.add("drawn", image_dataset(folder, "d" + name, 64, images));
    inputs.add("real", real);
    inputs.add("embeddings", vector_dataset(folder, "e" + name, "embedding", embeddings));
    return SwapProbeEvaluator({}).evaluate(inputs);
  };
  const auto ordered = evaluate(right, vectors);
  CHECK(value(ordered, "zone") == 1);
  CHECK(value(ordered, "exact") == 1);
  CHECK(value(ordered, "equal_vectors") == 0);
  CHECK(find_score(ordered, "zone")->n == 15);
  const auto unordered = evaluate(same, bag);
  CHECK(value(unordered, "zone") == 0.5);
  CHECK(value(unordered, "exact") == 0.5);
  CHECK(value(unordered, "equal_vectors") == 1);
  // 0 and -0 are equal, but not bit-identical.
  bag[1][0] = -0.F;
  CHECK(value(evaluate(same, bag), "equal_vectors") == Approx(14. / 15));
}

TEST_CASE("swap probe: an opacity in its zone counts without the nodule", "[evaluators]") {
  const TemporaryFolder folder;
  const std::vector<std::vector<float>> attributes = {attribute_vector(swap_caption(0).attributes),
                                                      attribute_vector(swap_caption(1).attributes)};
  // Left upper opacity alone: right for the first caption. Opacities in both zones: wrong.
  const auto opacity = image_with({focal(FindingKind::kOpacity, 0)});
  const auto both = image_with({focal(FindingKind::kOpacity, 0), focal(FindingKind::kOpacity, 1)});
  Inputs inputs;
  inputs.add("drawn", image_dataset(folder, "drawn", 64, {{opacity, both}, {opacity, both}}));
  inputs.add("real", vector_dataset(folder, "real", "attributes", attributes));
  inputs.add("embeddings", vector_dataset(folder, "embeddings", "embedding", {{1}, {2}}));
  const auto scores = SwapProbeEvaluator({}).evaluate(inputs);
  CHECK(value(scores, "zone") == 0.25);
  CHECK(value(scores, "exact") == 0);
  const auto refused = [&](const std::vector<std::vector<float>>& rows) {
    Inputs others;
    others.add("drawn", image_dataset(folder, "others", 64,
                                      std::vector<Images>(rows.size(), Images{opacity})));
    others.add("real", vector_dataset(folder, "captions", "attributes", rows));
    others.add("embeddings", vector_dataset(folder, "vectors", "embedding",
                                            std::vector<std::vector<float>>(rows.size(), {1})));
    CHECK_THROWS_WITH(SwapProbeEvaluator({}).evaluate(others),
                      Contains("of 'real' is not one of a pair of captions"));
  };
  refused({attributes[0], attributes[0]});
  refused({attributes[0]});
  refused({attribute_vector(with({0, 3, 14})), attributes[1]});
}

TEST_CASE("image spread: ratio of standard deviations", "[evaluators]") {
  const TemporaryFolder folder;
  const auto image = [](int level) {
    return std::vector<uint8_t>{static_cast<uint8_t>(level),
                                static_cast<uint8_t>(level + 2 * level), 7, 7};
  };
  const Dataset real = image_dataset(folder, "real", 2, {{image(0)}, {image(20)}, {image(40)}});
  const auto evaluate = [&](const std::vector<Images>& rows, ImageSpreadOptions options = {}) {
    static int count = 0;
    Inputs inputs;
    inputs.add("drawn", image_dataset(folder, "d" + std::to_string(++count), 2, rows));
    inputs.add("real", real);
    return ImageSpreadEvaluator(options).evaluate(inputs);
  };
  // Standard deviation over levels 0, 20, 40 is 20, times (1 + 3) / 4 pixels.
  const auto half = evaluate({{image(0)}, {image(10)}, {image(20)}});
  CHECK(value(half, "spread") == Approx(0.5));
  CHECK(value(half, "collapsed") == 0);
  CHECK(find_score(half, "noise_spread")->reason == "one image is drawn of each caption");
  const auto collapsed = evaluate({{image(0)}, {image(4)}, {image(8)}});
  CHECK(value(collapsed, "spread") == Approx(0.2));
  CHECK(value(collapsed, "collapsed") == 1);
  // Over noise: 0 for the first caption; |10 - 20| / sqrt(2) of 20 for the second.
  const auto noisy = evaluate({{image(0), image(0)}, {image(10), image(20)}, {image(40)}});
  CHECK(value(noisy, "spread") == Approx(std::sqrt(1300. / 3) / 20));
  CHECK(value(noisy, "noise_spread") == Approx(10 / std::sqrt(2.) / 20 / 2));
  CHECK(value(evaluate({{image(0)}, {image(10)}, {image(90)}}, {.images = 2}), "spread") ==
        Approx(0.5));
  CHECK_THROWS_WITH(evaluate({{image(0)}}), Contains("requires at least two images"));
}

TEST_CASE("image frechet: 400 x 15 vectors equal scipy's matrix root", "[evaluators]") {
  // scipy 1.17.1: linalg.sqrtm of the product of numpy's covariances.
  CHECK(frechet_distance(formula_x(), formula_y()).squared() ==
        Approx(2.1140779943666104).epsilon(1e-9));
}

TEST_CASE("image frechet: the kernel distance is the unbiased estimate", "[evaluators]") {
  const at::Tensor x = formula_x(), y = formula_y();
  CHECK(kernel_distance(x, y) == Approx(0.2833446155318282).epsilon(1e-10));
  CHECK(kernel_distance(x.slice(0, 0, 7), y.slice(0, 0, 5)) ==
        Approx(0.47584397498613384).epsilon(1e-10));
  // The mean over samples of one distribution is 0: |mean| below four standard errors.
  double sum = 0, squares = 0;
  constexpr int kSamples = 400;
  for (int i = 0; i < kSamples; ++i) {
    const at::Tensor rows =
        normal_step({static_cast<uint64_t>(i)}, {12, 3}, at::TensorOptions(at::kDouble));
    const double distance = kernel_distance(rows.slice(0, 0, 6), rows.slice(0, 6));
    sum += distance;
    squares += distance * distance;
  }
  const double mean = sum / kSamples;
  CHECK(std::abs(mean) < 4 * std::sqrt((squares / kSamples - mean * mean) / kSamples));
}

TEST_CASE("image frechet: drawn and other images on the features of synthcxr", "[evaluators]") {
  const TemporaryFolder folder;
  const auto patients = [&](const std::string& name, uint64_t first, uint64_t step) {
    std::vector<Images> rows;
    for (uint64_t i = 0; i < 40; ++i) rows.push_back({patient_image(first + i * step)});
    return image_dataset(folder, name, 64, rows);
  };
  const auto evaluate = [&](bool has_others) {
    Inputs inputs;
    inputs.add("drawn", patients("drawn", 3, 0));  // one patient: collapsed
    inputs.add("real", patients("real", 0, 1));
    if (has_others) inputs.add("others", patients("others", 400, 1));
    return ImageFrechetEvaluator({}).evaluate(inputs);
  };
  const auto scores = evaluate(true);
  CHECK(value(scores, "frechet") > value(scores, "other_frechet"));
  CHECK(find_score(scores, "frechet")->notes.empty());
  CHECK(value(scores, "kernel") > std::abs(value(scores, "other_kernel")));
  CHECK(find_score(scores, "frechet")->signature ==
        "frechet_synthcxr|features:synthcxr|dimensions:15|n_images:40|frechet|version:2");
  const auto alone = evaluate(false);
  CHECK(value(alone, "frechet") == value(scores, "frechet"));
  CHECK(find_score(alone, "other_frechet")->reason == "there are no other real images");
}

TEST_CASE("image frechet: the vectors of a model are of all batches", "[evaluators]") {
  /// Mean and largest pixel.
  struct TwoFeatures : Model, ImageFeatures {
    int64_t feature_size() const override { return 2; }
    at::Tensor image_features(const at::Tensor& images) override {
      const at::Tensor pixels = images.to(at::kFloat).flatten(1);
      return at::stack({pixels.mean(1), pixels.amax(1)}, 1);
    }
  };
  const TemporaryFolder folder;
  std::vector<Images> drawn, real;
  at::Tensor x = at::empty({5, 2}, at::kDouble), y = at::empty({5, 2}, at::kDouble);
  for (int i = 0; i < 5; ++i) {
    const auto a = static_cast<uint8_t>(i * i), b = static_cast<uint8_t>(10 * i);
    drawn.push_back({{a, 0, 0, 0}});
    real.push_back({{b, 4, 0, 0}});
    x[i] = at::tensor({a / 4., 1. * a}, at::kDouble);
    y[i] = at::tensor({(b + 4) / 4., std::max(4., 1. * b)}, at::kDouble);
  }
  Inputs inputs;
  inputs.add("drawn", image_dataset(folder, "drawn", 2, drawn));
  inputs.add("real", image_dataset(folder, "real", 2, real));
  LoadedModel model{.component = "two", .model = std::make_shared<TwoFeatures>(), .identity = "00"};
  model.published = true;
  Inputs with_published = inputs;
  with_published.add("model", model);
  model.published = false;
  inputs.add("model", model);
  const ImageFrechetEvaluator evaluator({.features = ImageVectors::kModel, .batch = 2});
  const auto scores = evaluator.evaluate(inputs);
  CHECK(value(scores, "frechet") == Approx(frechet_distance(x, y).squared()));
  CHECK(value(scores, "kernel") == Approx(kernel_distance(x, y)));
  CHECK(find_score(scores, "frechet")->title == "frechet_two");
  for (const Score& score : scores) {
    CHECK(score.notes == std::vector<std::string>{"vectors of 'two', trained here"});
  }
  CHECK(find_score(evaluator.evaluate(with_published), "frechet")->notes.empty());
}
