#include "evaluators/text_metrics/ngram_stats.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "evaluators/text_metrics/parallel.h"
#include "framework/base/error.h"
#include "framework/base/strings.h"

namespace lvtext {
namespace {

using Tokens = std::span<const int32_t>;

// An n-gram, as (rank of its first n - 1 tokens, its last token), and where it stands.
struct Occurrence {
  uint64_t key = 0;
  // The position of its first token in all sentences of the pair laid end to end.
  uint32_t position = 0;
  // 0 is the hypothesis, 1... the references.
  uint32_t sentence = 0;
};

// Counts one group of equal n-grams: per_sentence[s] is how often sentence s has it.
void count_group(const std::vector<int64_t>& per_sentence, size_t index, NgramStats& stats) {
  const int64_t most = *std::max_element(per_sentence.begin() + 1, per_sentence.end());
  stats.matches[index] += std::min(per_sentence[0], most);
}

// sentences[0] is the hypothesis. Orders grow one by one: the rank of an n-gram among those of the
// pair is the prefix of the next order, so that a 64-bit key is exact for every order.
NgramStats count(std::span<const Tokens> sentences, int orders) {
  LVT_ASSERT(orders >= 1 && orders <= kMaxNgramOrder, "order of n-grams out of range");
  NgramStats stats;
  stats.hypothesis_length = static_cast<int64_t>(sentences[0].size());
  stats.reference_length = static_cast<int64_t>(sentences[1].size());
  size_t tokens = 0;
  for (size_t s = 0; s < sentences.size(); ++s) {
    tokens += sentences[s].size();
    if (s == 0) continue;
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

  std::vector<Occurrence> found;
  found.reserve(tokens);
  std::vector<uint32_t> rank(tokens, 0);
  std::vector<int64_t> per_sentence(sentences.size());
  for (int order = 1; order <= orders; ++order) {
    const auto index = static_cast<size_t>(order - 1);
    found.clear();
    size_t start = 0;
    for (size_t s = 0; s < sentences.size(); ++s) {
      const Tokens& sentence = sentences[s];
      for (size_t i = 0; i + index < sentence.size(); ++i) {
        const uint64_t last = static_cast<uint32_t>(sentence[i + index]);
        found.push_back({uint64_t{rank[start + i]} << 32 | last,
                         static_cast<uint32_t>(start + i), static_cast<uint32_t>(s)});
      }
      start += sentence.size();
    }
    const auto grams = [&](size_t s) {
      return std::max<int64_t>(0, static_cast<int64_t>(sentences[s].size()) - order + 1);
    };
    stats.hypothesis[index] = grams(0);
    stats.reference[index] = grams(1);
    std::sort(found.begin(), found.end(),
              [](const Occurrence& a, const Occurrence& b) { return a.key < b.key; });
    uint32_t next_rank = 0;
    for (size_t i = 0; i < found.size(); ++next_rank) {
      std::fill(per_sentence.begin(), per_sentence.end(), 0);
      const uint64_t key = found[i].key;
      for (; i < found.size() && found[i].key == key; ++i) {
        ++per_sentence[found[i].sentence];
        rank[found[i].position] = next_rank;
      }
      count_group(per_sentence, index, stats);
    }
  }
  return stats;
}

void check_aligned(size_t hypotheses, size_t references) {
  if (hypotheses == references) return;
  throw DataError("scoring: " + format_count(static_cast<int64_t>(hypotheses)) +
                  " hypotheses but " + format_count(static_cast<int64_t>(references)) +
                  " references; they must be aligned, one line each (an empty line for an empty "
                  "output)");
}

}  // namespace

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
  LVT_ASSERT(!references.empty(), "a hypothesis without references");
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
