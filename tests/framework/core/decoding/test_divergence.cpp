// The generalized Jensen-Shannon divergence of token policies.
#include "framework/core/decoding/divergence.h"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "tests/catch.h"

using namespace lvtext;

namespace {

/// Models whose softmax gives these probabilities at one row.
std::vector<PoliciesOfModel> models(const std::vector<std::vector<double>>& rows) {
  std::vector<PoliciesOfModel> all;
  for (const auto& p : rows) {
    const at::Tensor scores = at::tensor(p, at::kDouble).log().to(at::kFloat).unsqueeze(0);
    all.push_back({{{.type = Policy::kTemperature}}, {}, scores});
  }
  return all;
}

double divergence(const std::vector<std::vector<double>>& rows) {
  return policy_divergences(models(rows), at::zeros({1}, at::kLong)).divergence.item<double>();
}

}  // namespace

TEST_CASE("divergence: known distributions", "[decoding]") {
  CHECK(divergence({{.5, .3, .2, 0}, {.6, .4, 0, 0}, {1, 0, 0, 0}}) ==
        Approx(.20222127).margin(1e-7));
  CHECK(divergence({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) == Approx(1.09861229).margin(1e-7));
  CHECK(divergence({{.2, .8}, {.2, .8}}) == Approx(0).margin(1e-7));
}

TEST_CASE("divergence: equal to the formula for all policies of two models", "[decoding]") {
  const int64_t rows = 40, vocabulary = 300;
  const auto scores = [&](uint64_t seed) {
    return 3 * normal({.seed = seed}, at::arange(rows), {vocabulary}, at::kFloat);
  };
  const std::vector<PoliciesOfModel> given = {
      {{{.type = Policy::kTemperature},
        {.type = Policy::kTemperature, .temperature = 0.7},
        {.type = Policy::kGreedy},
        {.type = Policy::kTopK, .k = 20},
        {.type = Policy::kNucleus, .p = 0.9}},
       {},
       scores(1)},
      {{{.type = Policy::kTemperature}}, {.alpha = 1.3}, scores(2)}};
  const at::Tensor targets = at::arange(rows) * 7;
  const Divergences found = policy_divergences(given, targets);
  std::vector<at::Tensor> all;
  for (const PoliciesOfModel& model : given) {
    for (const PolicyOptions& policy : model.policies) {
      const Candidates from = candidates(policy, model.map, {}, model.scores);
      all.push_back(at::zeros({rows, vocabulary}, at::kDouble)
                        .scatter_add_(1, from.ids, from.probabilities.to(at::kDouble)));
    }
  }
  const at::Tensor p = at::stack(all), mean = p.mean(0);
  const at::Tensor expected = at::xlogy(p, p).sum(2).mean(0) - at::xlogy(mean, mean).sum(1);
  CHECK((found.divergence - expected).abs().max().item<double>() < 1e-5);
  const at::Tensor of_targets = p.gather(2, targets.view({1, rows, 1}).expand({6, rows, 1}));
  CHECK((found.probabilities - of_targets.squeeze(2).t()).abs().max().item<double>() < 1e-6);
  CHECK(found.divergence.min().item<double>() > 0);
  CHECK(found.divergence.max().item<double>() < std::log(6));
}

TEST_CASE("divergence: NaN at rows with scores that are not finite", "[decoding]") {
  auto given = models({{.5, .5}, {.5, .5}});
  given[1].scores = at::full({1, 2}, NAN);
  const Divergences found = policy_divergences(given, at::zeros({1}, at::kLong));
  CHECK(std::isnan(found.divergence.item<double>()));
  CHECK(found.probabilities.isnan().all().item<bool>());
}
