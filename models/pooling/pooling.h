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
#include "framework/core/options/options.h"

namespace lvtext {

enum class Pool { kMean, kSum, kMax, kConcat };
const std::vector<EnumName<Pool>>& enum_names(Pool);

struct PoolingOptions {
  std::vector<Pool> pool = {Pool::kMean};
  std::optional<int64_t> positions;

  template <class V>
  void visit(V& v) {
    v.field("pool", pool,
            "poolings of the word vectors of a sentence, whose results are concatenated",
            not_empty());
    v.field("positions", positions,
            "for concat: number of word vectors; later words are ignored, missing ones are 0",
            in_range(1, 65536));
    const bool has_positions = std::find(pool.begin(), pool.end(), Pool::kConcat) != pool.end();
    v.check(has_positions == positions.has_value(),
            "`positions` is required for the pooling concat, and only there");
  }
};

/// Sentence vectors [B, D] from word vectors [V, D]: their mean, their sum, the maximum of each
/// coordinate, or the concatenation of those of the first P words, [B, P D]; or several of these
/// one after the other. A token without a
/// vector counts as the zero vector, and an empty sentence has the zero vector. Sums are in double
/// precision and in the order of ids, so that permuted sentences have the same bits.
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
