#include "evaluators/metrics/diversity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace lvtext {
namespace {

// The bytes of an n-gram's ids, as a key that is fast to hash and compares exactly.
std::string_view bytes_of(std::span<const int32_t> ids) {
  return {reinterpret_cast<const char*>(ids.data()), ids.size_bytes()};
}

}  // namespace

double distinct_n(std::span<const TokenIds> sentences, int order, DistinctOver over) {
  const auto n = static_cast<size_t>(order);
  std::unordered_set<std::string_view> distinct;
  size_t ngrams = 0, units = 0;
  for (const TokenIds& sentence : sentences) {
    units += sentence.size();
    for (size_t i = 0; i + n <= sentence.size(); ++i, ++ngrams) {
      distinct.insert(bytes_of(std::span(sentence).subspan(i, n)));
    }
  }
  const size_t all = over == DistinctOver::kUnits ? units : ngrams;
  return all == 0 ? std::nan("") : static_cast<double>(distinct.size()) / static_cast<double>(all);
}

std::vector<double> distinct_n_values(std::span<const TokenIds> sentences, int order,
                                      DistinctOver over) {
  std::vector<double> values;
  values.reserve(sentences.size());
  for (const TokenIds& sentence : sentences) {
    const double value = distinct_n(std::span(&sentence, 1), order, over);
    values.push_back(std::isnan(value) ? 0 : value);
  }
  return values;
}

int64_t distinct_types(std::span<const TokenIds> sentences) {
  std::unordered_set<int32_t> types;
  for (const TokenIds& sentence : sentences) types.insert(sentence.begin(), sentence.end());
  return std::ssize(types);
}

std::vector<double> distinct_values(std::span<const std::string> sentences) {
  std::unordered_map<std::string_view, int64_t> counts;
  for (const auto& sentence : sentences) ++counts[sentence];
  const auto once = std::count_if(counts.begin(), counts.end(),
                                  [](const auto& each) { return each.second == 1; });
  const double repeated = static_cast<double>(std::ssize(counts) - once);
  std::vector<double> values;
  values.reserve(sentences.size());
  for (const auto& sentence : sentences) {
    values.push_back(repeated / static_cast<double>(sentences.size()) +
                     (counts.at(sentence) == 1 ? 1 : 0));
  }
  return values;
}

std::vector<double> train_overlap_values(std::span<const std::string> sentences,
                                         std::span<const std::string> training) {
  const std::unordered_set<std::string_view> known(training.begin(), training.end());
  std::vector<double> values;
  values.reserve(sentences.size());
  for (const auto& sentence : sentences) values.push_back(known.contains(sentence) ? 1 : 0);
  return values;
}

}  // namespace lvtext
