#include "evaluators/diversity/diversity_evaluator.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

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
  const auto signature = [&](const std::string& how) { return "diversity|" + how + end; };
  // Mean of one value per sentence, in percent.
  const auto share = [&](const std::string& id, std::vector<double> values, Direction direction,
                         const std::string& how) {
    for (double& value : values) value *= 100;
    Score score = summarized({.id = id,
                              .unit = "%",
                              .direction = direction,
                              .signature = signature(how),
                              .rows = {"mean", 1, std::move(values)}});
    if (score.interval) {
      score.interval = {std::max(0.0, score.interval->lo), std::min(100.0, score.interval->hi)};
    }
    return score;
  };
  const int order = static_cast<int>(options_.order);
  // No interval for distinct_n: the share of distinct n-grams decreases with the number of
  // sentences, so that bootstrap resamples, which repeat sentences, are biased.
  std::vector<Score> scores = {
      {.id = "distinct_n",
       .value = 100 * distinct_n(tokens, order),
       .unit = "%",
       .direction = Direction::kHigher,
       .n = static_cast<int64_t>(samples.size()),
       .signature = signature("distinct_n|n:" + std::to_string(order) + tok),
       .real_is_best = true},
      share("unique", distinct_values(samples.lines()), Direction::kHigher, "unique")};
  scores.back().real_is_best = true;
  if (std::isnan(scores.front().value)) {
    scores.front().reason = "no sentence has " + std::to_string(order) + " tokens";
  }
  if (inputs.has("train")) {
    const Text& train = inputs.text("train");
    scores.push_back(share("train_overlap", train_overlap_values(samples.lines(), train.lines()),
                           Direction::kLower,
                           "train_overlap|train:" + std::to_string(train.size()) +
                               compared_signature(std::span(&train, 1))));
  }
  std::vector<double> lengths;
  for (const TokenIds& sentence : tokens) lengths.push_back(static_cast<double>(sentence.size()));
  scores.push_back(summarized({.id = "length",
                               .unit = kind == MetricTokens::kSubword ? "tokens" : "words",
                               .signature = signature("length" + tok),
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
