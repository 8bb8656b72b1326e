#include "evaluators/metrics/ngram_stats.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "framework/core/base/error.h"
#include "framework/core/base/parallel.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

using Tokens = std::span<const int32_t>;

// Index of n-grams that the hypothesis does not contain.
constexpr uint32_t kNone = ~uint32_t{0};

struct Gram {
  uint32_t index = kNone;
  int64_t in_hypothesis = 0;
  size_t reference = 0;  // last counted reference, and the count in it
  int64_t in_reference = 0;
  int64_t most = 0;  // maximum count in a reference
};

// Counts matches of orders 1 to `orders` in ascending order. An n-gram is identified by the index
// of its first n - 1 tokens and its last token: a 64-bit key that is exact for every order.
void count_matches(std::span<const Tokens> sentences, int orders, NgramStats& stats) {
  std::vector<std::vector<uint32_t>> prefixes;  // at each position of each sentence
  for (const Tokens& sentence : sentences) prefixes.emplace_back(sentence.size(), 0);
  std::unordered_map<uint64_t, Gram> grams;
  for (size_t index = 0; index < static_cast<size_t>(orders); ++index) {
    grams.clear();
    for (size_t s = 0; s < sentences.size(); ++s) {
      for (size_t i = 0; i + index < sentences[s].size(); ++i) {
        uint32_t& prefix = prefixes[s][i];
        if (prefix == kNone) continue;
        const uint64_t key =
            uint64_t{prefix} << 32 | static_cast<uint32_t>(sentences[s][i + index]);
        if (s == 0) {
          Gram& gram = grams[key];
          if (gram.in_hypothesis++ == 0) gram.index = static_cast<uint32_t>(grams.size() - 1);
          prefix = gram.index;
          continue;
        }
        const auto found = grams.find(key);
        prefix = found == grams.end() ? kNone : found->second.index;
        if (prefix == kNone) continue;
        Gram& gram = found->second;
        if (gram.reference != s) gram.in_reference = 0;
        gram.reference = s;
        gram.most = std::max(gram.most, ++gram.in_reference);
      }
    }
    for (const auto& [key, gram] : grams) {
      stats.matches[index] += std::min(gram.in_hypothesis, gram.most);
    }
  }
}

// sentences[0] is the hypothesis.
NgramStats count(std::span<const Tokens> sentences, int orders) {
  LVT_ASSERT(orders >= 1 && orders <= kMaxNgramOrder, "order of n-grams out of range");
  NgramStats stats;
  stats.hypothesis_length = static_cast<int64_t>(sentences[0].size());
  stats.reference_length = static_cast<int64_t>(sentences[1].size());
  for (size_t s = 1; s < sentences.size(); ++s) {
    const auto length = static_cast<int64_t>(sentences[s].size());
    const int64_t gap = std::abs(length - stats.hypothesis_length);
    const int64_t best = std::abs(stats.reference_length - stats.hypothesis_length);
    if (gap < best || (gap == best && length < stats.reference_length)) {
      stats.reference_length = length;
    }
    if (std::equal(sentences[s].begin(), sentences[s].end(), sentences[0].begin(),
                   sentences[0].end())) {
      stats.identical = 1;
    }
  }

  for (size_t index = 0; index < static_cast<size_t>(orders); ++index) {
    const auto positions = [index](const Tokens& sentence) {
      return std::max<int64_t>(0, std::ssize(sentence) - static_cast<int64_t>(index));
    };
    stats.hypothesis[index] = positions(sentences[0]);
    stats.reference[index] = positions(sentences[1]);
  }
  count_matches(sentences, orders, stats);
  return stats;
}

}  // namespace

void check_aligned(size_t hypotheses, size_t references) {
  if (hypotheses == references) return;
  throw DataError("scoring: " + format_count(static_cast<int64_t>(hypotheses)) +
                  " hypotheses but " + format_count(static_cast<int64_t>(references)) +
                  " references; they must be aligned, one line each (an empty line for an empty "
                  "output)");
}

NgramStats& NgramStats::operator+=(const NgramStats& other) {
  for (size_t i = 0; i < matches.size(); ++i) {
    matches[i] += other.matches[i];
    hypothesis[i] += other.hypothesis[i];
    reference[i] += other.reference[i];
  }
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  identical += other.identical;
  return *this;
}

NgramStats ngram_stats(std::span<const int32_t> hypothesis, std::span<const int32_t> reference,
                       int orders) {
  const std::array<Tokens, 2> sentences{hypothesis, reference};
  return count(sentences, orders);
}

NgramStats ngram_stats(std::span<const int32_t> hypothesis, std::span<const TokenIds> references,
                       int orders) {
  LVT_ASSERT(!references.empty(), "a hypothesis requires at least one reference");
  std::vector<Tokens> sentences{hypothesis};
  sentences.insert(sentences.end(), references.begin(), references.end());
  return count(sentences, orders);
}

std::vector<NgramStats> ngram_stats_of_pairs(std::span<const TokenIds> hypotheses,
                                             std::span<const TokenIds> references, int orders,
                                             int threads) {
  check_aligned(hypotheses.size(), references.size());
  std::vector<NgramStats> stats(hypotheses.size());
  parallel_for(stats.size(), threads,
               [&](size_t i) { stats[i] = ngram_stats(hypotheses[i], references[i], orders); });
  return stats;
}

std::vector<NgramStats> ngram_stats_of_groups(std::span<const TokenIds> hypotheses,
                                              std::span<const std::vector<TokenIds>> references,
                                              int orders, int threads) {
  check_aligned(hypotheses.size(), references.size());
  std::vector<NgramStats> stats(hypotheses.size());
  parallel_for(stats.size(), threads, [&](size_t i) {
    stats[i] = ngram_stats(hypotheses[i], std::span<const TokenIds>(references[i]), orders);
  });
  return stats;
}

NgramStats total(std::span<const NgramStats> pairs) {
  NgramStats sum;
  for (const NgramStats& pair : pairs) sum += pair;
  return sum;
}

}  // namespace lvtext
