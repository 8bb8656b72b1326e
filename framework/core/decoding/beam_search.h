// Beam search for the most probable sentences of a batch; driven by decode().
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "framework/core/decoding/text_end.h"
#include "framework/core/model/capabilities.h"

namespace lvtext {

struct BeamOptions {
  int64_t width = 4;  ///< beam width W >= 1; 1 is greedy decoding
  /// Exponent A >= 0 of the length normalization in Hypothesis::score; 0: none.
  double length_norm = 0;
  int64_t n_best = 1;  ///< hypotheses to return, at most W
};

/// A result of beam search for a sentence.
struct Hypothesis {
  std::vector<int32_t> tokens;  ///< without prompt, start symbol and the id that ended it
  bool ended = false;           ///< false: reached the length limit without such an id
  double log_probability = 0;   ///< sum over its tokens and the id that ended it, in nats
  /// log_probability / ((5 + n) / 6)^A, where n counts the tokens and that id (Wu et al. 2016,
  /// "Google's neural machine translation system", equation 14, without the coverage penalty).
  double score = 0;
};

/// Next tokens and rows of a batch that is being decoded.
struct Continuation {
  at::Tensor ids;   ///< [M] int64 on the scores' device, one token per row; undefined: no rows
  at::Tensor rows;  ///< [M] int64, the rows that they extend; undefined: all rows in order
};

/// Length-synchronous beam search. After each step the W - E most probable one-token extensions of
/// a sentence's hypotheses are kept, where E is the number of its ended hypotheses. A hypothesis
/// leaves the batch when it ends, or when none of its extensions can be among the n best. Ties are
/// broken in favor of the better hypothesis, then the lowest id. Probabilities are over the whole
/// vocabulary under the model's output map, but excluded ids of `end` are not chosen.
class BeamSearch {
 public:
  /// Searches for `sentences` rows of at most `max_length` tokens.
  BeamSearch(const BeamOptions& options, const OutputMap& map, TextEnd end, int64_t sentences,
             int64_t max_length);

  /// Advances by one token. `scores` [M, V] are for the rows of the last continuation, or initially
  /// for one row per sentence, after `position` tokens.
  Continuation advance(const at::Tensor& scores, int64_t position);

  /// Returns the n best hypotheses of each sentence, best score first; of equal scores, the shorter
  /// one first. Includes hypotheses that have not ended.
  std::vector<std::vector<Hypothesis>> best() const;

 private:
  struct Sentence {
    std::vector<Hypothesis> open =
        std::vector<Hypothesis>(1);  // rows of the batch, most probable first
    std::vector<Hypothesis> ended;   // best score first
  };
  struct Extension;
  struct Rows;
  std::vector<Extension> best_extensions(const Sentence& sentence, const int64_t* ids,
                                         const double* log_probabilities, int64_t k) const;
  void extend(Sentence& sentence, const std::vector<Extension>& extensions, int64_t first_row,
              Rows& next_batch) const;
  double score(double log_probability, int64_t length) const;
  bool is_beaten(const Sentence& sentence, const Hypothesis& hypothesis) const;

  BeamOptions options_;
  OutputMap map_;
  TextEnd end_;
  int64_t max_length_;
  std::vector<Sentence> sentences_;
};

}  // namespace lvtext
