#include "framework/core/datasets/batches.h"

#include <algorithm>
#include <compare>
#include <string>
#include <utility>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

uint64_t finalise(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// Stream ids for mix_bits: the order of rows, the order of batches and the choice of repeated rows
/// must be independent.
constexpr uint64_t kRowStream = 1;
constexpr uint64_t kBatchStream = 2;
constexpr uint64_t kRepeatStream = 3;

}  // namespace

uint64_t mix_bits(uint64_t a, uint64_t b, uint64_t c) {
  return finalise(finalise(finalise(a) ^ b) ^ c);
}

BatchPlan::BatchPlan(std::vector<int64_t> lengths, BatchOptions options)
    : BatchPlan(std::vector<std::vector<int64_t>>{std::move(lengths)}, options) {}

BatchPlan::BatchPlan(std::vector<std::vector<int64_t>> lengths, BatchOptions options)
    : options_(options) {
  if (options.size < 0 || options.max_tokens < 0 || options.window < 0 || options.max_length < 0 ||
      (options.size == 0 && options.max_tokens == 0)) {
    throw ConfigError("batch: size " + std::to_string(options.size) + ", max_tokens " +
                      std::to_string(options.max_tokens) + ", window " +
                      std::to_string(options.window) +
                      ": size or max_tokens must be positive, and no value negative");
  }
  const bool has_sides = lengths.size() > 1;
  for (auto& own : lengths) {
    const std::string dataset =
        "the dataset" + (has_sides ? " of side " + std::to_string(sides_.size()) : "");
    if (own.empty()) throw DataError("batch: " + dataset + " is empty");
    Side side{std::move(own), {}};
    for (size_t i = 0; i < side.lengths.size(); ++i) {
      const bool short_enough = options.max_length == 0 || side.lengths[i] <= options.max_length;
      if (short_enough) side.used.push_back(static_cast<int64_t>(i));
    }
    if (side.used.empty()) {
      throw DataError("batch: every sentence of " + dataset + " has more than " +
                      std::to_string(options.max_length) + " tokens (train.max_length)");
    }
    size_ = std::max(size_, std::ssize(side.used));
    sides_.push_back(std::move(side));
  }
  LVT_ASSERT(!options.drop_last || (options.size > 0 && options.max_tokens == 0),
             "drop_last requires a batch size alone");
  if (options.drop_last && size_ < options.size) {
    throw DataError("batch: the dataset has " + std::to_string(size_) +
                    " rows, fewer than a batch of " + std::to_string(options.size) +
                    ", and incomplete batches are left out (train.batch.drop_last)");
  }
}

std::vector<int64_t> BatchPlan::ordered(size_t side, int64_t epoch) const {
  const auto& [lengths, used] = sides_[side];
  const bool shuffled = options_.order == Order::kBucketed || options_.order == Order::kRandom;
  const uint64_t rest = size_ % std::ssize(used);
  const uint64_t first =
      shuffled && rest > 0
          ? mix_bits(mix_bits(options_.seed, epoch, kRepeatStream), side, 0) % used.size()
          : 0;
  std::vector<int64_t> order(size_);
  for (int64_t i = 0; i < size_; ++i) {
    const int64_t pass = i / std::ssize(used);
    order[i] = used[(i + first) % used.size()] + pass * std::ssize(lengths);
  }
  if (options_.order == Order::kFixed) {
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return sides_[side].length(a) < sides_[side].length(b);
    });
  }
  if (!shuffled) return order;

  const uint64_t key = mix_bits(options_.seed, epoch, kRowStream);
  struct Keyed {
    int64_t length;
    uint64_t hash;
    int64_t example;
    auto operator<=>(const Keyed&) const = default;
  };
  const bool bucketed = options_.order == Order::kBucketed;
  const bool whole = options_.window == 0 || options_.window >= size_;
  std::vector<Keyed> keyed(size_);
  for (int64_t i = 0; i < size_; ++i) {
    keyed[i] = {bucketed && whole ? sides_[side].length(order[i]) : 0,
                mix_bits(key, order[i], side), order[i]};
  }
  std::sort(keyed.begin(), keyed.end());
  for (int64_t begin = 0; bucketed && !whole && begin < size_; begin += options_.window) {
    const int64_t end = std::min(begin + options_.window, size_);
    for (int64_t i = begin; i < end; ++i) keyed[i].length = sides_[side].length(keyed[i].example);
    std::sort(keyed.begin() + begin, keyed.begin() + end);
  }
  for (int64_t i = 0; i < size_; ++i) order[i] = keyed[i].example;
  return order;
}

void BatchPlan::prepare(int64_t epoch) {
  if (epoch == epoch_) return;
  ordered_.clear();
  for (size_t side = 0; side < sides_.size(); ++side) ordered_.push_back(ordered(side, epoch));
  batches_.clear();
  int64_t begin = 0, longest = 0;
  for (int64_t i = 0; i < size_; ++i) {
    int64_t length = 0;
    for (size_t side = 0; side < sides_.size(); ++side) {
      length = std::max(length, sides_[side].length(ordered_[side][i]));
    }
    const int64_t rows = i - begin + 1;
    const int64_t longer = std::max(longest, length);
    const bool full = (options_.size > 0 && rows > options_.size) ||
                      (options_.max_tokens > 0 && rows * (longer + 1) > options_.max_tokens);
    if (full && rows > 1) {
      batches_.emplace_back(begin, i);
      begin = i;
      longest = length;
    } else {
      longest = longer;
    }
  }
  if (!options_.drop_last || size_ - begin == options_.size) batches_.emplace_back(begin, size_);

  const bool is_fixed = options_.order == Order::kFixed;
  if (is_fixed || options_.order == Order::kBucketed || options_.order == Order::kConsecutive) {
    const uint64_t key = mix_bits(options_.seed, is_fixed ? 0 : epoch, kBatchStream);
    std::sort(batches_.begin(), batches_.end(), [&](const auto& a, const auto& b) {
      return std::pair(mix_bits(key, a.first, 0), a) < std::pair(mix_bits(key, b.first, 0), b);
    });
  }
  epoch_ = epoch;
}

int64_t BatchPlan::batch_count(int64_t epoch) {
  prepare(epoch);
  return std::ssize(batches_);
}

BatchRows BatchPlan::rows(int64_t epoch, int64_t k) {
  LVT_ASSERT(k >= 0 && k < batch_count(epoch), "batch " + std::to_string(k) + " is out of range");
  const auto [from, to] = batches_[k];
  BatchRows batch;
  batch.examples.assign(ordered_[0].begin() + from, ordered_[0].begin() + to);
  for (size_t side = 0; side < sides_.size(); ++side) {
    std::vector<int64_t>& rows = batch.rows.emplace_back();
    for (int64_t i = from; i < to; ++i) rows.push_back(sides_[side].row(ordered_[side][i]));
  }
  return batch;
}

std::vector<int64_t> BatchPlan::batch(int64_t epoch, int64_t k) {
  return rows(epoch, k).rows.front();
}

double BatchPlan::padding(int64_t epoch) {
  prepare(epoch);
  int64_t padded = 0, real = 0;
  for (const auto& [from, to] : batches_) {
    for (size_t side = 0; side < sides_.size(); ++side) {
      int64_t longest = 0;
      for (int64_t i = from; i < to; ++i) {
        const int64_t length = sides_[side].length(ordered_[side][i]);
        longest = std::max(longest, length);
        real += length;
      }
      padded += longest * (to - from);
    }
  }
  return padded == 0 ? 0.0 : 1.0 - static_cast<double>(real) / static_cast<double>(padded);
}

}  // namespace lvtext
