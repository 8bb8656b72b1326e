#include "evaluators/metrics/ngram_stats.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/parallel.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

using WordIds = std::span<const int32_t>;

// Index of n-grams that the hypothesis does not contain.
constexpr uint32_t kNoPrefix = ~uint32_t{0};

// Maximum length of hypotheses of count_short().
constexpr size_t kShortTokens = 64;

// An n-gram of the hypothesis.
struct Gram {
  uint64_t key = 0;
  int64_t in_hypothesis = 0;
  size_t reference = 0;  // last counted reference, and the count in it
  int64_t in_reference = 0;
  int64_t most = 0;  // maximum count in a reference
};

// Counts matches of orders 1 to `max_order` in ascending order. An n-gram is identified by the
// index of its first n - 1 tokens among the hypothesis's (n-1)-grams and by its last token: a
// 64-bit key that is exact for every order.
void count_matches(std::span<const WordIds> sentences, int max_order, NgramStats& stats) {
  // Index of the (n-1)-gram at each position of each sentence.
  std::vector<std::vector<uint32_t>> prefixes;
  for (const WordIds& sentence : sentences) prefixes.emplace_back(sentence.size(), 0);
  std::vector<uint64_t> keys;
  std::vector<Gram> grams;  // sorted by key
  for (size_t index = 0; index < static_cast<size_t>(max_order); ++index) {
    const auto key = [&](size_t sentence, size_t position) {
      return uint64_t{prefixes[sentence][position]} << 32 |
             static_cast<uint32_t>(sentences[sentence][position + index]);
    };
    keys.clear();
    for (size_t i = 0; i + index < sentences[0].size(); ++i) keys.push_back(key(0, i));
    std::ranges::sort(keys);
    grams.clear();
    for (const uint64_t each : keys) {
      if (grams.empty() || grams.back().key != each) grams.push_back({.key = each});
      ++grams.back().in_hypothesis;
    }
    for (size_t s = 0; s < sentences.size(); ++s) {
      for (size_t i = 0; i + index < sentences[s].size(); ++i) {
        uint32_t& prefix = prefixes[s][i];
        if (prefix == kNoPrefix) continue;
        const auto found = std::ranges::lower_bound(grams, key(s, i), {}, &Gram::key);
        const bool none = found == grams.end() || found->key != key(s, i);
        prefix = none ? kNoPrefix : static_cast<uint32_t>(found - grams.begin());
        if (none || s == 0) continue;
        if (found->reference != s) found->in_reference = 0;
        found->reference = s;
        found->most = std::max(found->most, ++found->in_reference);
      }
    }
    for (const Gram& gram : grams) {
      stats.matches[index] += std::min(gram.in_hypothesis, gram.most);
    }
  }
}

// As count_matches() for hypotheses of at most 64 tokens; several times as fast, because it has no
// branches that depend on the text. The positions of a token in the hypothesis are the bits of a
// 64-bit word. The start positions of an n-gram follow by shifts; the lowest one is its index.
void count_short(std::span<const WordIds> sentences, int max_order, NgramStats& stats) {
  const WordIds& hypothesis = sentences[0];
  thread_local std::vector<uint64_t> tokens, grams;  // position bits, concatenated
  tokens.clear();
  for (const WordIds& sentence : sentences) {
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
  for (size_t index = 0; index < static_cast<size_t>(max_order); ++index) {
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
NgramStats count(std::span<const WordIds> sentences, int max_order) {
  LVT_ASSERT(max_order >= 1 && max_order <= kMaxNgramOrder, "order of n-grams out of range");
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

  for (size_t index = 0; index < static_cast<size_t>(max_order); ++index) {
    const auto positions = [index](const WordIds& sentence) {
      return std::max<int64_t>(0, std::ssize(sentence) - static_cast<int64_t>(index));
    };
    stats.hypothesis[index] = positions(sentences[0]);
    stats.reference[index] = positions(sentences[1]);
  }
  if (sentences[0].size() <= kShortTokens) {
    count_short(sentences, max_order, stats);
  } else {
    count_matches(sentences, max_order, stats);
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
                       int max_order) {
  const std::array<WordIds, 2> sentences{hypothesis, reference};
  return count(sentences, max_order);
}

NgramStats ngram_stats(std::span<const int32_t> hypothesis, std::span<const TokenIds> references,
                       int max_order) {
  LVT_ASSERT(!references.empty(), "a hypothesis requires at least one reference");
  std::vector<WordIds> sentences{hypothesis};
  sentences.insert(sentences.end(), references.begin(), references.end());
  return count(sentences, max_order);
}

std::vector<NgramStats> ngram_stats_of_pairs(std::span<const TokenIds> hypotheses,
                                             std::span<const TokenIds> references, int max_order,
                                             int threads) {
  check_aligned(hypotheses.size(), references.size());
  std::vector<NgramStats> stats(hypotheses.size());
  parallel_for(stats.size(), threads,
               [&](size_t i) { stats[i] = ngram_stats(hypotheses[i], references[i], max_order); });
  return stats;
}

std::vector<NgramStats> ngram_stats_of_groups(std::span<const TokenIds> hypotheses,
                                              std::span<const std::vector<TokenIds>> references,
                                              int max_order, int threads) {
  check_aligned(hypotheses.size(), references.size());
  std::vector<NgramStats> stats(hypotheses.size());
  parallel_for(stats.size(), threads, [&](size_t i) {
    stats[i] = ngram_stats(hypotheses[i], std::span<const TokenIds>(references[i]), max_order);
  });
  return stats;
}

NgramStats total(std::span<const NgramStats> pairs) {
  NgramStats sum;
  for (const NgramStats& pair : pairs) sum += pair;
  return sum;
}

}  // namespace lvtext
