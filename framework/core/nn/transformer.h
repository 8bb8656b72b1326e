// Transformer blocks with normalization before (GPT-2) or after (BERT) attention and MLP.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/nn/attention.h"
#include "framework/core/nn/init.h"
#include "framework/core/nn/linear.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// Layer normalization over the last dimension (Ba, Kiros and Hinton 2016): (x - mean) /
/// sqrt(variance + eps) * weight + bias, with the biased variance. Parameters "weight" (1) and
/// "bias" (0).
class LayerNorm : public torch::nn::Module {
 public:
  LayerNorm(const Init& init, int64_t width, double eps = 1e-5);
  /// [..., C] -> [..., C].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  double eps_;
  at::Tensor weight_, bias_;
};

enum class Gelu { kTanh, kErf };

/// Configuration of a block.
struct TransformerLayout {
  int64_t width = 0;        ///< C
  int64_t heads = 0;        ///< h, divides C
  int64_t inner = 0;        ///< width of the MLP
  bool norm_first = true;   ///< normalization before (GPT-2) or after (BERT) the residual sum
  bool causal = true;       ///< tokens see earlier tokens only
  Gelu gelu = Gelu::kTanh;  ///< activation of the MLP: GPT-2's "gelu_new", or the exact one
  double norm_eps = 1e-5;
  double deviation = 0.02;       ///< initial weights: N(0, deviation^2); biases: 0
  double attention_dropout = 0;  ///< dropout of the attention weights
  double residual_dropout = 0;   ///< dropout of the outputs of attention and MLP
};

/// Texts of one length, side by side in a packed batch.
struct EqualTexts {
  int64_t texts = 0;
  int64_t length = 0;  ///< tokens of each
};

/// x += attention(norm(x)); x += mlp(norm(x)), or x = norm(x + attention(x)); x = norm(x + mlp(x)).
class TransformerBlock : public torch::nn::Module {
 public:
  TransformerBlock(const Init& init, const TransformerLayout& layout);

  /// x [B, T, C] -> [B, T, C]. `lengths` is [B] int64 (undefined: all T); positions at padding are
  /// computed, but not read by others. With `noise`, drops out; its keys are "attention",
  /// "attention_output" and "mlp_output" after `name`. With `cache`, stores keys and values as
  /// `layer`.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& lengths, const LayerNoise* noise,
                     const std::string& name, AttentionCache* cache = nullptr,
                     int64_t layer = 0) const;
  /// The same without padding and dropout: x [N, C] has the tokens of all texts, text by text, in
  /// groups of texts of one length. Nothing is computed for padding.
  at::Tensor forward_packed(const at::Tensor& x, const std::vector<EqualTexts>& groups) const;
  /// The same for the next token of each text: x [N, C] -> [N, C]. No gradient.
  at::Tensor step(const at::Tensor& x, AttentionCache& cache, int64_t layer) const;

 private:
  template <class Attend, class Drop>
  at::Tensor run(const at::Tensor& x, const Attend& attend, const Drop& drop) const;
  at::Tensor mlp(const at::Tensor& x) const;
  /// Queries, keys and values, each [B, h, T, D], of the projections of B texts of T tokens.
  std::array<at::Tensor, 3> heads_of(const at::Tensor& projected, int64_t texts,
                                     int64_t length) const;

  TransformerLayout layout_;
  std::shared_ptr<LayerNorm> attention_norm_, mlp_norm_;
  std::shared_ptr<Linear> qkv_;  ///< rows: queries, keys, values of all heads
  std::shared_ptr<Linear> attention_output_, mlp_input_, mlp_output_;
};

}  // namespace lvtext
