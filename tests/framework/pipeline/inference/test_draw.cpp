// Images from embeddings, and vectors of equal scale.
#include <ATen/ATen.h>

#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/decoding/drawing.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

/// Images [2, 1, 1]: the first number of the condition, and noise. It draws from twice the
/// condition, and counts the images that it draws at once.
class Painter : public Model, public ImageGenerator {
 public:
  int64_t condition_size() const override { return 2; }
  int64_t image_size() const override { return 1; }
  at::Tensor draw(const at::Tensor& conditions, const at::Tensor& ids,
                  const NoiseKey& key) override {
    together = std::max(together, conditions.size(0));
    const at::Tensor noise = uniform(key, ids, {1}, at::kFloat);
    return at::cat({conditions.slice(1, 0, 1), noise}, 1).view({-1, 2, 1, 1});
  }
  at::Tensor drawn_from(const at::Tensor& conditions) override { return 2 * conditions; }

  int64_t together = 0;
};

/// Rows with the given numbers of vectors [i / 8, 1], i = 0, 1, ...
Dataset rows_of(const std::filesystem::path& file, const std::vector<int64_t>& counts, bool ragged,
                float scale = 0.125) {
  DatasetWriter writer(
      file, {{.name = "embedding", .kind = ColumnKind::kVector, .shape = {2}, .ragged = ragged}});
  int64_t next = 0;
  for (const int64_t count : counts) {
    for (int64_t i = 0; i < count; ++i) {
      writer.add_numbers(0, std::vector<float>{scale * static_cast<float>(next++), 1});
    }
    writer.end_row();
  }
  writer.finish();
  return Dataset(file);
}

Inputs given(const Dataset& embeddings,
             const std::shared_ptr<Painter>& model = std::make_shared<Painter>()) {
  Inputs inputs;
  inputs.add("model", {.component = "painter", .model = model});
  inputs.add("embeddings", embeddings);
  return inputs;
}

Inferred infer(const std::string& component, const std::string& options, const Inputs& inputs) {
  Registries registries;
  register_all_inference(registries);
  const torch::NoGradGuard no_grad;
  return registries.inference.get(component)
      .configure(parse_yaml_or_throw(options, "test"))
      .inference->run(inputs, [](const std::string&) {});
}

/// The noise of each image.
at::Tensor noise_of(const Inferred& drawn) {
  return drawn.columns[0].values.select(1, 1).flatten();
}

}  // namespace

TEST_CASE("drawing: bytes are floor(255 (x + 1) / 2 + 1/2)", "[inference]") {
  const at::Tensor x = at::tensor({-1.0, 0.0, 1.0, 1.5, -2.0, -0.996, -0.9961, 0.25}, at::kFloat);
  CHECK(at::equal(image_bytes(x), at::tensor({0, 128, 255, 255, 0, 1, 0, 159}, at::kByte)));
}

TEST_CASE("draw: one image for each embedding, the same in any batch", "[inference]") {
  const TemporaryFolder folder;
  const Dataset five = rows_of(folder / "five", {1, 1, 1, 1, 1}, false);
  const auto model = std::make_shared<Painter>();
  const Inferred drawn = infer("draw", "{seed: 3}", given(five, model));
  REQUIRE(drawn.columns.size() == 2);
  const InferredColumn& image = drawn.columns[0];
  CHECK(image.decl.name == "image");
  CHECK(image.decl.kind == ColumnKind::kImage);
  CHECK(image.decl.shape == std::vector<int64_t>{2, 1, 1});
  CHECK_FALSE(image.decl.ragged);
  CHECK(at::equal(image.values.select(1, 0).flatten(),
                  at::tensor({128, 143, 159, 175, 191}, at::kByte)));
  const InferredColumn& condition = drawn.columns[1];
  CHECK(condition.decl.name == "condition");
  CHECK(at::equal(condition.values.select(1, 0), at::arange(5, at::kFloat) / 4));
  CHECK(drawn.metadata.at("count") == 5);
  CHECK(model->together == 5);
  const auto other = std::make_shared<Painter>();
  const Inferred small = infer("draw", "{seed: 3, batch: 2}", given(five, other));
  CHECK(other->together == 2);
  CHECK(at::equal(small.columns[0].values, image.values));
  CHECK_FALSE(at::equal(noise_of(infer("draw", "{seed: 4}", given(five))), noise_of(drawn)));
  const Dataset two = rows_of(folder / "two", {1, 1}, false);
  CHECK(at::equal(noise_of(infer("draw", "{seed: 3, first: 3}", given(two))),
                  noise_of(drawn).slice(0, 3)));
}

TEST_CASE("draw: several images and captions of a row", "[inference]") {
  const TemporaryFolder folder;
  const Dataset ragged = rows_of(folder / "ragged", {2, 0, 1}, true);
  const Inferred drawn = infer("draw", "{draws: 3}", given(ragged));
  for (const InferredColumn& column : drawn.columns) {
    CHECK(column.decl.ragged);
    CHECK(column.rows == std::vector<int64_t>{0, 6, 6, 9});
  }
  CHECK(at::equal(drawn.columns[0].values.select(1, 0).flatten(),
                  at::tensor({128, 128, 128, 143, 143, 143, 159, 159, 159}, at::kByte)));
  CHECK(at::equal(drawn.columns[1].values.select(1, 0) * 4,
                  at::tensor({0.f, 0.f, 0.f, 1.f, 1.f, 1.f, 2.f, 2.f, 2.f})));
  const at::Tensor noise = noise_of(drawn);
  CHECK(std::get<0>(at::_unique(noise)).size(0) > 6);
  // More draws add images and change none.
  const at::Tensor one = noise_of(infer("draw", "{}", given(ragged)));
  CHECK(at::equal(one, noise.slice(0, 0, 9, 3)));
  // The first captions alone have the same images.
  const Dataset filled = rows_of(folder / "filled", {2, 1}, true);
  const Inferred all = infer("draw", "{}", given(filled));
  const Inferred first = infer("draw", "{captions: first}", given(filled));
  CHECK_FALSE(first.columns[0].decl.ragged);
  CHECK(at::equal(first.columns[0].values,
                  all.columns[0].values.index_select(0, at::tensor({0, 2}))));
  CHECK_THROWS_WITH(infer("draw", "{captions: first}", given(ragged)),
                    Contains("row 1 of the column 'embedding' has no vector"));
}

TEST_CASE("draw: rows that share their noise", "[inference]") {
  const TemporaryFolder folder;
  const Dataset six = rows_of(folder / "six", {1, 1, 1, 1, 1, 1}, false);
  const at::Tensor noise =
      noise_of(infer("draw", "{draws: 2, shared_noise: 2}", given(six))).view({3, 2, 2});
  CHECK(at::equal(noise.select(1, 0), noise.select(1, 1)));
  CHECK_FALSE(at::equal(noise[0], noise[1]));
  CHECK_FALSE(at::equal(noise.select(2, 0), noise.select(2, 1)));
}

TEST_CASE("draw: errors name what cannot be drawn", "[inference]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(infer("draw", "{column: z}", given(rows_of(folder / "a", {1}, false))),
                    Contains("no column 'z'"));
  CHECK_THROWS_WITH(infer("draw", "{}", given(rows_of(folder / "b", {0}, true))),
                    Contains("has no vectors"));
  const auto wrong = [&](const ColumnDecl& decl, const std::vector<float>& numbers) {
    DatasetWriter writer(folder / decl.name, {decl});
    writer.add_numbers(0, numbers);
    writer.end_row();
    writer.finish();
    return given(Dataset(folder / decl.name));
  };
  const ColumnDecl wide = {.name = "wide", .kind = ColumnKind::kVector, .shape = {3}};
  const ColumnDecl number = {.name = "number", .kind = ColumnKind::kNumber};
  for (const char* component : {"draw", "conditions"}) {
    CHECK_THROWS_WITH(infer(component, "{column: wide}", wrong(wide, {1, 2, 3})),
                      Contains("the column 'wide' has vectors of width 3; the generator was "
                               "trained with width 2"));
    CHECK_THROWS_WITH(
        infer(component, "{column: number}", wrong(number, {1})),
        Contains("the column 'number' has no vectors: it is a column of kind number"));
  }
  // Finite embeddings whose double is not.
  CHECK_THROWS_WITH(infer("conditions", "{}", given(rows_of(folder / "c", {2}, true, 3e38))),
                    Contains("the generator has diverged"));
}

TEST_CASE("conditions: one for each caption", "[inference]") {
  const TemporaryFolder folder;
  const Inferred found = infer("conditions", "{}", given(rows_of(folder / "a", {2, 1}, true)));
  REQUIRE(found.columns.size() == 1);
  CHECK(found.columns[0].decl.name == "condition");
  CHECK(found.columns[0].rows == std::vector<int64_t>{0, 2, 3});
  CHECK(at::equal(found.columns[0].values.select(1, 0) * 4, at::tensor({0.f, 1.f, 2.f})));
}

TEST_CASE("normalize_vectors: mean and scale of other vectors", "[inference]") {
  const TemporaryFolder folder;
  Inputs inputs;
  // First numbers 0, 1, 2, 3: mean 1.5, variance 1.25; second numbers constant.
  inputs.add("statistics", rows_of(folder / "train", {3, 1}, true, 1));
  inputs.add("data", rows_of(folder / "valid", {1, 1}, false, 4));
  const Inferred one = infer("normalize_vectors", "{variance: 5, name: condition}", inputs);
  const InferredColumn& column = one.columns.front();
  CHECK(column.decl.name == "condition");
  CHECK_FALSE(column.decl.ragged);
  CHECK(at::equal(column.values, at::tensor({-3.f, 0.f, 5.f, 0.f}).view({2, 2})));
  CHECK(one.metadata.at("variance_before") == 1.25);
  CHECK(one.metadata.at("constant_dimensions") == 1);
  // Each dimension has half of the variance.
  const Inferred each = infer("normalize_vectors", "{variance: 10, per_dimension: true}", inputs);
  CHECK(each.columns.front().decl.name == "embedding");
  CHECK(at::equal(each.columns.front().values, column.values));
  Inputs own;
  for (const std::string input : {"data", "statistics"}) {
    own.add(input, rows_of(folder / input, {3, 1}, true, 1));
  }
  const Inferred same = infer("normalize_vectors", "{}", own);
  CHECK(same.columns.front().rows == std::vector<int64_t>{0, 3, 4});
  const at::Tensor values = same.columns.front().values.to(at::kDouble);
  CHECK(values.var(0, false).sum().item<double>() == Approx(30));
}

TEST_CASE("normalize_vectors: equal vectors have no scale", "[inference]") {
  const TemporaryFolder folder;
  Inputs inputs;
  inputs.add("data", rows_of(folder / "data", {1}, false));
  inputs.add("statistics", rows_of(folder / "equal", {1, 1}, false, 0));
  CHECK_THROWS_WITH(infer("normalize_vectors", "{}", inputs), Contains("are equal"));
}

TEST_CASE("normalize_vectors: whitened vectors have equal variances in all directions",
          "[inference]") {
  const TemporaryFolder folder;
  using Vectors = std::vector<std::vector<float>>;
  const auto write = [&](const std::string& name, const Vectors& all) {
    DatasetWriter writer(folder / name,
                         {{.name = "embedding", .kind = ColumnKind::kVector, .shape = {2}}});
    for (const auto& vector : all) {
      writer.add_numbers(0, vector);
      writer.end_row();
    }
    writer.finish();
  };
  int64_t kept = 0;
  const auto whitened = [&](const std::string& name, const Vectors& statistics,
                            const std::string& options, const Vectors& data = {}) {
    write(name, statistics);
    write(name + "-data", data.empty() ? statistics : data);
    Inputs inputs;
    inputs.add("statistics", Dataset(folder / name));
    inputs.add("data", Dataset(folder / (name + "-data")));
    const Inferred found = infer("normalize_vectors", options, inputs);
    kept = found.metadata.at("kept_directions");
    return found.columns.front().values.to(at::kDouble);
  };
  const at::Tensor all = whitened("full", {{0, 0}, {20, 1}, {10, 2}, {30, 5}}, "{whiten: 1e-6}");
  CHECK(at::allclose(all.mean(0), at::zeros({2}, at::kDouble), 0, 1e-6));
  CHECK(at::allclose(all.t().matmul(all) / 4, 15 * at::eye(2, at::kDouble), 0, 1e-5));
  CHECK(kept == 2);
  // A single direction, (1, 1), has all of the variance.
  const at::Tensor line = whitened("line", {{0, 0}, {1, 1}, {2, 2}}, "{whiten: 1e-6, variance: 4}");
  const double end = std::sqrt(3.0);
  CHECK(at::allclose(line, at::tensor({-end, -end, 0., 0., end, end}).view({3, 2}), 0, 1e-6));
  CHECK(kept == 1);
  // With 1, the largest direction alone.
  const at::Tensor largest =
      whitened("largest", {{-1, 0}, {1, 0}, {0, 0.5}, {0, -0.5}}, "{whiten: 1}");
  CHECK(at::allclose(largest.pow(2).mean(0), at::tensor({30., 0.}), 0, 1e-5));
  // Other vectors are whitened by the mean and the directions of `statistics`.
  const at::Tensor others = whitened("others", {{9, 1}, {11, 1}, {10, 3}, {10, -1}},
                                     "{whiten: 0.1, variance: 2}", {{10, 1}, {11, 1}, {10, 2}});
  const double wide = std::sqrt(2.0), narrow = std::sqrt(0.5);
  CHECK(at::allclose(others, at::tensor({0., 0., wide, 0., 0., narrow}).view({3, 2}), 0, 1e-6));
  CHECK_THROWS_WITH(infer("normalize_vectors", "{whiten: 0}", {}), Contains("1e-12"));
  CHECK_THROWS_WITH(infer("normalize_vectors", "{whiten: 0.1, per_dimension: true}", {}),
                    Contains("whiten and per_dimension exclude each other"));
}

TEST_CASE("normalize_vectors: both inputs have vectors of one width", "[inference]") {
  const TemporaryFolder folder;
  DatasetWriter writer(folder / "wide",
                       {{.name = "embedding", .kind = ColumnKind::kVector, .shape = {3}}});
  writer.add_numbers(0, std::vector<float>{1, 2, 3});
  writer.end_row();
  writer.finish();
  Inputs inputs;
  inputs.add("data", rows_of(folder / "data", {1}, false));
  inputs.add("statistics", Dataset(folder / "wide"));
  CHECK_THROWS_WITH(infer("normalize_vectors", "{}", inputs),
                    Contains("the vectors of `data` have width 2, those of `statistics` 3"));
}

TEST_CASE("nearest lines: texts of other rows by cosine", "[inference]") {
  const TemporaryFolder folder;
  DatasetWriter writer(folder / "vectors",
                       {{.name = "embedding", .kind = ColumnKind::kVector, .shape = {2}}});
  for (const auto& vector : std::vector<std::vector<float>>{{1, 0}, {9, 1}, {1, 1}, {0, -1}}) {
    writer.add_numbers(0, vector);
    writer.end_row();
  }
  writer.finish();
  Inputs inputs;
  for (const char* input : {"embeddings", "from"}) inputs.add(input, Dataset(folder / "vectors"));
  inputs.add("text", Text({"east", "far east", "northeast", "south"}));
  const auto lines = [&](const std::string& options) {
    const Inferred near = infer("nearest_lines", options, inputs);
    return std::vector<std::string>(near.text.lines().begin(), near.text.lines().end());
  };
  CHECK(lines("{others: true}") ==
        std::vector<std::string>{"far east", "east", "far east", "east"});
  CHECK(lines("{others: true, rank: 3}") ==
        std::vector<std::string>{"south", "south", "south", "northeast"});
  CHECK(lines("{}") == std::vector<std::string>{"east", "far east", "northeast", "south"});
  CHECK_THROWS_AS(lines("{others: true, rank: 4}"), DataError);
}
