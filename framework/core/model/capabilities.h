// Interfaces of trained models. Evaluators require capabilities, not particular models; a model has
// the capabilities that its class inherits from. `kName` is the name of a capability in recipes,
// help and messages. None of these functions computes gradients.
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
  /// One posterior sample per sentence, [B, Z]; equal to encode() for deterministic models.
  virtual at::Tensor encode_sampled(const Tokens& sentences, const at::Tensor& example_ids,
                                    const NoiseKey& key) = 0;
  /// KL(q(z|x) || p(z)) per sentence in nats, [B]; std::nullopt if the posterior has no density.
  virtual std::optional<at::Tensor> posterior_kl(const Tokens&) { return std::nullopt; }
};

/// Samples the prior, [B, Z], one draw per example id.
class PriorSampler {
 public:
  static constexpr const char* kName = "prior_sampler";
  virtual ~PriorSampler() = default;
  virtual at::Tensor sample_prior(const at::Tensor& example_ids, const NoiseKey& key) = 0;
};

/// The function from scores to probabilities that a model was trained with: alpha-entmax
/// (core/nn/entmax.h), which is softmax for alpha 1.
struct OutputMap {
  double alpha = 1;
};

/// Initial conditions of a batch of sentences to be decoded.
struct Start {
  int64_t rows = 0;   ///< B, the number of sentences
  at::Tensor z = {};  ///< [B, Z] for models with a latent vector, otherwise undefined
  std::optional<Tokens> prompt =
      {};  ///< first tokens of each sentence; nullopt: all prompts are empty
};

/// Decoder state of N sentences, one row each.
struct DecodeState {
  virtual ~DecodeState() = default;
  /// Replaces row i by the former row index[i]. `index` ([M] int64, on the scores' device) may omit
  /// rows (finished sentences), reorder them and repeat them (beam search); copies of a row share
  /// no state that step() modifies.
  virtual void select_rows(const at::Tensor& index) = 0;
};

/// Computes next-token scores, one step at a time.
class NextTokenModel {
 public:
  static constexpr const char* kName = "next_token_model";
  virtual ~NextTokenModel() = default;
  /// Vocabulary of the input and output ids; V is its size.
  virtual const Vocabulary& vocabulary() const = 0;
  /// Function from scores to probabilities.
  virtual OutputMap output_map() const { return {}; }
  /// The token that every text begins with and that is not part of it; std::nullopt for models of
  /// running text, whose prompt is read as it is: their first token is given, never predicted.
  virtual std::optional<int32_t> start_symbol() const { return start_of(vocabulary()); }
  /// Whether EOS ends a text. Otherwise a text ends at the maximum length alone, and its likelihood
  /// has no term for its end.
  virtual bool ends() const { return true; }
  /// The largest number of tokens that the model reads, start symbol and prompt included;
  /// std::nullopt: any.
  virtual std::optional<int64_t> max_positions() const { return std::nullopt; }
  /// Scores of all tokens that are predicted in the given texts, text after text: [P, V]. These are
  /// the tokens of each text, without its first one if there is no start symbol, and EOS if the
  /// model has ends(). By default step by step; models that compute all positions at once override
  /// it. Equal to steps up to rounding. For models without a latent variable.
  virtual at::Tensor text_scores(const Tokens& texts);
  /// Returns the state after the start symbol and the prompt, except for the last of these tokens,
  /// which the caller passes to step() first; without a prompt the state has read nothing. Equal up
  /// to rounding to the state after passing the same tokens to step() one by one.
  virtual std::unique_ptr<DecodeState> start(const Start& start) = 0;
  /// Scores after feeding `ids` ([N] int64): [N, V], not normalized.
  virtual at::Tensor step(DecodeState& state, const at::Tensor& ids) = 0;
};

/// Decodes sentences from given vectors, which must be known, such as those of a sentence encoder:
/// the Start::z of the model, which is also a NextTokenModel. It has no prior, so nothing can be
/// sampled from it.
class VectorDecoder {
 public:
  static constexpr const char* kName = "vector_decoder";
  virtual ~VectorDecoder() = default;
  /// Width Z of the vectors.
  virtual int64_t vector_size() const = 0;
};

/// Computes the negative log-likelihood of given sentences.
class TextScorer {
 public:
  static constexpr const char* kName = "text_scorer";
  virtual ~TextScorer() = default;
  /// Sum over tokens and EOS in nats, [B]. `z` as in Start. A model that is also a NextTokenModel
  /// leaves out EOS without ends(), and the first token without start_symbol().
  virtual at::Tensor score(const Tokens& sentences, const at::Tensor& z) = 0;
};

/// Maps sentences to semantic vectors; used by evaluators.
class SentenceEmbedder {
 public:
  static constexpr const char* kName = "sentence_embedder";
  virtual ~SentenceEmbedder() = default;
  virtual int64_t embedding_size() const = 0;
  /// Part of a score's signature that describes the vectors besides the encoder's name, such as
  /// "pool:v1_zero".
  virtual std::string embedding_signature() const = 0;
  /// Returns the sentence vectors, [B, E].
  virtual at::Tensor embed(const Tokens& sentences) = 0;
};

/// Vectors of the tokens of sentences, in some layers of a model.
struct TokenVectors {
  at::Tensor vectors;  ///< [L, B, T, D]; at padding arbitrary
  Tokens read;         ///< the tokens that they belong to, with those that the model adds
};

/// Maps the tokens of sentences to vectors that depend on the sentence.
class TokenEmbedder {
 public:
  static constexpr const char* kName = "token_embedder";
  virtual ~TokenEmbedder() = default;
  /// Number of layers.
  virtual int64_t token_layers() const = 0;
  /// The vectors of the last `layers` layers, the last one last. `layers` is in 1..token_layers().
  virtual TokenVectors token_vectors(const Tokens& sentences, int64_t layers) = 0;
};

/// Assigns sentences to classes.
class TextClassifier {
 public:
  static constexpr const char* kName = "text_classifier";
  virtual ~TextClassifier() = default;
  /// Number of classes C; class i is the i-th value of the label that the model was trained on.
  virtual int64_t classes() const = 0;
  /// Log-probabilities of the classes, [B, C].
  virtual at::Tensor classify(const Tokens& sentences) = 0;
};

/// Encodes sentences of one style so that they are decoded in another. The model is also a
/// NextTokenModel.
class StyleTransfer {
 public:
  static constexpr const char* kName = "style_transfer";
  virtual ~StyleTransfer() = default;
  /// Number of styles S.
  virtual int64_t styles() const = 0;
  /// Latent vectors (Start::z) from which the sentences, which have the styles `from`, are decoded
  /// in the styles `to`: [B, Z]. Both styles are [B] int64 with values in [0, S).
  virtual at::Tensor encode_for(const Tokens& sentences, const at::Tensor& from,
                                const at::Tensor& to) = 0;
};

/// Maps the tokens of its vocabulary to vectors.
class WordVectors {
 public:
  static constexpr const char* kName = "word_vectors";
  virtual ~WordVectors() = default;
  /// One row per token, [V, D]; zero for tokens without a vector.
  virtual at::Tensor vectors() const = 0;
};

/// Maps the tokens of its vocabulary to weights, such as inverse document frequencies.
class TokenWeights {
 public:
  static constexpr const char* kName = "token_weights";
  virtual ~TokenWeights() = default;
  /// One weight per token, [V]; negative for tokens without a weight.
  virtual at::Tensor weights() const = 0;
};

/// Draws images from conditions, such as embeddings of captions.
class ImageGenerator {
 public:
  static constexpr const char* kName = "image_generator";
  virtual ~ImageGenerator() = default;
  /// Width D of the conditions that it was trained with.
  virtual int64_t condition_size() const = 0;
  /// Height and width S of its images, in pixels.
  virtual int64_t image_size() const = 0;
  /// Images [B, C, S, S] with values from -1 to 1, for conditions [B, D]. Image i depends on
  /// condition i, `key` and example_ids[i] alone.
  virtual at::Tensor draw(const at::Tensor& conditions, const at::Tensor& example_ids,
                          const NoiseKey& key) = 0;
  /// What the last stage draws from, without noise, [B, E]: the conditions themselves, or the mean
  /// of a conditioning net.
  virtual at::Tensor drawn_from(const at::Tensor& conditions) { return conditions; }
};

/// Maps images, or pairs of an image and a condition, to numbers that are high for real ones.
class ImageScorer {
 public:
  static constexpr const char* kName = "image_scorer";
  virtual ~ImageScorer() = default;
  /// Width E of the conditions; 0: it sees images alone.
  virtual int64_t scored_condition_size() const = 0;
  /// Number of images that are scored together, with the statistics of their batch; 0: any number,
  /// each image by itself.
  virtual int64_t scored_together() const = 0;
  /// Largest possible difference between the mean scores of two sets of images; may be infinite.
  virtual double largest_distance() const = 0;
  /// Scores [K, B] of the images, bytes [B, C, S, S], under K conditions of each, [K, B, E];
  /// [1, B] without conditions (undefined). All K share the statistics of one pass.
  virtual at::Tensor score_images(const at::Tensor& images, const at::Tensor& conditions) = 0;
};

/// Maps images to vectors whose distances say how alike the images are.
class ImageFeatures {
 public:
  static constexpr const char* kName = "image_features";
  virtual ~ImageFeatures() = default;
  /// Width F of the vectors.
  virtual int64_t feature_size() const = 0;
  /// Vectors [B, F] of images, bytes [B, C, S, S].
  virtual at::Tensor image_features(const at::Tensor& images) = 0;
};

}  // namespace lvtext
