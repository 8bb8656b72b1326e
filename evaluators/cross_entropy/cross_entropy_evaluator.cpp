#include "evaluators/cross_entropy/cross_entropy_evaluator.h"

#include <algorithm>

#include "framework/base/error.h"
#include "framework/decoding/over_sentences.h"

namespace lvtext {

std::vector<std::string> cross_entropy_ids() {
  return {"nats_per_sentence", "nats_per_token", "bits_per_token", "perplexity"};
}

std::vector<Score> cross_entropy_scores(const std::string& name, const std::string& pieces,
                                        std::span<const TokenIds> sentences,
                                        std::vector<double> nats,
                                        const BootstrapOptions& bootstrap) {
  LVT_ASSERT(sentences.size() == nats.size(), "one number per sentence");
  std::vector<double> with_tokens;
  for (size_t i = 0; i < nats.size(); ++i) {
    with_tokens.push_back(nats[i]);
    with_tokens.push_back(static_cast<double>(sentences[i].size() + 1));
  }
  const auto score = [&](const std::string& id, const std::string& unit, SentenceRows rows) {
    return summarised(
        {.id = id,
         .unit = unit,
         .direction = Direction::kLower,
         .signature = name + "|unit:" + id + "|tok:pieces," + pieces +
                      "|end:counted|n_sentences:" + std::to_string(nats.size()) + "|version:2",
         .rows = std::move(rows)},
        bootstrap);
  };
  return {score("nats_per_sentence", "nats/sentence", {"mean", 1, nats}),
          score("nats_per_token", "nats/token", {"ratio", 2, with_tokens}),
          score("bits_per_token", "bits/token", {"bits_ratio", 2, with_tokens}),
          score("perplexity", "", {"exp_ratio", 2, with_tokens})};
}

std::vector<Score> ForwardCrossEntropy::evaluate(const EvalInputs& inputs) const {
  const EvalLanguageModel& lm = inputs.language_model;
  return cross_entropy_scores(
      "forward_cross_entropy|lm_sentences:" + std::to_string(lm.sentences), inputs.pieces,
      inputs.test, sentence_nats(*lm.model, inputs.test, options_.batch), inputs.bootstrap);
}

std::vector<Score> ReverseCrossEntropy::evaluate(const EvalInputs& inputs) const {
  const auto count = static_cast<size_t>(options_.samples);
  const auto scored = inputs.samples.first(std::min(inputs.samples.size(), count));
  const EvalLanguageModel& lm = inputs.language_model;
  return cross_entropy_scores(
      "reverse_cross_entropy|lm:" + lm.identity + ",sentences:" + std::to_string(lm.sentences),
      inputs.pieces, scored, sentence_nats(*lm.model, scored, options_.batch), inputs.bootstrap);
}

}  // namespace lvtext
