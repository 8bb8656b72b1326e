#include "evaluators/metrics/diversity.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_set>

namespace lvtext {
namespace {

// The bytes of an n-gram's ids, as a key that is fast to hash and compares exactly.
std::string_view bytes_of(std::span<const int32_t> ids) {
  return {reinterpret_cast<const char*>(ids.data()), ids.size_bytes()};
}

}  // namespace

double distinct_n(std::span<const TokenIds> sentences, int order) {
  const auto n = static_cast<size_t>(order);
  std::unordered_set<std::string_view> distinct;
  size_t all = 0;
  for (const TokenIds& sentence : sentences) {
    for (size_t i = 0; i + n <= sentence.size(); ++i, ++all) {
      distinct.insert(bytes_of(std::span(sentence).subspan(i, n)));
    }
  }
  return all == 0 ? 0 : static_cast<double>(distinct.size()) / static_cast<double>(all);
}

double share_unique(std::span<const std::string> sentences) {
  if (sentences.empty()) return 0;
  const std::unordered_set<std::string_view> distinct(sentences.begin(), sentences.end());
  return static_cast<double>(distinct.size()) / static_cast<double>(sentences.size());
}

double share_copied(std::span<const std::string> sentences, std::span<const std::string> training) {
  if (sentences.empty()) return 0;
  const std::unordered_set<std::string_view> known(training.begin(), training.end());
  const auto copied = std::count_if(sentences.begin(), sentences.end(),
                                    [&](const std::string& s) { return known.contains(s); });
  return static_cast<double>(copied) / static_cast<double>(sentences.size());
}

}  // namespace lvtext
