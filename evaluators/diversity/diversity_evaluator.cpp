#include "evaluators/diversity/diversity_evaluator.h"

#include <algorithm>

#include "evaluators/text_metrics/diversity.h"

namespace lvtext {

namespace {

/// One text may be written in different tokens.
std::vector<std::string> texts_of(std::span<const TokenIds> sentences, const EvalInputs& inputs) {
  std::vector<std::string> texts;
  texts.reserve(sentences.size());
  for (const TokenIds& sentence : sentences) texts.push_back(inputs.to_text(sentence));
  return texts;
}

}  // namespace

std::vector<Score> DiversityEvaluator::evaluate(const EvalInputs& inputs) const {
  const size_t wanted = std::min(inputs.samples.size(), static_cast<size_t>(options_.samples));
  const std::span<const TokenIds> samples = inputs.samples.first(wanted);
  const std::vector<std::string> texts = texts_of(samples, inputs);
  const std::string end = "|n_sentences:" + std::to_string(samples.size()) + "|version:2";
  // Shares of distinct things shrink with the number of sentences, so a resample, which repeats
  // sentences, is no estimate of them: no interval.
  const auto share = [&](const std::string& id, double value, Direction direction,
                         const std::string& how) {
    return Score{.id = id,
                 .value = 100 * value,
                 .unit = "%",
                 .direction = direction,
                 .n = static_cast<int64_t>(samples.size()),
                 .signature = "diversity|" + how + end};
  };
  const int order = static_cast<int>(options_.order);
  std::vector<double> lengths;
  for (const TokenIds& sample : samples) lengths.push_back(static_cast<double>(sample.size()));
  return {share("distinct", distinct_n(samples, order), Direction::kHigher,
                "distinct|n:" + std::to_string(order) + "|tok:pieces"),
          share("unique", share_unique(texts), Direction::kHigher, "unique"),
          share("copied", share_copied(texts, texts_of(inputs.train, inputs)), Direction::kLower,
                "copied|train:" + std::to_string(inputs.train.size())),
          summarised({.id = "length",
                      .unit = "pieces",
                      .signature = "diversity|length|tok:pieces" + end,
                      .rows = {"mean", 1, std::move(lengths)}},
                     inputs.bootstrap)};
}

}  // namespace lvtext
