// What a model can do for an evaluator or a user. Evaluators ask for these, never for models; a
// model serves what it inherits from. `kName` is how recipes, help and messages call a capability.
// Nothing here computes gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/batch.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/text/vocabulary.h"

namespace lvtext {

/// Maps sentences to latent vectors.
class Encoder {
 public:
  static constexpr const char* kName = "encoder";
  virtual ~Encoder() = default;
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
class PriorSampler {
 public:
  static constexpr const char* kName = "prior_sampler";
  virtual ~PriorSampler() = default;
  virtual at::Tensor sample_prior(const at::Tensor& example_ids, const NoiseKey& key) = 0;
};

/// The map from scores to probabilities that a model was trained with.
struct OutputMap {
  enum class Kind { kSoftmax };
  Kind kind = Kind::kSoftmax;
};

/// What a batch of sentences starts from.
struct Start {
  int64_t rows = 0;                   ///< B, the number of sentences
  at::Tensor z = {};                  ///< [B, Z] for models with a latent vector, else undefined
  std::optional<Tokens> prompt = {};  ///< how each sentence begins; none: every prompt is empty
};

/// The state of N sentences that are being decoded, one row each.
struct DecodeState {
  virtual ~DecodeState() = default;
  /// Row i becomes what row index[i] was. `index` ([M] int64, on the scores' device) may leave out
  /// rows (finished sentences), reorder them and repeat them (beam search); copies of a row do not
  /// share anything that a step changes.
  virtual void select_rows(const at::Tensor& index) = 0;
};

/// Next-token scores, one step at a time.
class NextTokenModel {
 public:
  static constexpr const char* kName = "next_token_model";
  virtual ~NextTokenModel() = default;
  /// The ids that it reads and scores; V is its size.
  virtual const Vocabulary& vocabulary() const = 0;
  /// How scores become probabilities.
  virtual OutputMap output_map() const { return {}; }
  /// The state that has read the start symbol (start_of) + prompt but the last of these tokens,
  /// which the caller feeds first; without a prompt it has read nothing. Equal to the state after
  /// feeding the same tokens to step() one by one, to rounding.
  virtual std::unique_ptr<DecodeState> start(const Start& start) = 0;
  /// Scores after feeding `ids` ([N] int64): [N, V], not normalized.
  virtual at::Tensor step(DecodeState& state, const at::Tensor& ids) = 0;
};

/// Negative log-likelihood of given sentences.
class TextScorer {
 public:
  static constexpr const char* kName = "text_scorer";
  virtual ~TextScorer() = default;
  /// Sum over tokens and EOS in nats, [B]. `z` as in Start.
  virtual at::Tensor score(const Tokens& sentences, const at::Tensor& z) = 0;
};

/// Sentences as vectors that tell what they mean: the encoders of evaluators.
class SentenceEmbedder {
 public:
  static constexpr const char* kName = "sentence_embedder";
  virtual ~SentenceEmbedder() = default;
  virtual int64_t embedding_size() const = 0;
  /// What a score's signature says of the vectors besides the encoder's name: "pool:v1_zero".
  virtual std::string embedding_signature() const = 0;
  /// The sentences' vectors, [B, E].
  virtual at::Tensor embed(const Tokens& sentences) = 0;
};

}  // namespace lvtext
