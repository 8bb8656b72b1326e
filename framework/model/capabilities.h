// What a model can do for an evaluator or a user. Evaluators ask for these, never for models; a
// model serves what it inherits from. Nothing here computes gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/model/batch.h"
#include "framework/tensor/philox.h"

namespace lvtext {

/// Sentence -> latent code.
class Encodes {
 public:
  virtual ~Encodes() = default;
  virtual int64_t latent_size() const = 0;
  /// Posterior mean without noise, [B, Z].
  virtual at::Tensor encode(const Tokens& sentences) = 0;
  /// One draw of the posterior per sentence, [B, Z]; equal to encode() for deterministic models.
  virtual at::Tensor encode_sampled(const Tokens& sentences, const at::Tensor& example_ids,
                                    const NoiseKey& key) = 0;
  /// KL(q(z|x) || p(z)) per sentence in nats, [B]; none where the posterior has no density.
  virtual std::optional<at::Tensor> posterior_kl(const Tokens&) { return std::nullopt; }
};

/// Draws of the prior, [B, Z], one per example id.
class SamplesPrior {
 public:
  virtual ~SamplesPrior() = default;
  virtual at::Tensor sample_prior(const at::Tensor& example_ids, const NoiseKey& key) = 0;
};

/// The recurrent state of a batch that is being decoded.
struct DecodeState {
  virtual ~DecodeState() = default;
  /// Keeps only the rows of `index` ([M] int64): finished sentences leave the batch.
  virtual void keep_rows(const at::Tensor& index) = 0;
};

/// Next-token scores, one step at a time.
class NextToken {
 public:
  virtual ~NextToken() = default;
  virtual int64_t vocabulary_size() const = 0;
  /// Starts `rows` sentences; `z` is [rows, Z] for models with a latent code, else undefined.
  virtual std::unique_ptr<DecodeState> start(const at::Tensor& z, int64_t rows) = 0;
  /// Scores after feeding `ids` ([N] int64): [N, V], not normalised.
  virtual at::Tensor step(DecodeState& state, const at::Tensor& ids) = 0;
};

/// Negative log-likelihood of given sentences.
class ScoresText {
 public:
  virtual ~ScoresText() = default;
  /// Sum over tokens and end mark in nats, [B]. `z` as in NextToken::start.
  virtual at::Tensor score(const Tokens& sentences, const at::Tensor& z) = 0;
};

/// Sentences as vectors that tell what they mean: the encoders of evaluators.
class EmbedsSentences {
 public:
  virtual ~EmbedsSentences() = default;
  virtual int64_t embedding_size() const = 0;
  /// What a score's signature says of the vectors besides the encoder's name: "pool:v1_zero".
  virtual std::string embedding_signature() const = 0;
  /// The sentences' vectors, [B, E].
  virtual at::Tensor embed(const Tokens& sentences) = 0;
};

}  // namespace lvtext
