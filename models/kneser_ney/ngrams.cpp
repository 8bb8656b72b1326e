#include "models/kneser_ney/ngrams.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

constexpr int64_t kMaxBits = 64;

/// Sorts keys; returns the number of occurrences of each and leaves one of each.
std::vector<int64_t> count_equal(std::vector<uint64_t>& keys) {
  std::sort(keys.begin(), keys.end());
  std::vector<int64_t> counts;
  size_t kept = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && keys[i] == keys[kept - 1]) {
      ++counts.back();
      continue;
    }
    keys[kept++] = keys[i];
    counts.push_back(1);
  }
  keys.resize(kept);
  return counts;
}

template <class T>
at::Tensor tensor_of(const std::vector<T>& values, at::ScalarType type) {
  return at::tensor(values, type);
}

}  // namespace

Ngrams::Ngrams(int64_t order, int64_t vocabulary, double discount)
    : order_(order),
      vocabulary_(vocabulary),
      bits_(std::bit_width(static_cast<uint64_t>(vocabulary - 1))),
      discount_(discount),
      unigrams_(register_buffer("unigrams", at::empty({0}))),
      levels_(order - 1) {
  if (order * bits_ > kMaxBits) {
    throw ConfigError("kneser_ney: n-grams of order " + std::to_string(order) +
                      " of a vocabulary of " + format_count(vocabulary) +
                      " tokens are too large; the maximum order is " +
                      std::to_string(kMaxBits / bits_));
  }
  for (int64_t n = 2; n <= order; ++n) {
    Level& level = levels_[n - 2];
    const std::string end = "_" + std::to_string(n);
    level.histories = register_buffer("histories" + end, at::empty({0}, at::kLong));
    level.offsets = register_buffer("offsets" + end, at::empty({0}, at::kLong));
    level.tokens = register_buffer("tokens" + end, at::empty({0}, at::kInt));
    level.shares = register_buffer("shares" + end, at::empty({0}));
    level.lower = register_buffer("lower" + end, at::empty({0}));
  }
}

void Ngrams::count(std::span<const int32_t> text) {
  if (std::ssize(text) < order_) {
    throw DataError("kneser_ney: the text has " +
                    format_count(static_cast<int64_t>(text.size()), "token") +
                    ", too few for n-grams of order " + std::to_string(order_));
  }
  const auto mask_of = [&](int64_t tokens) {
    return tokens * bits_ == kMaxBits ? ~uint64_t{0} : (uint64_t{1} << (tokens * bits_)) - 1;
  };
  std::vector<uint64_t> ngrams;
  ngrams.reserve(text.size());
  uint64_t key = 0;
  for (int64_t i = 0; i < std::ssize(text); ++i) {
    key = ((key << bits_) | static_cast<uint64_t>(text[i])) & mask_of(order_);
    if (i + 1 >= order_) ngrams.push_back(key);
  }
  std::vector<int64_t> counts = count_equal(ngrams);
  for (int64_t n = order_; n >= 2; --n) {
    fill(levels_[n - 2], ngrams, counts);
    // Nothing is before the first n-gram, which may have no count in this order.
    uint64_t first = 0;
    for (int64_t i = 0; i < n; ++i) first = (first << bits_) | static_cast<uint64_t>(text[i]);
    const auto at = std::lower_bound(ngrams.begin(), ngrams.end(), first);
    if (at == ngrams.end() || *at != first) ngrams.insert(at, first);
    for (uint64_t& each : ngrams) each &= mask_of(n - 1);
    counts = count_equal(ngrams);
  }
  double total = 0;
  for (const int64_t each : counts) total += static_cast<double>(each);
  const double lower = discount_ * static_cast<double>(counts.size()) / total;
  at::Tensor unigrams = at::full({vocabulary_}, lower / static_cast<double>(vocabulary_));
  float* p = unigrams.mutable_data_ptr<float>();
  for (size_t i = 0; i < ngrams.size(); ++i) {
    p[ngrams[i]] += static_cast<float>((static_cast<double>(counts[i]) - discount_) / total);
  }
  unigrams_.set_data(unigrams);
}

void Ngrams::fill(Level& level, const std::vector<uint64_t>& ngrams,
                  const std::vector<int64_t>& counts) const {
  std::vector<int64_t> histories, offsets;
  std::vector<int32_t> tokens;
  std::vector<float> shares, lower;
  const uint64_t mask = (uint64_t{1} << bits_) - 1;
  for (size_t begin = 0, end = 0; begin < ngrams.size(); begin = end) {
    const uint64_t history = ngrams[begin] >> bits_;
    int64_t total = 0;
    for (end = begin; end < ngrams.size() && ngrams[end] >> bits_ == history; ++end) {
      total += counts[end];
    }
    histories.push_back(static_cast<int64_t>(history));
    offsets.push_back(static_cast<int64_t>(begin));
    for (size_t i = begin; i < end; ++i) {
      tokens.push_back(static_cast<int32_t>(ngrams[i] & mask));
      shares.push_back(static_cast<float>((static_cast<double>(counts[i]) - discount_) /
                                          static_cast<double>(total)));
    }
    lower.push_back(static_cast<float>(discount_ * static_cast<double>(end - begin) /
                                       static_cast<double>(total)));
  }
  offsets.push_back(std::ssize(ngrams));
  level.histories.set_data(tensor_of(histories, at::kLong));
  level.offsets.set_data(tensor_of(offsets, at::kLong));
  level.tokens.set_data(tensor_of(tokens, at::kInt));
  level.shares.set_data(tensor_of(shares, at::kFloat));
  level.lower.set_data(tensor_of(lower, at::kFloat));
}

std::vector<Ngrams::Found> Ngrams::find(std::span<const int32_t> history) const {
  std::vector<Found> found;
  uint64_t key = 0;
  for (int64_t k = 0; k < std::min<int64_t>(order_ - 1, std::ssize(history)); ++k) {
    key |= static_cast<uint64_t>(history[history.size() - 1 - k]) << (k * bits_);
    const Level& level = levels_[k];
    const auto* begin = level.histories.const_data_ptr<int64_t>();
    const auto* end = begin + level.histories.numel();
    // The highest bit of the key is 0: a history has one token less than an n-gram.
    const auto* at = std::lower_bound(begin, end, static_cast<int64_t>(key));
    if (at == end || *at != static_cast<int64_t>(key)) break;
    found.push_back({&level, at - begin});
  }
  return found;
}

void Ngrams::add_row(std::span<const int32_t> history, float weight, float* row) const {
  const std::vector<Found> found = find(history);
  for (auto each = found.rbegin(); each != found.rend(); ++each) {
    const Level& level = *each->level;
    const auto* offsets = level.offsets.const_data_ptr<int64_t>();
    const auto* tokens = level.tokens.const_data_ptr<int32_t>();
    const auto* shares = level.shares.const_data_ptr<float>();
    for (int64_t i = offsets[each->index]; i < offsets[each->index + 1]; ++i) {
      row[tokens[i]] += weight * shares[i];
    }
    weight *= level.lower.const_data_ptr<float>()[each->index];
  }
  const auto* unigrams = unigrams_.const_data_ptr<float>();
  for (int64_t v = 0; v < vocabulary_; ++v) row[v] += weight * unigrams[v];
}

double Ngrams::probability(std::span<const int32_t> history, int32_t token) const {
  double p = unigrams_.const_data_ptr<float>()[token];
  for (const auto& [level, index] : find(history)) {
    p *= level->lower.const_data_ptr<float>()[index];
    const auto* offsets = level->offsets.const_data_ptr<int64_t>();
    const auto* tokens = level->tokens.const_data_ptr<int32_t>();
    const auto* end = tokens + offsets[index + 1];
    const auto* at = std::lower_bound(tokens + offsets[index], end, token);
    if (at != end && *at == token) p += level->shares.const_data_ptr<float>()[at - tokens];
  }
  return p;
}

}  // namespace lvtext
