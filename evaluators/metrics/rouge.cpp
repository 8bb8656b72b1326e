#include "evaluators/metrics/rouge.h"

namespace lvtext {

Rouge rouge_n(const NgramStats& pair, int order) {
  const auto index = static_cast<size_t>(order - 1);
  const auto matches = static_cast<double>(pair.matches[index]);
  const auto reference = static_cast<double>(pair.reference[index]);
  const auto hypothesis = static_cast<double>(pair.hypothesis[index]);
  if (reference == 0) {
    const double score = pair.identical > 0 ? 100 : 0;
    return {score, score, score};
  }
  if (matches == 0) return {};
  return {100 * matches / reference, 100 * matches / hypothesis,
          200 * matches / (reference + hypothesis)};
}

double rouge123_f(const NgramStats& pair) {
  return (rouge_n(pair, 1).f1 + rouge_n(pair, 2).f1 + rouge_n(pair, 3).f1) / 3;
}

std::vector<double> rouge_n_f(std::span<const NgramStats> pairs, int order) {
  std::vector<double> scores;
  scores.reserve(pairs.size());
  for (const NgramStats& pair : pairs) scores.push_back(rouge_n(pair, order).f1);
  return scores;
}

std::vector<double> rouge_n_recall(std::span<const NgramStats> pairs, int order) {
  std::vector<double> scores;
  scores.reserve(pairs.size());
  for (const NgramStats& pair : pairs) scores.push_back(rouge_n(pair, order).recall);
  return scores;
}

std::vector<double> rouge123_f(std::span<const NgramStats> pairs) {
  std::vector<double> scores;
  scores.reserve(pairs.size());
  for (const NgramStats& pair : pairs) scores.push_back(rouge123_f(pair));
  return scores;
}

}  // namespace lvtext
