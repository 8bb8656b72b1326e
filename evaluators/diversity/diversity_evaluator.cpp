#include "evaluators/diversity/diversity_evaluator.h"

#include <algorithm>

#include "evaluators/metrics/diversity.h"
#include "evaluators/text_tokens.h"
#include "framework/core/model/registration.h"

namespace lvtext {

std::vector<InputDecl> DiversityEvaluator::inputs() const {
  return {{.name = "samples",
           .help = "generated text",
           .by_default = reference("row.samples"),
           .rows = options_.samples},
          {.name = "train",
           .help = "training text, to detect copied sentences",
           .by_default = reference("data.train"),
           .arity = InputDecl::Arity::kOptional}};
}

std::vector<Score> DiversityEvaluator::evaluate(const Inputs& inputs) const {
  const Text samples = inputs.text("samples").first(options_.samples);
  const MetricTokens kind = countable(MetricTokens::kSubword, std::span(&samples, 1));
  TokenInterner interner;
  const std::vector<TokenIds> tokens = metric_tokens(samples, kind, interner);
  const std::string tok = "|tok:" + enum_name(kind);
  const std::string end = "|n_sentences:" + std::to_string(samples.size()) +
                          "|version:" + std::to_string(DiversityEvaluator::kRevision);
  // No interval: shares of distinct items decrease with the number of sentences, so bootstrap
  // resamples, which repeat sentences, are biased.
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
  std::vector<Score> scores = {
      share("distinct_n", distinct_n(tokens, order), Direction::kHigher,
            "distinct_n|n:" + std::to_string(order) + tok),
      share("unique", share_unique(samples.lines()), Direction::kHigher, "unique")};
  if (inputs.has("train")) {
    const Text& train = inputs.text("train");
    scores.push_back(share("train_overlap", share_copied(samples.lines(), train.lines()),
                           Direction::kLower,
                           "train_overlap|train:" + std::to_string(train.size())));
  }
  std::vector<double> lengths;
  for (const TokenIds& sentence : tokens) lengths.push_back(static_cast<double>(sentence.size()));
  scores.push_back(summarized({.id = "length",
                               .unit = kind == MetricTokens::kSubword ? "tokens" : "words",
                               .signature = "diversity|length" + tok + end,
                               .rows = {"mean", 1, std::move(lengths)}}));
  return scores;
}

void register_diversity(Registries& registries) {
  add_evaluator<DiversityEvaluator, DiversityOptions>(
      registries, "diversity",
      "Distinct n-grams, unique sentences, overlap with the training set, mean length",
      {"Li, Galley, Brockett, Gao and Dolan 2016", "https://aclanthology.org/N16-1014"});
}

}  // namespace lvtext
