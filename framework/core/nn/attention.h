// Multi-head scaled dot-product attention (Vaswani et al. 2017, section 3.2), and the cache of keys
// and values for decoding one token at a time.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "framework/core/tensor/philox.h"

namespace lvtext {

/// Source of the noise of a network in one training step. A null pointer means no dropout.
struct LayerNoise {
  std::function<NoiseKey(const std::string& use)> key;
  at::Tensor example_ids;  ///< [B] int64 on the CPU
};

/// Which keys a query sees.
struct AttentionScope {
  bool causal = true;       ///< only keys at its own and earlier positions
  at::Tensor lengths = {};  ///< [B] int64: only keys before the sentence's end; undefined: all T
};

/// softmax(Q K^T / sqrt(D)) V for each head: [B, h, T, D] each -> [B, h, T, D], in the dtype of the
/// queries. Differentiable. In mixed precision queries, keys and values are rounded to bfloat16 and
/// so is the result; the softmax is float32.
at::Tensor attention(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                     const AttentionScope& scope);

/// The same with dropout of the attention weights with probability `p`. The draws of a query and a
/// key depend on their positions and the example, not on T.
at::Tensor attention_with_dropout(const at::Tensor& queries, const at::Tensor& keys,
                                  const at::Tensor& values, const AttentionScope& scope, double p,
                                  const NoiseKey& key, const at::Tensor& example_ids);

/// Keys and values of the tokens that N texts have read, for all layers of a decoder. No gradients.
/// They are rounded as in attention(), in the precision in which the first tokens are read.
class AttentionCache {
 public:
  /// For `rows` texts that have read nothing.
  AttentionCache(int64_t rows, int64_t layers);

  int64_t rows() const { return static_cast<int64_t>(row_of_.size()); }
  /// Number of tokens that each text has read, [N].
  const std::vector<int64_t>& lengths() const { return lengths_; }

  /// Stores the keys and values [N, h, T, D] of the first tokens of all texts in one layer.
  void store(int64_t layer, const at::Tensor& keys, const at::Tensor& values);
  /// Sets the number of tokens of each text after store(), [N] int64: at most T.
  void set_lengths(const at::Tensor& lengths);
  /// Attention of the next token of each text: stores its keys and values and returns the result,
  /// [N, h, D] each.
  at::Tensor attend(int64_t layer, const at::Tensor& queries, const at::Tensor& keys,
                    const at::Tensor& values);
  /// Counts the token whose keys and values all layers have stored.
  void advance();
  /// Replaces text i by the former text index[i] ([M] int64). Rows of texts that have ended are
  /// kept until a quarter of the rows is unused, because removing them copies the cache.
  void select_rows(const at::Tensor& index);

 private:
  struct Layer {
    at::Tensor keys, values;  // [P, h, S, D]; P physical rows, S tokens allocated
  };
  bool all_rows() const;
  void reserve(Layer& layer, const at::Tensor& like, int64_t tokens);

  std::vector<Layer> layers_;
  int64_t physical_;             // P
  std::vector<int64_t> row_of_;  // [N]: physical row of each text
  std::vector<int64_t> lengths_;
};

}  // namespace lvtext
