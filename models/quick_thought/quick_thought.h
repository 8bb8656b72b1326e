// QuickThought: sentence vectors by which the next and the previous sentence of a text are found
// (Logeswaran and Lee 2018).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "framework/core/nn/embedding.h"
#include "framework/core/nn/recurrent_layer.h"
#include "models/quick_thought/quick_thought_options.h"

namespace lvtext {

/// A bidirectional GRU of TensorFlow 1, whose reset gate is applied before the product (kernels
/// uniform with Glorot's bound for the joined input [x; h], biases 1 of the gates and 0 of the
/// candidate). The state of a sentence is that after its last step in each direction, zeros for an
/// empty one.
class ThoughtEncoder : public torch::nn::Module {
 public:
  ThoughtEncoder(const Init& init, int64_t input, int64_t hidden);
  /// Width of a state: 2 hidden.
  int64_t width() const { return gru_.width(); }
  /// States of sentences of tokens with the vectors `table` [V, I]: [B, 2 hidden].
  at::Tensor forward(const Tokens& sentences, const at::Tensor& table) const;

 private:
  RecurrentEncoder gru_;
};

/// Two encoders f and g of sentences. In training, a sentence finds its neighbors among all
/// sentences of its batch, whose scores are f(s) . g(s') (losses/neighbors.h); batches are runs of
/// consecutive sentences of a text. Sentences are neighbors if their rows in the data differ by at
/// most `context`, so sentences around one that `max_length` leaves out are none. The vector of a
/// sentence is [f / |f|; g / |g|], zeros for an empty one. BOS and EOS are not read.
///
/// One phase "context" with the terms "nll", in nats per sentence, and "error", the share of
/// sentences whose best candidate is no neighbor; only "nll" is used for selection.
class QuickThought : public Trainable, public SentenceEmbedder {
 public:
  static constexpr int kRevision = 1;
  QuickThought(const QuickThoughtOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override { return {{.order = Order::kConsecutive}}; }
  int64_t min_batch_size() const override { return 2; }
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  /// The authors' training options: one epoch of Adam with learning rate 5e-4 and gradients clipped
  /// at the norm 5, batches of 400 sentences.
  static Node training();

  int64_t embedding_size() const override { return 2 * encoder_->width(); }
  std::string embedding_signature() const override { return "state:final,normalize:each"; }
  at::Tensor embed(const Tokens& sentences) override;

 private:
  /// The states of f and g.
  std::pair<at::Tensor, at::Tensor> states(const Tokens& sentences) const;

  QuickThoughtOptions options_;
  /// Word vectors of f and g; words_out_ is null if shared.
  std::shared_ptr<Embedding> words_, words_out_;
  std::shared_ptr<ThoughtEncoder> encoder_, encoder_out_;
};

}  // namespace lvtext
