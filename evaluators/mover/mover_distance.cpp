#include "evaluators/mover/mover_distance.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numeric>

namespace lvtext {
namespace {

constexpr double kEps = 1e-6;  // of the second normalization, as the authors'

std::vector<double> shares(const std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> shares;
  for (const double weight : weights) shares.push_back(weight / sum);
  return shares;
}

}  // namespace

at::Tensor layer_features(const at::Tensor& layers) {
  const at::Tensor wide = layers.to(at::kCPU, at::kDouble);
  const at::Tensor units = wide / wide.norm(2, {2}, /*keepdim=*/true).clamp_min(1e-12);
  return at::cat({units.amin(0), units.mean(0), units.amax(0)}, 1);
}

WeightedVectors token_runs(const WeightedVectors& tokens, int64_t length) {
  const auto count = static_cast<int64_t>(tokens.weights.size());
  const int64_t run = std::min(length, count);
  WeightedVectors runs;
  std::vector<at::Tensor> rows;
  for (int64_t from = 0; from + run <= count && run > 0; ++from) {
    const at::Tensor weights = at::tensor(
        at::ArrayRef<double>(tokens.weights.data() + from, static_cast<size_t>(run)), at::kDouble);
    const double sum = weights.sum().item<double>();
    const at::Tensor vectors = tokens.vectors.narrow(0, from, run);
    rows.push_back(sum > 0 ? (weights.unsqueeze(1) * vectors).sum(0) / sum : vectors.mean(0));
    runs.weights.push_back(sum);
  }
  const at::Tensor means = run == 1       ? tokens.vectors
                           : rows.empty() ? tokens.vectors
                                          : at::stack(rows);
  runs.vectors = means / (means.norm(2, {1}, /*keepdim=*/true) + kEps);
  return runs;
}

double mover_distance(const WeightedVectors& from, const WeightedVectors& to, bool squared,
                      Transport& transport) {
  const auto has_weight = [](const WeightedVectors& text) {
    return std::accumulate(text.weights.begin(), text.weights.end(), 0.0) > 0;
  };
  if (!has_weight(from) || !has_weight(to)) return std::nan("");
  const at::Tensor &x = from.vectors, &y = to.vectors;
  at::Tensor costs = (x.square().sum(1).unsqueeze(1) + y.square().sum(1).unsqueeze(0))
                         .addmm_(x, y.t(), 1, -2)
                         .clamp_min_(0);
  if (!squared) costs.sqrt_();
  costs = costs.contiguous();
  return transport.cost({costs.const_data_ptr<double>(), static_cast<size_t>(costs.numel())},
                        shares(from.weights), shares(to.weights));
}

}  // namespace lvtext
