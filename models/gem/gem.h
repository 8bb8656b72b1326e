// Sentence vectors by geometric embedding, GEM (Yang, Zhu and Chen 2019).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/options/options.h"

namespace lvtext {

enum class GemDenominator { kWindow, kFull };
const std::vector<EnumName<GemDenominator>>& enum_names(GemDenominator);

struct GemOptions {
  int64_t window = 7;
  int64_t directions = 45;
  int64_t sentence_directions = 17;
  double power = 3;
  GemDenominator denominator = GemDenominator::kWindow;

  template <class V>
  void visit(V& v) {
    v.field("window", window, "number of neighbors of a word on each side", in_range(1, 1024));
    v.field("directions", directions,
            "principal directions of the text; at most the width of the word vectors",
            in_range(1, 65536));
    v.field("sentence_directions", sentence_directions,
            "directions of the text that are removed from a sentence, those it has most of; fewer "
            "than the width of the word vectors",
            in_range(1, 65536));
    v.check(sentence_directions <= directions,
            "`sentence_directions` must be at most `directions`");
    v.field("power", power,
            "exponent of the singular values of a sentence in its vector for the directions",
            in_range(1, 16));
    v.field("denominator", denominator, "divisor of the significance of a word");
  }
};

/// The vector of a sentence that the principal directions of a text are computed from: the sum of
/// its left singular vectors, each times its singular value to the power `power` and with the sign
/// that makes its entry of largest magnitude positive. `words` [T, D] float64, T >= 1 -> [D].
at::Tensor coarse_vector(const at::Tensor& words, double power);

/// The parts of a word's weight, novelty + significance + uniqueness.
struct GemWeight {
  double novelty, significance, uniqueness;
  double sum() const { return novelty + significance + uniqueness; }
};

/// The weights of the words of a sentence (sections 3.2 to 3.4 of the paper). With the residual
/// r_i q_i of word v_i after projection on its neighbors (r_i = 0 and q_i = 0 below 5e-7):
/// novelty exp(r_i / |v_i|), significance r_i / (number of words of the window, or 2 m + 1) and
/// uniqueness exp(-|s o (q_i D)| / h). `words` [T, D] float64 without zero vectors, T >= 1;
/// `directions` D [D, h] float64 with the singular values `values` s [h].
std::vector<GemWeight> gem_weights(const at::Tensor& words, const at::Tensor& directions,
                                   const at::Tensor& values, const GemOptions& options);

/// Weighted sums of word vectors without their components along principal directions of a text.
/// The K directions d_j and singular values s_j of the text are those of the matrix of all coarse
/// vectors, fitted once on the input `data`. A sentence S [T, D] uses the h of them with the
/// largest s_j |S d_j| for its weights and is projected on their orthogonal complement. Words
/// without a vector are left out; a sentence without words has the zero vector. Computed in double
/// precision. After the authors' program
/// (https://github.com/ziyi-yang/GEM/tree/a76082d729620ccff23809176099330d2b02b262), whose
/// significance this is.
class Gem : public Fitted, public SentenceEmbedder {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const GemOptions&);
  Gem(const GemOptions& options, const ModelInputs&);

  /// Throws DataError for a text without words that have vectors, ConfigError for too many
  /// directions.
  void fit(const Inputs& inputs, const Notify& progress) override;

  using torch::nn::Module::to;
  /// Stays on the CPU: sentences are computed one by one.
  void to(at::Device, bool = false) override {}

  int64_t embedding_size() const override { return vectors_.size(1); }
  std::string embedding_signature() const override;
  at::Tensor embed(const Tokens& sentences) override;

 private:
  GemOptions options_;
  at::Tensor vectors_;     // [V, D]
  at::Tensor directions_;  // [D, K] float64
  at::Tensor values_;      // [K] float64, descending
};

}  // namespace lvtext
