#include "evaluators/text_metrics/bleu.h"

#include <cmath>

namespace lvtext {

double bleu_of_row(std::span<const double> row, int orders) {
  const auto n = static_cast<size_t>(orders);
  const double hypothesis_length = row[2 * n];
  const double reference_length = row[2 * n + 1];
  if (hypothesis_length == 0) return 0;
  double log_precisions = 0;
  for (size_t i = 0; i < n; ++i) {
    if (row[i] == 0) return 0;
    log_precisions += std::log(row[i] / row[n + i]);
  }
  const double log_penalty =
      hypothesis_length > reference_length ? 0 : 1 - reference_length / hypothesis_length;
  return 100 * std::exp(log_precisions / orders + log_penalty);
}

double bleu(const NgramStats& stats, int orders) {
  return bleu_of_row(bleu_rows({&stats, 1}, orders), orders);
}

double corpus_bleu(std::span<const NgramStats> pairs, int orders) {
  return bleu(total(pairs), orders);
}

std::vector<double> sentence_bleu(std::span<const NgramStats> pairs, int orders) {
  std::vector<double> scores;
  scores.reserve(pairs.size());
  for (const NgramStats& pair : pairs) scores.push_back(bleu(pair, orders));
  return scores;
}

std::vector<double> bleu_rows(std::span<const NgramStats> pairs, int orders) {
  const auto n = static_cast<size_t>(orders);
  std::vector<double> rows;
  rows.reserve(pairs.size() * (2 * n + 2));
  for (const NgramStats& pair : pairs) {
    for (size_t i = 0; i < n; ++i) rows.push_back(static_cast<double>(pair.matches[i]));
    for (size_t i = 0; i < n; ++i) rows.push_back(static_cast<double>(pair.hypothesis[i]));
    rows.push_back(static_cast<double>(pair.hypothesis_length));
    rows.push_back(static_cast<double>(pair.reference_length));
  }
  return rows;
}

}  // namespace lvtext
