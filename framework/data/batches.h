// Which sentences form which batch: a pure function of seed and epoch.
#pragma once

#include <cstdint>
#include <vector>

namespace lvtext {

/// How sentences are put together.
enum class BatchKind {
  kBucketed,    ///< neighbours in length, batches in random order: little padding
  kRandom,      ///< a random order, cut into batches
  kSequential,  ///< document order, for evaluation
};

struct BatchOptions {
  BatchKind kind = BatchKind::kBucketed;
  int64_t sentences = 64;  ///< at most this many per batch; 0: no such cap
  /// At most this many padded tokens, each sentence with its EOS: rows x (longest + 1); 0: no such
  /// cap.
  int64_t tokens = 0;
  int64_t window = 0;  ///< bucketed: sentences sorted together; 0: all of them
  int64_t seed = 1111;
  int64_t longest = 0;  ///< sentences of more tokens are in no batch; 0: all are
};

/// The batches of every epoch: each sentence of at most `longest` tokens exactly once per epoch,
/// the last incomplete batch kept. The order is a function of (lengths, options, epoch) alone, so
/// resuming needs only numbers. A sentence longer than the cap in tokens forms a batch of its own.
/// Keeps the plan of one epoch; not safe to call from two threads at once.
class BatchPlan {
 public:
  /// `lengths`: tokens of each sentence. Throws ConfigError if neither cap is set, or one is
  /// negative; DataError if there is no sentence, or none that is short enough.
  BatchPlan(std::vector<int64_t> lengths, BatchOptions options);

  /// Number of batches of an epoch (from 0). Epochs may differ by a few under a cap in tokens.
  int64_t batch_count(int64_t epoch);
  /// The sentence indices of batch `k` of an epoch.
  std::vector<int64_t> batch(int64_t epoch, int64_t k);
  /// Number of sentences of an epoch.
  int64_t size() const { return static_cast<int64_t>(used_.size()); }
  /// The share of padding in the padded tokens of an epoch, in [0, 1).
  double padding(int64_t epoch);

 private:
  void prepare(int64_t epoch);
  std::vector<int64_t> order(int64_t epoch) const;

  std::vector<int64_t> lengths_;
  std::vector<int64_t> used_;  ///< the sentences that are short enough, in document order
  BatchOptions options_;
  int64_t epoch_ = -1;
  std::vector<int64_t> order_;   ///< sentences of the prepared epoch, batch by batch
  std::vector<int64_t> starts_;  ///< where batches begin in order_, and its size at the end
};

/// 64 mixed bits of three numbers (SplitMix64's finaliser, Steele et al. 2014, applied in turn).
uint64_t mix_bits(uint64_t a, uint64_t b, uint64_t c);

}  // namespace lvtext
