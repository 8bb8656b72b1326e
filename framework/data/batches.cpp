#include "framework/data/batches.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "framework/base/error.h"

namespace lvtext {
namespace {

uint64_t finalise(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// Streams of mix_bits: the order of sentences and that of batches must not be related.
constexpr uint64_t kSentenceStream = 1;
constexpr uint64_t kBatchStream = 2;

}  // namespace

uint64_t mix_bits(uint64_t a, uint64_t b, uint64_t c) {
  return finalise(finalise(finalise(a) ^ b) ^ c);
}

BatchPlan::BatchPlan(std::vector<int64_t> lengths, BatchOptions options)
    : lengths_(std::move(lengths)), options_(options) {
  if (options.sentences < 0 || options.tokens < 0 || options.window < 0 || options.longest < 0 ||
      (options.sentences == 0 && options.tokens == 0)) {
    throw ConfigError("batch: " + std::to_string(options.sentences) + " sentences and " +
                      std::to_string(options.tokens) + " tokens, window " +
                      std::to_string(options.window) +
                      ": at least one of the caps must be positive, none negative");
  }
  if (lengths_.empty()) throw DataError("batch: the corpus has no sentence");
  for (size_t i = 0; i < lengths_.size(); ++i) {
    const bool short_enough = options.longest == 0 || lengths_[i] <= options.longest;
    if (short_enough) used_.push_back(static_cast<int64_t>(i));
  }
  if (used_.empty()) {
    throw DataError("batch: every sentence of the corpus has more than " +
                    std::to_string(options.longest) + " pieces (train.batch.longest)");
  }
}

std::vector<int64_t> BatchPlan::order(int64_t epoch) const {
  std::vector<int64_t> order = used_;
  if (options_.kind == BatchKind::kSequential) return order;

  const uint64_t key = mix_bits(options_.seed, epoch, kSentenceStream);
  std::vector<uint64_t> hash(lengths_.size());
  for (size_t i = 0; i < hash.size(); ++i) hash[i] = mix_bits(key, i, 0);
  const auto random = [&](int64_t a, int64_t b) {
    return std::tie(hash[a], a) < std::tie(hash[b], b);
  };
  const bool whole = options_.window == 0 || options_.window >= size();
  if (options_.kind == BatchKind::kRandom || !whole) std::sort(order.begin(), order.end(), random);
  if (options_.kind == BatchKind::kRandom) return order;

  const int64_t window = whole ? size() : options_.window;
  for (int64_t begin = 0; begin < size(); begin += window) {
    const int64_t end = std::min(begin + window, size());
    std::sort(order.begin() + begin, order.begin() + end, [&](int64_t a, int64_t b) {
      return std::tie(lengths_[a], hash[a], a) < std::tie(lengths_[b], hash[b], b);
    });
  }
  return order;
}

void BatchPlan::prepare(int64_t epoch) {
  if (epoch == epoch_) return;
  const std::vector<int64_t> sentences = order(epoch);
  std::vector<std::pair<int64_t, int64_t>> cuts;
  int64_t begin = 0, longest = 0;
  for (int64_t i = 0; i < size(); ++i) {
    const int64_t rows = i - begin + 1;
    const int64_t longer = std::max(longest, lengths_[sentences[i]]);
    const bool full = (options_.sentences > 0 && rows > options_.sentences) ||
                      (options_.tokens > 0 && rows * (longer + 1) > options_.tokens);
    if (full && rows > 1) {
      cuts.emplace_back(begin, i);
      begin = i;
      longest = lengths_[sentences[i]];
    } else {
      longest = longer;
    }
  }
  cuts.emplace_back(begin, size());

  if (options_.kind == BatchKind::kBucketed) {
    const uint64_t key = mix_bits(options_.seed, epoch, kBatchStream);
    std::sort(cuts.begin(), cuts.end(), [&](const auto& a, const auto& b) {
      return std::pair(mix_bits(key, a.first, 0), a) < std::pair(mix_bits(key, b.first, 0), b);
    });
  }
  order_.clear();
  starts_.assign(1, 0);
  for (const auto& [from, to] : cuts) {
    order_.insert(order_.end(), sentences.begin() + from, sentences.begin() + to);
    starts_.push_back(static_cast<int64_t>(order_.size()));
  }
  epoch_ = epoch;
}

int64_t BatchPlan::batch_count(int64_t epoch) {
  prepare(epoch);
  return static_cast<int64_t>(starts_.size()) - 1;
}

std::vector<int64_t> BatchPlan::batch(int64_t epoch, int64_t k) {
  LVT_ASSERT(k >= 0 && k < batch_count(epoch), "batch " + std::to_string(k));
  return {order_.begin() + starts_[k], order_.begin() + starts_[k + 1]};
}

double BatchPlan::padding(int64_t epoch) {
  prepare(epoch);
  int64_t padded = 0, real = 0;
  for (size_t k = 0; k + 1 < starts_.size(); ++k) {
    int64_t longest = 0;
    for (int64_t at = starts_[k]; at < starts_[k + 1]; ++at) {
      longest = std::max(longest, lengths_[order_[at]]);
      real += lengths_[order_[at]];
    }
    padded += longest * (starts_[k + 1] - starts_[k]);
  }
  return padded == 0 ? 0.0 : 1.0 - static_cast<double>(real) / static_cast<double>(padded);
}

}  // namespace lvtext
