#include "evaluators/text_metrics/bleu.h"

#include <array>
#include <cmath>

namespace lvtext {
namespace {

size_t row_width(int orders) {
  return 2 * static_cast<size_t>(orders) + 2;
}

void write_row(const NgramStats& pair, int orders, std::span<double> row) {
  const auto n = static_cast<size_t>(orders);
  for (size_t i = 0; i < n; ++i) {
    row[i] = static_cast<double>(pair.matches[i]);
    row[n + i] = static_cast<double>(pair.hypothesis[i]);
  }
  row[2 * n] = static_cast<double>(pair.hypothesis_length);
  row[2 * n + 1] = static_cast<double>(pair.reference_length);
}

}  // namespace

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
  std::array<double, 2 * kMaxNgramOrder + 2> row{};
  write_row(stats, orders, row);
  return bleu_of_row(row, orders);
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
  const size_t width = row_width(orders);
  std::vector<double> rows(pairs.size() * width);
  for (size_t i = 0; i < pairs.size(); ++i) {
    write_row(pairs[i], orders, std::span(rows).subspan(i * width, width));
  }
  return rows;
}

}  // namespace lvtext
