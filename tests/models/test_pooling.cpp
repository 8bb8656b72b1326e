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
