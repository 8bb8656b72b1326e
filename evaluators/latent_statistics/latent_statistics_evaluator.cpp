#include "evaluators/latent_statistics/latent_statistics_evaluator.h"

#include <ATen/ATen.h>

#include "framework/core/base/strings.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/model/registration.h"

namespace lvtext {

int64_t active_units(const at::Tensor& means, double threshold) {
  if (means.size(0) < 2) return 0;
  return (means.to(at::kDouble).var(0) > threshold).sum().item<int64_t>();
}

std::vector<InputDecl> LatentStatisticsEvaluator::inputs() const {
  return {model_input("model whose latent vectors are evaluated", {Encoder::kName}),
          {.name = "text", .help = "sentences to encode", .by_default = reference("data.test")}};
}

std::vector<Score> LatentStatisticsEvaluator::evaluate(const Inputs& inputs) const {
  auto& encoder = inputs.serve<Encoder>("model");
  const std::vector<TokenIds> sentences = ids_for(inputs.model("model"), inputs.text("text"));
  const std::string end = "|n_sentences:" + std::to_string(sentences.size()) +
                          "|version:" + std::to_string(LatentStatisticsEvaluator::kRevision);
  const at::Tensor means = posterior_means(encoder, sentences, options_.batch);
  std::vector<Score> scores = {
      {.id = "active_units",
       .value = static_cast<double>(active_units(means, options_.threshold)),
       .unit = "of " + std::to_string(encoder.latent_size()),
       .direction = Direction::kHigher,
       .n = means.size(0),
       .signature =
           "latent_statistics|active_units|variance>" + format_number(options_.threshold) + end},
      summarized({.id = "radius",
                  .signature = "latent_statistics|radius" + end,
                  .rows = {"mean", 1, to_doubles(means.norm(2, 1))}})};
  std::vector<double> kl(sentences.size());
  bool has_density = !sentences.empty();
  for_each_batch(sentences, options_.batch, [&](const Tokens& tokens, const at::Tensor& indices) {
    if (!has_density) return;
    const auto values = encoder.posterior_kl(tokens);
    has_density = values.has_value();
    if (!has_density) return;
    const std::vector<double> each = to_doubles(*values);
    for (size_t i = 0; i < each.size(); ++i) kl[indices.const_data_ptr<int64_t>()[i]] = each[i];
  });
  if (has_density) {
    scores.push_back(summarized({.id = "kl",
                                 .unit = "nats/sentence",
                                 .signature = "latent_statistics|kl" + end,
                                 .rows = {"mean", 1, std::move(kl)}}));
  }
  return scores;
}

void register_latent_statistics(Registries& registries) {
  add_evaluator<LatentStatisticsEvaluator, LatentStatisticsOptions>(
      registries, "latent_statistics",
      "Active units, radius and KL of the latent vectors of the test set",
      {"Burda, Grosse and Salakhutdinov 2016", "https://arxiv.org/abs/1509.00519"});
}

}  // namespace lvtext
