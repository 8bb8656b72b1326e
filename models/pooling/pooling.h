// Sentences as pooled word vectors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"

namespace lvtext {

enum class Pool { kMean, kSum, kMax, kMin, kHier, kPower, kConcat };
const std::vector<EnumName<Pool>>& enum_names(Pool);

enum class PowerRoot { kPrincipal, kSigned };
const std::vector<EnumName<PowerRoot>>& enum_names(PowerRoot);

struct PoolingOptions {
  std::vector<Pool> pool = {Pool::kMean};
  std::optional<int64_t> positions;
  // Unset: not part of identities.
  Defaulted<int64_t> window;
  std::optional<std::vector<int64_t>> powers;
  Defaulted<PowerRoot> root;

  template <class V>
  void visit(V& v) {
    v.field("pool", pool,
            "poolings of the word vectors of a sentence, whose results are concatenated",
            not_empty());
    v.field("positions", positions,
            "for concat: number of word vectors; later words are ignored, missing ones are 0",
            in_range(1, 65536));
    if (has(Pool::kHier)) window.usual = 3;
    v.field("window", window, "for hier: number of consecutive words of a mean", in_range(1, 1024));
    v.field("powers", powers, "for power: the exponents p, one mean for each", in_range(2, 64));
    if (has(Pool::kPower)) root.usual = PowerRoot::kPrincipal;
    v.field("root", root, "for power: the root of a negative mean");
    v.check(has(Pool::kConcat) == positions.has_value(),
            "`positions` is required for the pooling concat, and only there");
    v.check(has(Pool::kHier) || !window, "`window` is only for the pooling hier");
    v.check(has(Pool::kPower) == (powers && !powers->empty()),
            "`powers` is required for the pooling power, and only there");
    v.check(has(Pool::kPower) || !root, "`root` is only for the pooling power");
  }

  bool has(Pool requested) const {
    return std::find(pool.begin(), pool.end(), requested) != pool.end();
  }
};

/// Sentence vectors from word vectors v_1, ..., v_T [V, D], by coordinate:
/// - mean, sum, max, min: [B, D];
/// - hier: the maximum of the means of all windows of n consecutive words, of the vectors
///   themselves for T < n, [B, D] (Shen et al. 2018, https://aclanthology.org/P18-1041);
/// - power: (mean of v^p)^(1/p) for each of P exponents, [B, P D] (Rueckle et al. 2018,
///   https://arxiv.org/abs/1803.01400). A negative mean m has the real part of the principal root,
///   |m|^(1/p) cos(pi/p), or for odd p the root with its sign;
/// - concat: the vectors of the first P words, [B, P D];
/// or several of these one after the other, in the order of `pool`. A token without a vector counts
/// as the zero vector, and an empty sentence has the zero vector. Sums are in double precision;
/// those of poolings without order are in the order of ids, so that permuted sentences have the
/// same bits.
class Pooling : public Fitted, public SentenceEmbedder {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const PoolingOptions&);
  Pooling(const PoolingOptions& options, const ModelInputs&);

  void fit(const Inputs& inputs, const Notify& progress) override;
  int64_t embedding_size() const override;
  std::string embedding_signature() const override;
  at::Tensor embed(const Tokens& sentences) override;

 private:
  PoolingOptions options_;
  at::Tensor vectors_;  // [V, D]
};

}  // namespace lvtext
