// Recurrent decoder with or without a latent vector.
#pragma once

#include <memory>
#include <string>

#include "framework/core/model/batch.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/model/step_context.h"
#include "framework/core/nn/embedding.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/output_layer.h"
#include "framework/core/nn/recurrent_layer.h"
#include "framework/core/tensor/torch.h"
#include "framework/core/text/vocabulary.h"
#include "models/sentence_options.h"

namespace lvtext {

/// p(x | z) over tokens and EOS. The first input is the start symbol of the vocabulary (start_of).
/// The model owns the word vectors, not this module. The contribution of z to the inputs is
/// computed once per sentence, as a bias of the gates, so dropout is never applied to z.
class SentenceDecoder : public torch::nn::Module {
 public:
  /// `latent` is Z; 0: no latent vector. Throws OptionError if the widths do not allow `tied` or
  /// the vocabulary does not allow word dropout, ConfigError for a vocabulary without EOS.
  SentenceDecoder(const Init& init, const DecoderOptions& options, int64_t hidden,
                  std::shared_ptr<Embedding> embedding, int64_t latent,
                  const Vocabulary& vocabulary);

  /// Sum of the NLL of all sentences of a batch in nats, EOS included, with dropout in training.
  /// `z` is [B, Z], undefined without a latent vector. The noise keys are "decoder.*".
  at::Tensor nll_sum(const Tokens& sentences, const at::Tensor& z, const at::Tensor& example_ids,
                     StepContext& context) const;
  /// NLL of each sentence in nats, EOS included, without noise: [B].
  at::Tensor nll(const Tokens& sentences, const at::Tensor& z) const;

  /// As NextTokenModel; no gradient.
  std::unique_ptr<DecodeState> start(const Start& start) const;
  at::Tensor step(DecodeState& state, const at::Tensor& ids) const;
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  struct Masks;  // dropout masks; undefined: no dropout
  struct Input {
    at::Tensor ids;      // [B, T]
    at::Tensor vectors;  // [B, T, E]; undefined: the word vectors of ids
  };
  RecurrentState initial_state(const at::Tensor& z) const;
  at::Tensor sentence_bias(const at::Tensor& z) const;
  at::Tensor outputs(const Input& input, const at::Tensor& lengths, const at::Tensor& z,
                     const Masks& masks) const;
  Input dropped_input(const Tokens& sentences, const at::Tensor& example_ids, StepContext& context,
                      Masks& masks) const;
  const at::Tensor& output_weight() const;
  const at::Tensor& output_bias() const;

  DecoderOptions options_;
  int64_t hidden_;
  Vocabulary vocabulary_;
  int64_t start_, eos_;
  std::shared_ptr<Embedding> embedding_;
  std::unique_ptr<RecurrentLayer> recurrent_;
  std::shared_ptr<Linear> z_to_hidden_, z_to_cell_, z_to_input_;
  at::Tensor z_weight_;  // [G, Z]: columns of the input weights for a concatenated z
  std::shared_ptr<OutputLayer> output_;
  at::Tensor tied_bias_;  // [V], replaces output_ if the output layer is tied
};

}  // namespace lvtext
