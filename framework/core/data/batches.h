// Which rows form which batch: a pure function of seed and epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lvtext {

/// How the rows of an epoch are put together.
enum class Order {
  kBucketed,     ///< neighbors in length, batches in random order: little padding
  kRandom,       ///< a random order, cut into batches
  kConsecutive,  ///< document order, cut into batches, which are put in random order
  kSequential,   ///< document order, for evaluation
};

struct BatchOptions {
  Order order = Order::kBucketed;
  int64_t size = 64;  ///< at most this many per batch, on each side; 0: no such cap
  /// At most this many padded tokens, each sentence with its EOS: rows x (longest + 1), on each
  /// side; 0: no such cap.
  int64_t max_tokens = 0;
  int64_t window = 0;  ///< bucketed: sentences sorted together; 0: all of them
  int64_t seed = 1111;
  int64_t max_length = 0;  ///< sentences of more tokens are in no batch; 0: all are
};

/// The rows of one batch.
struct BatchRows {
  /// What tells the rows of an epoch apart: the row's number or, of a row that comes again, a
  /// number beyond all of them.
  std::vector<int64_t> examples;
  std::vector<std::vector<int64_t>> rows;  ///< of each side, as many of each
};

/// The batches of every epoch: each row of at most `max_length` tokens exactly once per epoch, the
/// last incomplete batch kept. The order is a function of (lengths, options, epoch) alone, so
/// resuming needs only numbers. A row longer than the cap in tokens forms a batch of its own.
///
/// Several sides, whose rows do not belong together, are put side by side: each is ordered by
/// itself, so that bucketed batches hold equal lengths of all, and the shorter ones are repeated to
/// the length of the longest; which of their rows come once more differs from epoch to epoch.
///
/// Keeps the plan of one epoch; not safe to call from two threads at once.
class BatchPlan {
 public:
  /// `lengths`: tokens of each row. Throws ConfigError if neither cap is set, or one is negative;
  /// DataError if there is no row, or none that is short enough.
  BatchPlan(std::vector<int64_t> lengths, BatchOptions options);
  /// The same of several sides.
  BatchPlan(std::vector<std::vector<int64_t>> lengths, BatchOptions options);

  /// Number of batches of an epoch (from 0). Epochs may differ by a few under a cap in tokens.
  int64_t batch_count(int64_t epoch);
  /// The rows of batch `k` of an epoch, of the first side.
  std::vector<int64_t> batch(int64_t epoch, int64_t k);
  /// The rows of batch `k` of an epoch, of every side.
  BatchRows rows(int64_t epoch, int64_t k);
  /// Number of rows of an epoch, on each side.
  int64_t size() const { return size_; }
  /// The share of padding in the padded tokens of an epoch, in [0, 1).
  double padding(int64_t epoch);

 private:
  struct Side {
    std::vector<int64_t> lengths;
    std::vector<int64_t> used;  ///< the rows that are short enough, in document order

    int64_t row(int64_t example) const { return example % static_cast<int64_t>(lengths.size()); }
    int64_t length(int64_t example) const { return lengths[row(example)]; }
  };

  void prepare(int64_t epoch);
  /// The examples of a side in the order in which an epoch is cut.
  std::vector<int64_t> ordered(size_t side, int64_t epoch) const;

  std::vector<Side> sides_;
  BatchOptions options_;
  int64_t size_ = 0;
  int64_t epoch_ = -1;
  std::vector<std::vector<int64_t>> ordered_;         ///< of the prepared epoch, by side
  std::vector<std::pair<int64_t, int64_t>> batches_;  ///< from and to, in ordered_
};

/// 64 mixed bits of three numbers (SplitMix64's finaliser, Steele et al. 2014, applied in turn).
uint64_t mix_bits(uint64_t a, uint64_t b, uint64_t c);

}  // namespace lvtext
