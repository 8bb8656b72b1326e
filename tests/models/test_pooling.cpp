// Sentences as pooled word vectors.
#include "models/pooling/pooling.h"

#include <ATen/ATen.h>

#include "framework/core/options/yaml.h"
#include "framework/core/tensor/philox.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

class Vectors : public Model, public WordVectors {
 public:
  explicit Vectors(at::Tensor vectors) : vectors_(std::move(vectors)) {}
  at::Tensor vectors() const override { return vectors_; }

 private:
  at::Tensor vectors_;
};

std::shared_ptr<Pooling> pooled(const PoolingOptions& options, const at::Tensor& vectors) {
  Inputs inputs;
  inputs.add("vectors", {.component = "vectors", .model = std::make_shared<Vectors>(vectors)});
  auto model = std::make_shared<Pooling>(options, ModelInputs{});
  model->fit(inputs, [](const std::string&) {});
  return model;
}

/// Id 1 is "clear", 2 is "lungs".
const at::Tensor kWords = at::tensor({9.f, 9.f, 1.f, 2.f, .5f, -1.f}).view({3, 2});

/// The vectors of "clear lungs", "lungs clear", "" and "lungs".
std::vector<at::Tensor> embedded(const PoolingOptions& options) {
  return pooled(options, kWords)->embed(pad_sentences({{1, 2}, {2, 1}, {}, {2}})).unbind();
}

void check(const at::Tensor& vector, const std::vector<float>& expected) {
  CHECK(at::equal(vector, at::tensor(expected)));
}

}  // namespace

TEST_CASE("pooling: sum, mean, maximum and concatenation", "[pooling]") {
  const auto sum = embedded({.pool = {Pool::kSum}});
  check(sum[0], {1.5, 1});
  check(sum[1], {1.5, 1});
  check(sum[2], {0, 0});
  check(sum[3], {.5, -1});
  check(embedded({.pool = {Pool::kMean}})[0], {.75, .5});
  check(embedded({})[2], {0, 0});
  const auto largest = embedded({.pool = {Pool::kMax}});
  check(largest[0], {1, 2});
  check(largest[2], {0, 0});
  check(largest[3], {.5, -1});
  const auto concat = embedded({.pool = {Pool::kConcat}, .positions = 3});
  check(concat[0], {1, 2, .5, -1, 0, 0});
  check(concat[1], {.5, -1, 1, 2, 0, 0});
  check(concat[2], {0, 0, 0, 0, 0, 0});
  check(embedded({.pool = {Pool::kConcat}, .positions = 1})[0], {1, 2});
  const auto both = embedded({.pool = {Pool::kConcat, Pool::kSum}, .positions = 1});
  check(both[1], {.5, -1, 1.5, 1});
  check(both[2], {0, 0, 0, 0});
}

TEST_CASE("pooling: permuted sentences have the same bits, in any batch", "[pooling]") {
  const at::Tensor words = normal({.seed = 1}, at::arange(50), {20}, at::kFloat) *
                           normal({.seed = 2}, at::arange(50), {20}, at::kFloat).exp();
  for (const Pool pool : {Pool::kSum, Pool::kMean}) {
    const auto model = pooled({.pool = {pool}}, words);
    const TokenIds one = {3, 41, 7, 7, 22, 48, 11, 5, 30};
    const TokenIds two = {48, 7, 5, 41, 30, 22, 7, 3, 11};
    const at::Tensor vectors = model->embed(pad_sentences({one, two, TokenIds(31, 4)}));
    CHECK(at::equal(vectors[0], vectors[1]));
    CHECK(at::equal(vectors[1], model->embed(pad_sentences({two}))[0]));
    const at::Tensor exact =
        words.to(at::kDouble).index_select(0, at::tensor({3, 5, 7, 7, 11, 22, 30, 41, 48})).sum(0);
    const double divisor = pool == Pool::kMean ? 9 : 1;
    CHECK(at::allclose(vectors[0].to(at::kDouble), exact / divisor, 1e-6, 1e-7));
  }
}

TEST_CASE("pooling: sizes and options", "[pooling]") {
  CHECK(pooled({}, kWords)->embedding_size() == 2);
  const auto concat = pooled({.pool = {Pool::kConcat}, .positions = 30}, at::zeros({4, 10}));
  CHECK(concat->embedding_size() == 300);
  CHECK(concat->embedding_signature() == "pool:concat:30");
  for (const std::string wrong : {"{pool: concat}", "{pool: [sum, max], positions: 3}"}) {
    Errors errors;
    parse_options<PoolingOptions>(parse_yaml_or_throw(wrong, "test"), errors);
    CHECK(errors.count() == 1);
  }
}

namespace {

PoolingOptions options_of(const std::string& yaml) {
  Errors errors;
  const PoolingOptions options =
      parse_options<PoolingOptions>(parse_yaml_or_throw(yaml, "test"), errors);
  errors.throw_if_any();
  return options;
}

/// The vectors of the sentences of the ids 1 to 4 and 1 to 2 (Vec2Sent's specification, 7.4).
at::Tensor of_case(const std::string& yaml) {
  const at::Tensor words =
      at::tensor({9., 9., 9., 1., -2., 0., 3., 0., 1., -1., 4., 2., 2., 1., -3.}).view({5, 3});
  return pooled(options_of(yaml), words)->embed(pad_sentences({{1, 2, 3, 4}, {1, 2}, {}}));
}

void check_near(const at::Tensor& vector, const std::vector<double>& expected) {
  CHECK(at::allclose(vector.to(at::kDouble), at::tensor(expected, at::kDouble), 0, 1e-6));
}

}  // namespace

TEST_CASE("pooling: minimum and windows of consecutive words", "[pooling]") {
  check_near(of_case("{pool: [min]}")[0], {-1, -2, -3});
  const at::Tensor hier = of_case("{pool: [hier]}");
  check_near(hier[0], {4. / 3, 5. / 3, 1});
  check_near(hier[1], {3, 0, 1});  // shorter than a window: the maximum, not the mean
  check_near(hier[2], {0, 0, 0});
  check_near(of_case("{pool: [hier], window: 4}")[0], {1.25, .75, 0});
  check_near(of_case("{pool: [hier], window: 1}")[0], {3, 4, 2});
  check_near(of_case("{pool: [hier, mean, max]}")[0], {4. / 3, 5. / 3, 1, 1.25, .75, 0, 3, 4, 2});
  // The order of words matters, unlike in all others but concat.
  const at::Tensor words = at::tensor({0., 1., 2., 3., 4., 9.}).view({6, 1});
  const at::Tensor vectors = pooled(options_of("{pool: [hier]}"), words)
                                 ->embed(pad_sentences({{1, 5, 2, 3}, {5, 1, 2, 3}}));
  check_near(vectors.squeeze(1), {14. / 3, 4});
}

TEST_CASE("pooling: power means with both roots", "[pooling]") {
  check_near(of_case("{pool: [power], powers: [3]}")[0], {2.06064265, 2.42440379, .82548181});
  check_near(of_case("{pool: [power], powers: [3], root: signed}")[0],
             {2.06064265, 2.42440379, -1.65096362});
  check_near(of_case("{pool: [power], powers: [2], root: signed}")[0],
             {1.93649167, 2.29128785, 1.87082869});
  const at::Tensor both = of_case("{pool: [power, min], powers: [2, 3]}");
  check_near(both[0],
             {1.93649167, 2.29128785, 1.87082869, 2.06064265, 2.42440379, .82548181, -1, -2, -3});
  check_near(both[2], {0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("pooling: options of windows and powers", "[pooling]") {
  const auto model = pooled(options_of("{pool: [hier, power], powers: [2, 3]}"), kWords);
  CHECK(model->embedding_size() == 6);
  CHECK(model->embedding_signature() == "pool:hier3:power2,3,principal");
  for (const std::string wrong :
       {"{pool: mean, window: 3}", "{pool: power}", "{pool: power, powers: []}",
        "{pool: mean, powers: [2]}", "{pool: max, root: signed}"}) {
    Errors errors;
    parse_options<PoolingOptions>(parse_yaml_or_throw(wrong, "test"), errors);
    INFO(wrong);
    CHECK(errors.count() == 1);
  }
}
