// Encoder and generator of sentences with a style vector and a content vector.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "framework/core/model/batch.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/nn/embedding.h"
#include "framework/core/nn/gru.h"
#include "framework/core/text/vocabulary.h"
#include "models/style_transfer/soft_words.h"
#include "models/style_transfer/style_transfer_options.h"

namespace lvtext {

/// Dropout of x [B, ...] with the noise of the purpose `use`; an empty function drops nothing.
using Dropout = std::function<at::Tensor(const at::Tensor& x, const std::string& use)>;

/// The words of a free-running generator that reads expected word vectors.
struct SoftDecoding {
  int64_t states = 0;      ///< S, the number of states
  at::Tensor temperature;  ///< scalar
  /// Noise [B, V] on the logits of word t = 1, 2, ...; an empty function adds none.
  std::function<at::Tensor(int64_t t)> noise;
  bool stop_at_eos = false;  ///< repeat the state whose most probable word is EOS
};

/// Autoencoder of Shen et al. (2017). With y(s) = s w + b for a style s in {0, 1}, separately for
/// encoder and generator, the encoder, a GRU, starts in the state [y(s); 0] and reads the sentence
/// from its end; the last C units of its final state are the content vector. The generator, another
/// GRU, starts in the state [y(s); content]. Both share the word vectors. H = Y + C.
class TransferAutoencoder : public torch::nn::Module {
 public:
  /// Throws ConfigError for a vocabulary without EOS.
  TransferAutoencoder(const Init& init, const StyleTransferOptions& options,
                      const Vocabulary& vocabulary);

  /// The length to which the sentences of a batch are padded, L: that of the longest, at least
  /// min_length.
  int64_t padded_length(const Tokens& sentences) const;
  /// Ids with exactly `length` columns, [B, length], with padding after each sentence.
  at::Tensor padded(const Tokens& sentences, int64_t length) const;

  /// Content vectors of sentences with the styles `styles` [B]: [B, C].
  at::Tensor encode(const Tokens& sentences, const at::Tensor& styles,
                    const Dropout& dropout) const;
  /// Initial states of the generator, [B, H].
  at::Tensor initial(const at::Tensor& styles, const at::Tensor& content) const;
  /// States with teacher forcing, the inputs being BOS (EOS without one) and the sentence, from
  /// `initial`: [B, L + 1, H] without the initial state, where L is the number of columns of
  /// `sentences`. With `lengths` [B] (at most L + 1), only the first of a row are computed and the
  /// last of these is repeated; undefined: the padding is read.
  at::Tensor teacher_forced(const Tokens& sentences, const at::Tensor& lengths,
                            const at::Tensor& initial, const Dropout& dropout) const;
  /// Free-running states that begin with the initial one, [B, S, H], in float32 or float64.
  at::Tensor soft(const at::Tensor& initial, const SoftDecoding& decoding,
                  const Dropout& dropout) const;
  /// Sum of the NLL of the sentences in nats, EOS included, given the states of teacher_forced().
  at::Tensor nll_sum(const at::Tensor& states, const Tokens& sentences,
                     const Dropout& dropout) const;

  /// As NextTokenModel; `z` of a Start is initial(). No gradient.
  std::unique_ptr<DecodeState> start(const Start& start) const;
  at::Tensor step(DecodeState& state, const at::Tensor& ids) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  int64_t width() const { return style_ + content_; }
  at::TensorOptions tensor_options() const { return output_weight_.options().requires_grad(false); }
  WordLayers layers() const { return {output_weight_, output_bias_, embedding_->weight()}; }

 private:
  /// w and b of y(s), both [Y].
  struct Style {
    at::Tensor weight, bias;
    at::Tensor of(const at::Tensor& styles) const;
  };
  RecurrentResult read(const Gru& layer, const at::Tensor& ids, const at::Tensor& lengths,
                       const at::Tensor& initial, bool reverse, const Dropout& dropout,
                       const std::string& use) const;

  int64_t style_, content_, min_length_;
  bool pack_encoder_;
  Vocabulary vocabulary_;
  int64_t start_, eos_, pad_;
  std::shared_ptr<Embedding> embedding_;
  Style encoder_style_, generator_style_;
  std::unique_ptr<Gru> encoder_, generator_;
  at::Tensor output_weight_, output_bias_;
};

}  // namespace lvtext
