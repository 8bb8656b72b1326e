#include "evaluators/metrics/word_overlap.h"

#include <cstdint>
#include <unordered_map>

namespace lvtext {
namespace {

double f1_of_counts(double common, size_t hypothesis, size_t reference) {
  // 2 p r / (p + r) with p = common / hypothesis and r = common / reference.
  return common == 0 ? 0 : 2 * common / static_cast<double>(hypothesis + reference);
}

std::unordered_map<int32_t, int64_t> counts_of(std::span<const int32_t> tokens) {
  std::unordered_map<int32_t, int64_t> counts;
  for (const int32_t token : tokens) ++counts[token];
  return counts;
}

}  // namespace

double token_f1(std::span<const int32_t> hypothesis, std::span<const int32_t> reference) {
  auto left = counts_of(reference);
  double common = 0;
  for (const int32_t token : hypothesis) {
    const auto found = left.find(token);
    if (found == left.end() || found->second == 0) continue;
    --found->second;
    ++common;
  }
  return f1_of_counts(common, hypothesis.size(), reference.size());
}

double unclipped_token_f1(std::span<const int32_t> hypothesis, std::span<const int32_t> reference) {
  const auto known = counts_of(reference);
  double common = 0;
  for (const int32_t token : hypothesis) common += known.contains(token) ? 1 : 0;
  return f1_of_counts(common, hypothesis.size(), reference.size());
}

}  // namespace lvtext
