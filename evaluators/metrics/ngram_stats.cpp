#include "evaluators/metrics/ngram_stats.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>

#include "framework/core/base/error.h"
#include "framework/core/base/parallel.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

using Tokens = std::span<const int32_t>;

constexpr uint32_t kNone = ~uint32_t{0};
constexpr size_t kShortTokens = 64;

// The n-grams of one order in the hypothesis. An n-gram is identified by the index of its first n -
// 1 tokens and its last token: a 64-bit key that is exact for every order.
class HypothesisGrams {
 public:
  // Removes all n-grams and reserves space for at most `most` different ones.
  void clear(size_t most) {
    shift_ = 63 - static_cast<int>(std::bit_width(most));
    buckets_.assign(size_t{2} << std::bit_width(most), kNone);
    grams_.clear();
  }

  // Counts an n-gram of the hypothesis and returns its index.
  uint32_t add(uint32_t prefix, int32_t last) {
    uint32_t& bucket = buckets_[list_input(key_of(prefix, last))];
    if (bucket == kNone) {
      bucket = static_cast<uint32_t>(grams_.size());
      grams_.push_back({.key = key_of(prefix, last)});
    }
    ++grams_[bucket].in_hypothesis;
    return bucket;
  }

  // Counts an n-gram of a reference (1, 2, ...). Returns its index, or kNone if the hypothesis has
  // no such n-gram, and therefore no longer n-gram with this prefix.
  uint32_t match(uint32_t prefix, int32_t last, uint32_t reference) {
    const uint32_t found = buckets_[list_input(key_of(prefix, last))];
    if (found == kNone) return kNone;
    Gram& gram = grams_[found];
    if (gram.reference != reference) gram.in_reference = 0;
    gram.reference = reference;
    gram.most = std::max(gram.most, ++gram.in_reference);
    return found;
  }

  // Number of n-grams of the hypothesis, each clipped to its maximum count in a reference.
  int64_t matches() const {
    int64_t sum = 0;
    for (const Gram& gram : grams_) sum += std::min(gram.in_hypothesis, gram.most);
    return sum;
  }

 private:
  struct Gram {
    uint64_t key = 0;
    uint32_t in_hypothesis = 0;
    uint32_t reference = 0, in_reference = 0;  // last counted reference, and the count in it
    uint32_t most = 0;
  };

  static uint64_t key_of(uint32_t prefix, int32_t last) {
    return uint64_t{prefix} << 32 | static_cast<uint32_t>(last);
  }
  // Slot of the key, or a free slot for it; at most half of the slots are used. Fibonacci hashing.
  size_t list_input(uint64_t key) const {
    const size_t mask = buckets_.size() - 1;
    size_t bucket = (key * 0x9E3779B97F4A7C15ULL) >> shift_;
    while (buckets_[bucket] != kNone && grams_[buckets_[bucket]].key != key)
      bucket = (bucket + 1) & mask;
    return bucket;
  }

  int shift_ = 63;
  std::vector<uint32_t> buckets_;
  std::vector<Gram> grams_;
};

// Counts matches of orders 1 to `orders` in ascending order: the index of an n-gram is the prefix
// of n-grams of the next order.
void count_matches(std::span<const Tokens> sentences, int orders, NgramStats& stats) {
  HypothesisGrams grams;
  std::vector<std::vector<uint32_t>> prefixes;  // at each position of each sentence
  for (const Tokens& sentence : sentences) prefixes.emplace_back(sentence.size(), 0);
  for (size_t index = 0; index < static_cast<size_t>(orders); ++index) {
    grams.clear(sentences[0].size());
    for (size_t s = 0; s < sentences.size(); ++s) {
      for (size_t i = 0; i + index < sentences[s].size(); ++i) {
        uint32_t& prefix = prefixes[s][i];
        const int32_t last = sentences[s][i + index];
        if (s == 0) {
          prefix = grams.add(prefix, last);
        } else if (prefix != kNone) {
          prefix = grams.match(prefix, last, static_cast<uint32_t>(s));
        }
      }
    }
    stats.matches[index] = grams.matches();
  }
}

// As count_matches() for hypotheses of at most 64 tokens; several times as fast, because it avoids
// a branch that is hard to predict on real text. The positions of a token in the hypothesis are the
// bits of a 64-bit word. The start positions of an n-gram follow by shifts; the lowest one is its
// index.
void count_short(std::span<const Tokens> sentences, int orders, NgramStats& stats) {
  const Tokens& hypothesis = sentences[0];
  thread_local std::vector<uint64_t> tokens, grams;  // position bits, concatenated
  tokens.clear();
  for (const Tokens& sentence : sentences) {
    for (const int32_t token : sentence) {
      uint64_t positions = 0;
      for (size_t i = 0; i < hypothesis.size(); ++i) {
        positions |= uint64_t{hypothesis[i] == token} << i;
      }
      tokens.push_back(positions);
    }
  }
  grams = tokens;
  // Counts by n-gram index; index 64 is for all n-grams that are not in the hypothesis.
  using Counts = std::array<uint32_t, kShortTokens + 1>;
  for (size_t index = 0; index < static_cast<size_t>(orders); ++index) {
    Counts in_hypothesis{}, in_reference{}, most{};
    size_t start = 0;
    for (size_t s = 0; s < sentences.size(); ++s) {
      Counts& counts = s == 0 ? in_hypothesis : in_reference;
      if (s > 1) counts = {};
      for (size_t i = 0; i + index < sentences[s].size(); ++i) {
        uint64_t& positions = grams[start + i];
        positions &= tokens[start + i + index] >> index;
        ++counts[static_cast<size_t>(std::countr_zero(positions))];
      }
      start += sentences[s].size();
      if (s == 0) continue;
      for (size_t i = 0; i < hypothesis.size(); ++i) most[i] = std::max(most[i], counts[i]);
    }
    for (size_t i = 0; i < hypothesis.size(); ++i) {
      stats.matches[index] += std::min(in_hypothesis[i], most[i]);
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
  if (sentences[0].size() <= kShortTokens) {
    count_short(sentences, orders, stats);
  } else {
    count_matches(sentences, orders, stats);
  }
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
