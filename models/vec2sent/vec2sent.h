// Decoder of sentence embeddings (Kerscher and Eger 2020).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/lstm.h"
#include "framework/core/nn/output_layer.h"
#include "models/vec2sent/vec2sent_options.h"

namespace lvtext {

/// Constant word vectors with some rows that are trained elsewhere.
class ConstantWords : public torch::nn::Module {
 public:
  /// `weight` is [V, E], 0 in the rows `ids`.
  ConstantWords(const at::Tensor& weight, const std::vector<int64_t>& ids);
  const at::Tensor& weight() const { return weight_; }
  /// [S]: the rows that are trained.
  at::Tensor ids() const { return ids_.to(at::kLong); }
  /// Word vectors of `ids` [...], where `trained` [S, E] are the trained rows: [..., E].
  at::Tensor vectors(const at::Tensor& ids, const at::Tensor& trained) const;

 private:
  at::Tensor weight_;
  // A change of the module's type changes that of all its buffers.
  at::Tensor ids_;
  at::Tensor indices_;  // [V]: 1 + index in ids_, or 0
};

/// p(x | c) over tokens and EOS for a given vector c of a sentence, the field "embedding".
///
/// mos: LSTM layers, the first of which reads [word vector; c] at every step (the share of c is
/// computed once per sentence), and a mixture of softmaxes (Yang et al. 2018): the prior is
/// softmax(W_p o), the vector of expert k tanh(W_k o + b_k), for the output o of the last layer.
/// lstm: the state of the first layer starts at a map of c, and one expert is W o + b. The output
/// table of all experts is the table of word vectors, with a bias of its own.
///
/// Without the input "word_vectors" the table is trained, from N(0, deviation^2). With it the table
/// is constant, except for the rows of the start symbol and EOS, which start at N(0, s^2), where s
/// gives them the mean norm of the table's rows that are not 0; with `train_words` it is trained
/// from these vectors. Dropout as in AWD-LSTM (Merity, Keskar and Socher 2018), with masks per
/// sentence.
///
/// One phase "decode" with the terms "nll", in nats per token, EOS included, and, if their weights
/// are not 0, "ar" and "tar". Only "nll" is used for selection.
class Vec2Sent : public Trainable, public NextTokenModel, public VectorDecoder, public TextScorer {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const Vec2SentOptions& options);
  /// Throws MissingField without the field "embedding", ConfigError for a vocabulary without EOS.
  Vec2Sent(const Vec2SentOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override;
  /// Adam with learning rate 1e-3, halved after an epoch without improvement of the validation, at
  /// most four times or 20 epochs; batches of 256 sentences. The authors published no settings.
  static Node training();

  int64_t vector_size() const override { return context_size_; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start& start) override;
  /// Logarithms of probabilities.
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override;
  at::Tensor score(const Tokens& sentences, const at::Tensor& z) override;

 private:
  struct Noise;  // keys of dropout
  struct State;
  struct States {
    at::Tensor raw, dropped;  // outputs of the last layer [B, T, H], before and after dropout
    std::vector<RecurrentState> last;
  };

  at::Tensor word_vectors(const at::Tensor& ids) const;
  const at::Tensor& table() const { return frozen_ ? frozen_->weight() : words_; }
  std::vector<RecurrentState> initial_states(const at::Tensor& context) const;
  at::Tensor sentence_bias(const at::Tensor& context) const;
  States run(const at::Tensor& ids, const at::Tensor& lengths, const at::Tensor& context,
             const Noise* noise) const;
  /// The mixture for outputs [N, H]; `sentences` [N] are the sentences of the rows, for dropout.
  Mixture mixture(const at::Tensor& outputs, const at::Tensor& sentences, const Noise* noise) const;
  void add_words(const Vec2SentOptions& options, const ModelInputs& inputs);

  Vec2SentOptions options_;
  Vocabulary vocabulary_;
  int64_t start_, eos_, context_size_ = 0;
  std::shared_ptr<ConstantWords> frozen_;  // null if all word vectors are trained
  at::Tensor words_;                       // [V, E], or [S, E] with frozen_
  std::vector<std::unique_ptr<Lstm>> layers_;
  at::Tensor context_weight_;  // [G, C] of the first layer; mos
  std::shared_ptr<Linear> to_hidden_, to_cell_;
  std::shared_ptr<Linear> to_latent_, to_prior_;
  at::Tensor bias_;  // [V]
};

}  // namespace lvtext
