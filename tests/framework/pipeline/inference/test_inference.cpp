// Inference components on inputs whose results can be computed by hand.
#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/philox.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/nearest.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/inference/shared/tsne.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

at::Tensor rows(const std::vector<double>& values, int64_t width) {
  return at::tensor(values, at::kDouble).reshape({-1, width});
}

std::vector<int64_t> sentences_of(const std::vector<Neighbor>& neighbors) {
  std::vector<int64_t> ids;
  for (const auto& each : neighbors) ids.push_back(each.sentence);
  return ids;
}

/// Output of posterior_draws for `sentences` sentences, 10 draws each.
Inputs draws_of(int64_t sentences, double last = 0) {
  const at::Tensor centers = normal({.seed = 1}, at::arange(sentences), {4}, at::kDouble);
  at::Tensor points = centers.repeat_interleave(10, 0) +
                      0.1 * normal({.seed = 2}, at::arange(10 * sentences), {4}, at::kDouble);
  points[-1][-1] += last;
  Inputs inputs;
  inputs.add("draws", {{"points", points}, {"sentence_ids", 100 + at::arange(sentences)}});
  return inputs;
}

Inferred lay_out(const std::string& options, const Inputs& inputs) {
  Registries registries;
  register_all_inference(registries);
  return registries.inference.get("tsne_layout")
      .configure(parse_yaml_or_throw(options, "test"))
      .inference->run(inputs, [](const std::string&) {});
}

}  // namespace

TEST_CASE("neighbors: nearest first, ties broken by the lower row", "[inference]") {
  const at::Tensor latents = rows({0, 0, 3, 4, 1, 0, 0, -1, -1, 0, 0, 0}, 2);
  const auto near = nearest_rows(latents, 0, 4, false);
  CHECK(sentences_of(near) == std::vector<int64_t>{5, 2, 3, 4});
  CHECK(near[0].distance == 0);
  CHECK(near[1].distance == 1);
  const auto all = nearest_rows(latents, 0, 100, false);
  CHECK(all.size() == 5);
  CHECK(all.back().distance == 5);
}

TEST_CASE("neighbors: 1 - cosine on the sphere", "[inference]") {
  const at::Tensor latents = rows({1, 0, -1, 0, 0, 1, 0.6, 0.8, 0, -1}, 2);
  const auto near = nearest_rows(latents, 0, 4, true);
  CHECK(sentences_of(near) == std::vector<int64_t>{3, 2, 4, 1});
  CHECK(near[0].distance == Approx(0.4));
  CHECK(near[3].distance == Approx(2));
}

TEST_CASE("t-SNE: the layout of the draws, with their sentences", "[inference]") {
  const TsneOptions options{.perplexity = 8, .iterations = 60, .learning_rate = 20};
  const Inputs inputs = draws_of(3);
  const auto laid_out =
      lay_out("{perplexity: 8, iterations: 60, learning_rate: 20, seed: 5}", inputs).tensors;
  const at::Tensor given = inputs.tensors("draws").at("points");
  const auto expected =
      tsne({given.const_data_ptr<double>(), size_t(given.numel())}, 30, options, tsne_start(30, 5));
  CHECK(at::equal(laid_out.at("layout"), at::tensor(expected, at::kDouble).view({30, 2})));
  CHECK(at::equal(laid_out.at("sentence_ids"), at::tensor({100, 101, 102}, at::kLong)));
}

TEST_CASE("t-SNE: divergence because of the learning rate is reported as an error", "[inference]") {
  for (const std::string rate : {"1e6", "1e30"}) {
    try {
      lay_out("{perplexity: 8, iterations: 60, learning_rate: " + rate + "}", draws_of(3));
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Contains("reduce the learning_rate"));
    }
  }
}

TEST_CASE("t-SNE: reports why it cannot compute a layout", "[inference]") {
  CHECK_THROWS_WITH(
      lay_out("{perplexity: 30}", draws_of(3)),
      Contains("30 points of 3 sentences; perplexity 30 must be less than the number of points"));
  CHECK_THROWS_WITH(lay_out("{perplexity: 30}", draws_of(5, INFINITY)),
                    Contains("the model has diverged"));
}
