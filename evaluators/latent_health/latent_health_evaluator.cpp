#include "evaluators/latent_health/latent_health_evaluator.h"

#include <ATen/ATen.h>

#include "framework/base/strings.h"
#include "framework/decoding/batching.h"
#include "framework/decoding/over_sentences.h"

namespace lvtext {

int64_t active_units(const at::Tensor& means, double threshold) {
  if (means.size(0) < 2) return 0;
  return (means.to(at::kDouble).var(0) > threshold).sum().item<int64_t>();
}

std::vector<Score> LatentHealthEvaluator::evaluate(const EvalInputs& inputs) const {
  const std::string end = "|n_sentences:" + std::to_string(inputs.test.size()) + "|version:1";
  const at::Tensor means = posterior_means(*inputs.encodes, inputs.test, options_.batch);
  std::vector<Score> scores = {
      {.id = "active_units",
       .value = static_cast<double>(active_units(means, options_.threshold)),
       .unit = "of " + std::to_string(inputs.encodes->latent_size()),
       .direction = Direction::kHigher,
       .n = means.size(0),
       .signature =
           "latent_health|active_units|variance>" + format_number(options_.threshold) + end},
      summarised({.id = "radius",
                  .signature = "latent_health|radius" + end,
                  .rows = {"mean", 1, to_doubles(means.norm(2, 1))}},
                 inputs.bootstrap)};
  std::vector<double> kl(inputs.test.size());
  bool has_density = !inputs.test.empty();
  for_each_batch(inputs.test, options_.batch, [&](const Tokens& tokens, const at::Tensor& places) {
    if (!has_density) return;
    const auto values = inputs.encodes->posterior_kl(tokens);
    has_density = values.has_value();
    if (!has_density) return;
    const std::vector<double> each = to_doubles(*values);
    for (size_t i = 0; i < each.size(); ++i) kl[places.const_data_ptr<int64_t>()[i]] = each[i];
  });
  if (has_density) {
    scores.push_back(summarised({.id = "kl",
                                 .unit = "nats/sentence",
                                 .signature = "latent_health|kl" + end,
                                 .rows = {"mean", 1, std::move(kl)}},
                                inputs.bootstrap));
  }
  return scores;
}

}  // namespace lvtext
