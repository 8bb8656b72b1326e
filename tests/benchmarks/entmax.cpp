#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "framework/core/base/error.h"
#include "framework/core/decoding/distribution.h"
#include "framework/core/nn/entmax.h"
#include "framework/core/nn/output_kernels.h"
#include "framework/core/nn/output_layer.h"
#include "framework/core/nn/sparse_rows.h"
#include "framework/core/nn/transformer.h"
#include "tests/benchmarks/setup.h"

namespace lvtext::benchmarks {
namespace {

using Answer = nlohmann::ordered_json;

/// The loss and its gradient for the scores, by the function for any scores.
Answer loss(const TensorMap& data, double alpha) {
  const at::Tensor scores = data.at("scores").detach().requires_grad_();
  const at::Tensor sum = entmax_loss(scores, data.at("targets"), alpha).sum();
  sum.backward();
  return {{"value", sum.item<double>()}, {"gradient", scores.grad().norm().item<double>()}};
}

/// The same by the output layer's kernels, which overwrite the scores; the gradient of entmax is
/// made sparse.
Answer kernel(const TensorMap& data, double alpha) {
  const at::NoGradGuard no_grad;
  const at::Tensor scores = data.at("scores").clone(), scale = at::ones({scores.size(0)});
  const RowResults results{.loss = at::empty({scores.size(0)})};
  if (alpha == 1) {
    softmax_chunk(scores, {}, data.at("targets"), scale, results);
    return {{"value", results.loss.sum().item<double>()}};
  }
  entmax_chunk(scores, {}, data.at("targets"), alpha, scale, results);
  const SparseRows<float> gradient = sparse_rows<float>(scores);
  return {
      {"value", results.loss.sum().item<double>()},
      {"density", static_cast<double>(gradient.ids.size()) / static_cast<double>(scores.numel())}};
}

/// The likelihood of hidden states and a table, with the gradients of both.
Answer head(const TensorMap& data) {
  const at::Tensor hidden = data.at("hidden").detach().requires_grad_();
  const at::Tensor weight = data.at("weight").detach().requires_grad_();
  const at::Tensor sum = output_loss_sum(hidden, weight, {}, data.at("targets"));
  sum.backward();
  return {{"value", sum.item<double>()},
          {"gradient", hidden.grad().norm().item<double>()},
          {"table", weight.grad().norm().item<double>()}};
}

PolicyOptions policy(Policy type, double value = 1) {
  PolicyOptions options;
  options.type = type;
  (type == Policy::kNucleus ? options.p : options.temperature) = value;
  if (type == Policy::kTopK) options = {.type = type, .k = static_cast<int64_t>(value)};
  return options;
}

/// The policies of a table of the paper for one model, with their grids.
std::vector<PolicyOptions> paper_policies() {
  std::vector<PolicyOptions> all = {{}, policy(Policy::kTemperature)};
  for (const double t : {.7, .8, .9, .95, .97}) all.push_back(policy(Policy::kTemperature, t));
  for (const double k : {5, 10, 20, 50, 100}) all.push_back(policy(Policy::kTopK, k));
  for (const double p : {.5, .8, .85, .9, .95, .97}) all.push_back(policy(Policy::kNucleus, p));
  all.push_back({.type = Policy::kTemperature, .alpha = 1.2});
  return all;
}

/// A token of each row, and the size of the distribution that it is drawn from.
Answer sample(const TensorMap& data, const PolicyOptions& options) {
  const at::Tensor& scores = data.at("scores");
  const at::Tensor ids = at::arange(scores.size(0));
  return {{"value", choose_tokens(options, {}, {}, scores, ids, {}, 0).sum().item<double>()}};
}

/// Not timed: what the samples are drawn from.
Answer support(const TensorMap& data, const PolicyOptions& options) {
  const at::Tensor& scores = data.at("scores");
  const at::Tensor ids = at::arange(scores.size(0));
  const PolicyRows rows = policy_rows(std::vector{options}, {}, {}, scores, data.at("targets"), ids,
                                      at::zeros_like(ids), {})[0];
  return {{"support", rows.support.sum().item<double>()},
          {"squares", rows.squares.sum().item<double>()}};
}

/// The layers of a small language model; their result is not used, so that the scores are those of
/// the file.
at::Tensor after_layers(const at::Tensor& hidden) {
  constexpr int64_t kLayers = 6, kHeads = 8;
  static const std::vector<std::shared_ptr<TransformerBlock>> layers = [&] {
    std::vector<std::shared_ptr<TransformerBlock>> all;
    const int64_t width = hidden.size(1);
    for (int64_t layer = 0; layer < kLayers; ++layer) {
      all.push_back(std::make_shared<TransformerBlock>(
          Init{.seed = 1}, TransformerLayout{.width = width, .heads = kHeads, .inner = 4 * width}));
    }
    return all;
  }();
  at::Tensor x = hidden.unsqueeze(0);
  for (const auto& layer : layers) x = layer->forward(x, {}, nullptr, "layer");
  return hidden + 0 * x.squeeze(0);
}

/// What is known of the targets of a text, from one pass of a model of six layers: with the output
/// layer's loss, or under all policies.
Answer records(const TensorMap& data, bool all) {
  const at::NoGradGuard no_grad;
  const at::Tensor hidden = after_layers(data.at("hidden"));
  const at::Tensor& weight = data.at("weight");
  if (!all) {
    const OutputRows rows = output_rows(hidden, weight, {}, data.at("targets"));
    return {{"value", rows.probability.sum().item<double>()}};
  }
  static const std::vector<PolicyOptions> policies = paper_policies();
  const at::Tensor ids = at::arange(hidden.size(0));
  const auto rows =
      policy_rows(policies, {}, {}, hidden.matmul(weight.t()), data.at("targets"), ids, ids, {});
  return {{"value", rows[1].probability.sum().item<double>()}};
}

std::function<Answer()> task(const TensorMap& data, const std::string& name, double alpha) {
  if (name == "loss") return [&data, alpha] { return loss(data, alpha); };
  if (name == "kernel") return [&data, alpha] { return kernel(data, alpha); };
  if (name == "head") return [&data] { return head(data); };
  if (name == "nucleus") return [&data] { return sample(data, policy(Policy::kNucleus, .9)); };
  if (name == "top") return [&data] { return sample(data, policy(Policy::kTopK, 50)); };
  if (name == "nucleus_of") return [&data] { return support(data, policy(Policy::kNucleus, .9)); };
  if (name == "top_of") return [&data] { return support(data, policy(Policy::kTopK, 50)); };
  if (name == "targets") return [&data] { return records(data, false); };
  if (name == "policies") return [&data] { return records(data, true); };
  throw UsageError("'" + name + "': unknown task");
}

}  // namespace

void serve_entmax() {
  std::string file, name, line;
  for (TensorMap data; std::getline(std::cin, line);) {
    double alpha = 1;
    int64_t count = 1;
    std::string next;
    std::istringstream(line) >> next >> name >> alpha >> count;
    if (next != file) data = read_safetensors(file = next).tensors;
    const std::function<Answer()> run = task(data, name, alpha);
    run();
    const Clock before = now();
    Answer answer;
    for (int64_t i = 0; i < count; ++i) answer = run();
    const Clock after = now();
    answer["seconds"] = (after.wall - before.wall) / static_cast<double>(count);
    answer["cpu"] = (after.cpu - before.cpu) / static_cast<double>(count);
    std::cout << answer.dump() << std::endl;
  }
}

}  // namespace lvtext::benchmarks
