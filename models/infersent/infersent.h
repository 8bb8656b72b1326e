// Sentence vectors learned from natural-language inference (Conneau et al. 2017).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "framework/core/nn/embedding.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/recurrent_layer.h"
#include "models/infersent/pooling.h"

namespace lvtext {

enum class InfersentSize { kPaper, kSmall };
const std::vector<EnumName<InfersentSize>>& enum_names(InfersentSize);

struct InfersentOptions {
  InfersentSize size = InfersentSize::kPaper;
  std::optional<int64_t> embedding, hidden, classifier;
  Pooling pool = Pooling::kV1Zero;
  bool train_words = true;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "preset of the widths");
    v.field("embedding", embedding,
            "width of the word vectors; unset: that of given vectors, else from `size`",
            in_range(1, 65536));
    v.field("hidden", hidden, "units per direction; unset: from `size`", in_range(1, 65536));
    v.field("classifier", classifier,
            "units of the classifier's two hidden layers; unset: from `size`", in_range(1, 65536));
    v.field("pool", pool, "how the states of a sentence become its vector");
    v.field("train_words", train_words, "word vectors are trained too; false for given ones");
  }
};

/// A bidirectional LSTM over words with max pooling.
class PooledEncoder : public torch::nn::Module {
 public:
  /// Throws ConfigError for a vocabulary without BOS or EOS.
  PooledEncoder(const Init& init, std::shared_ptr<Embedding> words, int64_t hidden,
                const Vocabulary& vocabulary);
  /// Width of a sentence's vector: 2 hidden.
  int64_t width() const { return lstm_.width(); }
  /// The sentences' vectors, [B, 2 hidden], each between BOS and EOS.
  at::Tensor forward(const Tokens& sentences, Pooling pooling) const;

 private:
  int64_t bos_, eos_;
  std::shared_ptr<Embedding> words_;
  RecurrentEncoder lstm_;
};

/// Sentence vectors of a PooledEncoder, trained to tell the relation of
/// two sentences u, v (fields "premise" and "hypothesis") from [u, v, |u - v|, u * v] by three
/// linear layers, as its first version has them. One phase "inference": "nll" in nats per pair, and
/// "error", the share of wrong labels, which alone selects weights. In training, v1_batch pools as
/// v1_zero, so that no pair depends on the others of its batch.
class Infersent : public Trainable, public SentenceEmbedder {
 public:
  /// Without a label (of published weights) there is no classifier.
  Infersent(const InfersentOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  static constexpr int kRevision = 1;
  /// As its authors trained it: gradient descent from 0.1, a fifth of the rate after each
  /// validation without gain, until 1e-5 or 20 epochs (section 3.3).
  static Node training();

  int64_t embedding_size() const override { return encoder_->width(); }
  std::string embedding_signature() const override;
  /// Each sentence between BOS and EOS; an empty one is these alone.
  at::Tensor embed(const Tokens& sentences) override;

 private:
  at::Tensor classify(const at::Tensor& u, const at::Tensor& v) const;

  InfersentOptions options_;
  std::shared_ptr<Embedding> words_;
  std::shared_ptr<PooledEncoder> encoder_;
  std::vector<std::shared_ptr<Linear>> classifier_;
};

}  // namespace lvtext
