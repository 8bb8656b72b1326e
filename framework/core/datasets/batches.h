// Assignment of examples to batches: a pure function of seed and epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lvtext {

/// How the examples of an epoch are ordered and grouped into batches.
enum class Order {
  kBucketed,     ///< examples of similar length, batches in random order: little padding
  kFixed,        ///< sorted by length, the same batches in the same random order every epoch
  kRandom,       ///< random order, cut into batches
  kConsecutive,  ///< document order, cut into batches, which are shuffled
  kSequential,   ///< document order, for evaluation
};

struct BatchOptions {
  Order order = Order::kBucketed;
  int64_t size = 64;  ///< maximum number of examples per batch and side; 0: no limit
  /// Maximum number of padded tokens per side, counting one EOS per sentence:
  /// examples x (longest + 1); 0: no limit.
  int64_t max_tokens = 0;
  int64_t window = 0;  ///< bucketed: number of sentences sorted together; 0: all
  int64_t seed = 1111;
  int64_t max_length = 0;  ///< longer sentences (in tokens) are left out; 0: no limit
  bool drop_last = false;  ///< leave out the last batch if it has fewer than `size` examples
};

/// The examples of one batch.
struct BatchRows {
  /// Identifies each row within an epoch: the row index or, for a repeated row, a number larger
  /// than every row index.
  std::vector<int64_t> examples;
  std::vector<std::vector<int64_t>> rows;  ///< row indices per side; all sides have equal size
};

/// The batches of every epoch. Each row of at most `max_length` tokens occurs exactly once per
/// epoch; the last incomplete batch is kept unless `drop_last` is set, which requires `size`
/// without `max_tokens`. In bucketed and fixed order, that batch has the longest rows. The order
/// depends only on (lengths, options, epoch), so resuming needs no state beyond the epoch and the
/// batch index. A row that exceeds `max_tokens` forms a batch of its own.
///
/// Several sides, whose rows are not paired, are ordered independently, so that a bucketed batch
/// has rows of similar length on every side. Rows of the shorter sides are repeated until all sides
/// are as long as the longest; the repeated rows differ from epoch to epoch, except for kFixed,
/// which repeats the first rows and sorts rows of equal length by document order.
///
/// Caches the plan of one epoch; not thread-safe.
class BatchPlan {
 public:
  /// `lengths`: number of tokens of each row. Throws ConfigError if neither `size` nor `max_tokens`
  /// is set, or an option is negative; DataError if there is no row, none within `max_length`, or
  /// not enough for the only batch with `drop_last`.
  BatchPlan(std::vector<int64_t> lengths, BatchOptions options);
  /// The same for several sides.
  BatchPlan(std::vector<std::vector<int64_t>> lengths, BatchOptions options);

  /// Number of batches of an epoch (from 0). With `max_tokens` it may vary slightly between epochs.
  int64_t batch_count(int64_t epoch);
  /// Row indices of the first side in batch `k` of an epoch.
  std::vector<int64_t> batch(int64_t epoch, int64_t k);
  /// Row indices of every side in batch `k` of an epoch.
  BatchRows rows(int64_t epoch, int64_t k);
  /// Number of rows of an epoch, per side.
  int64_t size() const { return size_; }
  /// Share of padding among the padded tokens of an epoch, in [0, 1).
  double padding(int64_t epoch);

 private:
  struct Side {
    std::vector<int64_t> lengths;
    std::vector<int64_t> used;  ///< rows within max_length, in document order

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
  std::vector<std::vector<int64_t>> ordered_;         ///< examples of epoch_ by side
  std::vector<std::pair<int64_t, int64_t>> batches_;  ///< [begin, end) in ordered_
};

/// Hashes three numbers to 64 bits: the finalizer of SplitMix64 (Steele et al. 2014), applied to
/// each in turn.
uint64_t mix_bits(uint64_t a, uint64_t b, uint64_t c);

}  // namespace lvtext
