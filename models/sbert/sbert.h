// Sentence-BERT (Reimers and Gurevych 2019): mean of the last states of BERT (Devlin et al. 2019).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/published.h"
#include "framework/core/model/trainable.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/transformer.h"
#include "models/sbert/sbert_options.h"

namespace lvtext {

/// Reads BOS, a sentence and EOS: word, position and token-type vectors (always the first type) and
/// their normalization, then blocks with normalization last. The vector of a sentence is the mean
/// of the last states of all its tokens, divided by its norm (at least 1e-12) with `normalize`. A
/// sentence of more than `length` tokens is cut before EOS is added. Matrices are initialized with
/// N(0, 0.02^2), biases with 0.
///
/// Trained to classify the relation of two sentences u, v (fields "premise" and "hypothesis") from
/// [u, v, |u - v|] by one linear layer (section 3 of the paper). One phase "inference" with the
/// terms "nll", in nats per pair, and "error", the share of wrong labels; only "error" is used for
/// selection. Published weights have the names of BertModel in the package transformers.
class Sbert : public Trainable, public SentenceEmbedder, public TokenEmbedder, public Published {
 public:
  static constexpr int kRevision = 1;
  /// Without the field "label" (for published weights) there is no classifier. Throws ConfigError
  /// for a vocabulary without BOS or EOS.
  Sbert(const SbertOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  /// The authors' training options: one epoch of Adam with learning rate 2e-5 and a linear warmup
  /// over 10 % of the updates, batches of 16 pairs.
  static Node training();

  int64_t embedding_size() const override { return tokens_.size(1); }
  std::string embedding_signature() const override;
  /// An empty sentence is BOS and EOS only. Sentences of one length are computed together, without
  /// padding, so that a vector depends on the other sentences by rounding alone.
  at::Tensor embed(const Tokens& sentences) override;
  /// One layer for each block. BOS and EOS have vectors, too.
  int64_t token_layers() const override { return options_.layers.effective(); }
  TokenVectors token_vectors(const Tokens& sentences, int64_t layers) override;
  PublishedTensor published(const std::string& name) const override;

 private:
  /// Sentences in descending order of their lengths, without padding.
  struct Sorted {
    at::Tensor order;                ///< [B]: sentence at each position
    at::Tensor lengths;              ///< [B], in this order
    std::vector<EqualTexts> groups;  ///< runs of equal length
    at::Tensor embedded;             ///< embedded() of all tokens, [N, C]
  };
  Sorted sorted(const Tokens& read) const;
  /// Sentences of at most `length` tokens with BOS and EOS.
  Tokens framed(const Tokens& sentences) const;
  /// Normalized sums of the three vectors of tokens at the given positions (index tensors of one
  /// shape [...]): [..., C].
  at::Tensor embedded(const at::Tensor& ids, const at::Tensor& positions) const;
  /// Means of the last states, [B, C]: without padding, and with dropout.
  at::Tensor means(const Tokens& read) const;
  at::Tensor means(const Tokens& read, const LayerNoise& noise) const;
  at::Tensor vectors(const at::Tensor& means) const;

  SbertOptions options_;
  int64_t bos_, eos_;
  at::Tensor tokens_;     ///< word vectors, [V, C]
  at::Tensor positions_;  ///< position vectors, [P, C]
  at::Tensor types_;      ///< vectors of token types, [2, C]
  std::shared_ptr<LayerNorm> norm_;
  std::vector<std::shared_ptr<TransformerBlock>> blocks_;
  std::shared_ptr<Linear> classifier_;
};

}  // namespace lvtext
