// Passes over the sentences of a text, for vectors that several threads update.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "framework/core/model/inputs.h"
#include "framework/core/text/text.h"
#include "framework/core/text/vocabulary.h"

namespace lvtext {

/// Occurrences of each token in a text, [V]; 0 for special ids, and for the unknown token unless
/// `unknown`.
std::vector<int64_t> token_counts(const Text& text, const Vocabulary& vocabulary, bool unknown);

/// Passes over a text, by one thread in the order of its sentences or by several threads, each with
/// its own part of them.
class TextPasses {
 public:
  /// `tokens`: those of one pass. `progress` must outlive the object.
  TextPasses(int64_t tokens, int64_t epochs, const Notify& progress);

  /// Learns from a sentence and returns the number of its tokens. `thread` counts from 0.
  using Learn = std::function<int64_t(size_t thread, int64_t epoch, size_t sentence)>;
  /// Calls `learn` once for each pass and sentence. Reports each percent of the work. Throws
  /// Interrupted after a stop signal.
  void run(size_t sentences, size_t threads, const Learn& learn);
  /// Share of all tokens of all passes that have been read.
  double share() const;

 private:
  void report(int64_t epoch);

  int64_t epochs_;
  double planned_;                 // tokens of all passes
  std::atomic<int64_t> done_ = 0;  // tokens read
  const Notify& progress_;
  int64_t reported_ = 0;  // percent
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace lvtext
