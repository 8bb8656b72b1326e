#include "evaluators/diversity/diversity_evaluator.h"

#include <algorithm>

#include "evaluators/text_metrics/diversity.h"

namespace lvtext {

std::vector<Score> diversity_scores(const DiversityOptions& options,
                                    std::span<const TokenIds> samples,
                                    std::span<const TokenIds> train,
                                    const BootstrapOptions& bootstrap) {
  const std::string n = std::to_string(samples.size());
  // Shares of distinct things shrink with the number of sentences, so a resample, which repeats
  // sentences, is no estimate of them: no interval.
  const auto share = [&](const std::string& id, double value, Direction direction,
                         const std::string& how) {
    return Score{.id = id,
                 .value = 100 * value,
                 .unit = "%",
                 .direction = direction,
                 .n = static_cast<int64_t>(samples.size()),
                 .signature = "diversity|" + how + "|n_sentences:" + n + "|version:1"};
  };
  const int order = static_cast<int>(options.order);
  std::vector<double> lengths;
  for (const TokenIds& sample : samples) lengths.push_back(static_cast<double>(sample.size()));
  return {share("distinct", distinct_n(samples, order), Direction::kHigher,
                "distinct|n:" + std::to_string(order) + "|tok:pieces"),
          share("unique", share_unique(samples), Direction::kHigher, "unique"),
          share("copied", share_copied(samples, train), Direction::kLower,
                "copied|train:" + std::to_string(train.size())),
          summarised({.id = "length",
                      .unit = "pieces",
                      .signature = "diversity|length|tok:pieces|n_sentences:" + n + "|version:1",
                      .rows = {"mean", 1, std::move(lengths)}},
                     bootstrap)};
}

std::vector<Score> DiversityEvaluator::evaluate(const EvalInputs& inputs) const {
  const auto count = static_cast<size_t>(options_.samples);
  return diversity_scores(options_, inputs.samples.first(std::min(inputs.samples.size(), count)),
                          inputs.train, inputs.bootstrap);
}

}  // namespace lvtext
