// Beam search: the most probable sentences of a batch that decode() steps through.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "framework/core/model/capabilities.h"

namespace lvtext {

struct BeamOptions {
  int64_t width = 4;  ///< W >= 1, hypotheses of a sentence; 1 is greedy decoding
  /// Exponent A >= 0 of the length normalization in Hypothesis::score; 0 is none.
  double length_norm = 0;
  int64_t n_best = 1;  ///< hypotheses to return, at most W
};

/// What a beam search found for a sentence.
struct Hypothesis {
  std::vector<int32_t> tokens;  ///< without prompt, BOS and EOS
  bool ended = false;           ///< false: reached the length limit without EOS
  double log_probability = 0;   ///< sum over its tokens and its EOS, in nats
  /// log_probability / ((5 + n) / 6)^A, where n counts the tokens and the EOS (Wu et al. 2016,
  /// "Google's neural machine translation system", equation 14, without the coverage penalty).
  double score = 0;
};

/// How a batch that is being decoded continues.
struct Continuation {
  at::Tensor ids;   ///< [M] int64 on the scores' device, one token for each row; undefined: no rows
  at::Tensor rows;  ///< [M] int64, the rows that they continue; undefined: all, in their order
};

/// Length-synchronous beam search. After each step the W - E most probable one-token continuations
/// of a sentence's hypotheses are kept, where E counts its hypotheses that have ended. A hypothesis
/// leaves the batch when it ends, or when it could not be among the n best any more, however it
/// went on. Of equal log probabilities the one of the better hypothesis is kept first, then that of
/// the lowest id. Probabilities are those of the whole vocabulary under the model's output map;
/// what is never chosen of the vocabulary (never_chosen) is not.
class BeamSearch {
 public:
  /// For `sentences` rows that are cut after `max_length` tokens. Throws ConfigError for a
  /// vocabulary without EOS.
  BeamSearch(const BeamOptions& options, const OutputMap& map, const Vocabulary& vocabulary,
             int64_t sentences, int64_t max_length);

  /// Takes the `scores` [M, V] of the rows of the last continuation, or of one row per sentence,
  /// after `position` tokens.
  Continuation advance(const at::Tensor& scores, int64_t position);

  /// Each sentence's n best hypotheses, best score first; of equal scores the shorter one first.
  /// Hypotheses that have not ended take part as they are.
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
  std::vector<int32_t> excluded_;
  int64_t eos_;
  int64_t max_length_;
  std::vector<Sentence> sentences_;
};

}  // namespace lvtext
