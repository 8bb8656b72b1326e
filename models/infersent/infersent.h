// InferSent: sentence vectors trained on natural-language inference (Conneau et al. 2017).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "framework/core/nn/embedding.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/recurrent_layer.h"
#include "framework/core/options/defaulted.h"
#include "models/infersent/pooling.h"

namespace lvtext {

enum class InfersentSize { kPaper, kSmall };
const std::vector<EnumName<InfersentSize>>& enum_names(InfersentSize);

struct InfersentWidths {
  int64_t embedding, hidden, classifier;
};
/// Returns the widths of `size`.
InfersentWidths preset_widths(InfersentSize size);

struct InfersentOptions {
  InfersentSize size = InfersentSize::kPaper;
  Defaulted<int64_t> embedding, hidden, classifier;
  Pooling pool = Pooling::kV1Zero;
  bool train_words = true;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "preset of the widths");
    const InfersentWidths preset = preset_widths(size);
    embedding.usual = preset.embedding;
    hidden.usual = preset.hidden;
    classifier.usual = preset.classifier;
    v.field("embedding", embedding,
            "width of the word vectors; unset: that of the pretrained vectors, otherwise from "
            "`size`",
            in_range(1, 65536));
    v.field("hidden", hidden, "encoder units per direction; unset: from `size`",
            in_range(1, 65536));
    v.field("classifier", classifier,
            "units of the classifier's two hidden layers; unset: from `size`", in_range(1, 65536));
    v.field("pool", pool, "method of max pooling over a sentence's states");
    v.field("train_words", train_words, "train the word vectors; set to false for pretrained ones");
  }
};

/// Features of the relation of sentence vectors u and v, both [B, E]: [u, v, |u - v|, u * v], [B, 4
/// E] (Conneau et al. 2017, section 3.1).
at::Tensor pair_features(const at::Tensor& u, const at::Tensor& v);

/// A bidirectional LSTM over words with max pooling.
class PooledEncoder : public torch::nn::Module {
 public:
  /// Throws ConfigError for a vocabulary without BOS or EOS.
  PooledEncoder(const Init& init, std::shared_ptr<Embedding> words, int64_t hidden,
                const Vocabulary& vocabulary);
  /// Width of a sentence vector: 2 hidden.
  int64_t width() const { return lstm_.width(); }
  /// Returns the sentence vectors, [B, 2 hidden]; adds BOS and EOS to each sentence.
  at::Tensor forward(const Tokens& sentences, Pooling pooling) const;

 private:
  int64_t bos_, eos_;
  std::shared_ptr<Embedding> words_;
  RecurrentEncoder lstm_;
};

/// Sentence vectors of a PooledEncoder, trained to classify the relation of two sentences u, v
/// (fields "premise" and "hypothesis") from [u, v, |u - v|, u * v] by three linear layers, as in
/// InferSent version 1. One phase "inference" with the terms "nll", in nats per pair, and "error",
/// the share of wrong labels; only "error" is used for selection. In training, v1_batch pools like
/// v1_zero, so that a pair does not depend on the rest of its batch.
class Infersent : public Trainable, public SentenceEmbedder {
 public:
  /// Without the field "label" (for published weights) there is no classifier.
  Infersent(const InfersentOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  static constexpr int kRevision = 2;
  /// The authors' training options: SGD with learning rate 0.1, divided by 5 after each validation
  /// without improvement, until it is below 1e-5, or for 20 epochs (section 3.3).
  static Node training();

  int64_t embedding_size() const override { return encoder_->width(); }
  std::string embedding_signature() const override;
  /// Adds BOS and EOS to each sentence; an empty sentence is BOS and EOS only.
  at::Tensor embed(const Tokens& sentences) override;

 private:
  at::Tensor classify(const at::Tensor& u, const at::Tensor& v) const;

  InfersentOptions options_;
  std::shared_ptr<Embedding> words_;
  std::shared_ptr<PooledEncoder> encoder_;
  std::vector<std::shared_ptr<Linear>> classifier_;
};

}  // namespace lvtext
