#include "framework/decoding/policy.h"

#include <ATen/ATen.h>

#include <cmath>

#include "framework/model/batch.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

// p(id) for ids 2..5 is .4, .3, .2, .1; padding and the begin mark would be the best by far.
at::Tensor table_scores(int64_t rows) {
  const at::Tensor scores =
      at::tensor({9.0, 9.0, std::log(.4), std::log(.3), std::log(.2), std::log(.1)}).to(at::kFloat);
  return scores.unsqueeze(0).repeat({rows, 1});
}

at::Tensor frequencies(const PolicyOptions& options, int64_t rows) {
  const at::Tensor ids =
      choose_tokens(options, table_scores(rows), at::arange(rows, at::kLong), {.seed = 7}, 3);
  return at::bincount(ids, {}, 6).to(at::kDouble) / static_cast<double>(rows);
}

}  // namespace

TEST_CASE("policy: greedy takes the lowest id among equals and never a begin mark", "[decoding]") {
  const at::Tensor scores =
      at::tensor({9.f, 8.f, 1.f, 3.f, 3.f, 2.f, 9.f, 8.f, 0.f, 0.f, 0.f, 0.f}).view({2, 6});
  const at::Tensor ids = choose_tokens({}, scores, at::arange(2, at::kLong), {}, 0);
  CHECK(ids[0].item<int64_t>() == 3);
  CHECK(ids[1].item<int64_t>() == 2);
}

TEST_CASE("policy: the ends of what is allowed still give distributions", "[decoding]") {
  const at::Tensor scores =
      at::tensor({0.f, 0.f, -1e4f, 1e4f, 3.f, 1e-30f, 0.f, 0.f, 5.f, 5.f, 5.f, 5.f}).view({2, 6});
  for (const double temperature : {kLowestTemperature, 1.0, kHighestTemperature}) {
    for (const PolicyOptions& options :
         {PolicyOptions{.type = Policy::kTemperature, .temperature = temperature},
          PolicyOptions{.type = Policy::kTopK, .temperature = temperature, .k = 1},
          PolicyOptions{.type = Policy::kTopK, .temperature = temperature, .k = INT64_MAX},
          PolicyOptions{.type = Policy::kNucleus, .temperature = temperature, .p = 1e-30},
          PolicyOptions{.type = Policy::kNucleus, .temperature = temperature, .p = 1}}) {
      const at::Tensor sums = policy_probabilities(options, scores).sum(1);
      CHECK(at::allclose(sums, at::ones({2}), 1e-5));
    }
  }
  for (const char* wrong : {"0", "-1", "1e-300", "1e-5", "1e5", ".inf", ".nan"}) {
    Errors errors;
    parse_options<PolicyOptions>(Node::mapping({{"temperature", Node::scalar(wrong), {}}}), errors);
    INFO(wrong);
    CHECK(errors.count() == 1);
  }
}

TEST_CASE("policy: draws follow the distribution that the policy declares", "[decoding]") {
  const int64_t rows = 40000;
  for (const PolicyOptions& options :
       {PolicyOptions{.type = Policy::kTemperature},
        PolicyOptions{.type = Policy::kTemperature, .temperature = 0.5},
        PolicyOptions{.type = Policy::kTopK, .k = 2},
        PolicyOptions{.type = Policy::kNucleus, .p = 0.65}}) {
    const at::Tensor expected = policy_probabilities(options, table_scores(1))[0].to(at::kDouble);
    const at::Tensor found = frequencies(options, rows);
    double chi_square = 0;
    for (int64_t id = 0; id < 6; ++id) {
      const double p = expected[id].item<double>(), f = found[id].item<double>();
      if (p == 0) {
        CHECK(f == 0);
      } else {
        chi_square += static_cast<double>(rows) * (f - p) * (f - p) / p;
      }
    }
    CHECK(chi_square < 20);  // at most 3 degrees of freedom: p < 0.0002
  }
}

TEST_CASE("policy: what top-k and nucleus keep, by hand", "[decoding]") {
  const auto probability = [](PolicyOptions options, int64_t id) {
    return policy_probabilities(options, table_scores(1))[0][id].item<double>();
  };
  const PolicyOptions two{.type = Policy::kTopK, .k = 2};
  CHECK(std::abs(probability(two, 2) - 4.0 / 7) < 1e-6);
  CHECK(std::abs(probability(two, 3) - 3.0 / 7) < 1e-6);
  CHECK(probability(two, 4) == 0);
  // .4 does not reach .65, .4 + .3 does.
  const PolicyOptions nucleus{.type = Policy::kNucleus, .p = 0.65};
  CHECK(std::abs(probability(nucleus, 3) - 3.0 / 7) < 1e-6);
  CHECK(probability(nucleus, 4) == 0);
  const PolicyOptions cold{.type = Policy::kTemperature, .temperature = 0.5};
  CHECK(std::abs(probability(cold, 2) - .16 / .30) < 1e-6);
  CHECK(probability(cold, kBos) == 0);
}

TEST_CASE("policy: equal scores at the edge of top-k are taken by lowest id", "[decoding]") {
  const at::Tensor p = policy_probabilities({.type = Policy::kTopK, .k = 2}, at::zeros({1, 6}))[0];
  CHECK(at::equal(p, at::tensor({0.f, 0.f, .5f, .5f, 0.f, 0.f})));
}
