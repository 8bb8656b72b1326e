#include "evaluators/metrics/bleu.h"

#include <array>

#include "framework/core/statistics/score.h"

namespace lvtext {
namespace {

size_t row_width(int max_order) {
  return 2 * static_cast<size_t>(max_order) + 2;
}

void write_row(const NgramStats& pair, int max_order, std::span<double> row) {
  const auto n = static_cast<size_t>(max_order);
  for (size_t i = 0; i < n; ++i) {
    row[i] = static_cast<double>(pair.matches[i]);
    row[n + i] = static_cast<double>(pair.hypothesis[i]);
  }
  row[2 * n] = static_cast<double>(pair.hypothesis_length);
  row[2 * n + 1] = static_cast<double>(pair.reference_length);
}

}  // namespace

double bleu(const NgramStats& stats, int max_order) {
  std::array<double, 2 * kMaxNgramOrder + 2> row{};
  write_row(stats, max_order, row);
  return penalized_precision(std::span(row).first(row_width(max_order)));
}

double corpus_bleu(std::span<const NgramStats> pairs, int max_order) {
  return bleu(total(pairs), max_order);
}

std::vector<double> sentence_bleu(std::span<const NgramStats> pairs, int max_order) {
  std::vector<double> scores;
  scores.reserve(pairs.size());
  for (const NgramStats& pair : pairs) scores.push_back(bleu(pair, max_order));
  return scores;
}

std::vector<double> smoothed_sentence_bleu(std::span<const NgramStats> pairs, int max_order) {
  std::vector<double> scores;
  scores.reserve(pairs.size());
  for (NgramStats pair : pairs) {
    for (int order = 2; order <= max_order; ++order) {
      ++pair.matches[order - 1];
      ++pair.hypothesis[order - 1];
    }
    scores.push_back(bleu(pair, max_order));
  }
  return scores;
}

std::vector<double> bleu_rows(std::span<const NgramStats> pairs, int max_order) {
  const size_t width = row_width(max_order);
  std::vector<double> rows(pairs.size() * width);
  for (size_t i = 0; i < pairs.size(); ++i) {
    write_row(pairs[i], max_order, std::span(rows).subspan(i * width, width));
  }
  return rows;
}

}  // namespace lvtext
