// GPT-2 (Radford et al. 2019): a decoder of transformer blocks for running text, trained with the
// likelihood or with a sparse loss (Martins, Marinho and Martins 2020, "Sparse Text Generation").
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/published.h"
#include "framework/core/model/reply_scorer.h"
#include "framework/core/model/trainable.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/transformer.h"
#include "models/gpt2/dialogue.h"
#include "models/gpt2/gpt2_options.h"

namespace lvtext {

/// Blocks with normalization first, learned positions, and an output layer without bias whose
/// weights are the word vectors. All matrices are initialized with N(0, 0.02^2), biases with 0.
///
/// The text is running text: no token is added to it, its first token is given and never predicted,
/// and nothing ends it, whatever special tokens the tokenizer has. A text of L tokens has L - 1
/// predictions. The phase "lm" has the loss ("nll" or "entmax"), per predicted token, and the term
/// "sp", the mean sparsemax score 1/2 + p_x - (sum of squares)/2 of the model's distributions,
/// which is not trained and by which checkpoints are selected. Token-level unlikelihood adds the
/// term "repeats" to it.
///
/// With unlikelihood of sequences each update is by chance one of the phases "lm" and
/// "unlikelihood": every text is cut into prefixes, which the model continues greedily, without
/// dropout and gradient; then one teacher-forced pass gives the term "repeats", -ln(1 - p) of the
/// tokens of repeated n-grams, divided by the number of tokens of the text's continuations.
///
/// With the option `dialogue` (Wolf et al. 2019, as Martins et al. 2020 use it) the examples are
/// replies with their contexts. The last two ids of the vocabulary are the tokens of the speakers;
/// the word vector of the last one of them at or before a position is added to its input, that of
/// the first speaker where there is none. The loss is that of the tokens of the reply and EOS; the
/// term "choice" is the loss, of the same kind, of the choice between the distractor and the reply
/// by a layer that reads the output at EOS, and "accuracy", which is not trained, the share of
/// right choices. Of a context that is too long for the positions the last tokens are read. The
/// model is otherwise the same: a prompt is the whole context, and nothing ends a text by itself.
///
/// Published weights have the names of GPT2LMHeadModel in the package transformers, with or without
/// its prefix "transformer."; the four matrices of a block are stored as [in, out], the masks of
/// the attention are left out. Those of dialogues are GPT2DoubleHeadsModel's.
class Gpt2 : public Trainable,
             public NextTokenModel,
             public TextScorer,
             public ReplyScorer,
             public Published {
 public:
  static constexpr int kRevision = 1;
  Gpt2(const Gpt2Options& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override;
  StepPlan plan(const TrainerState& state, const NoiseKey& key) const override;
  /// Throws ConfigError for a text whose tokens before the last one exceed the positions, as all
  /// functions that read texts.
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  /// "no_unlikelihood": unlikelihood of sequences had no effect, because no text is as long as a
  /// prefix.
  std::vector<Warning> warnings(const TrainingMeans& means) const override;

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  OutputMap output_map() const override { return {alpha_}; }
  std::optional<int32_t> start_symbol() const override { return std::nullopt; }
  bool ends() const override { return false; }
  std::optional<int64_t> max_positions() const override { return positions_.size(0); }
  at::Tensor text_scores(const Tokens& texts) override;
  std::unique_ptr<DecodeState> start(const Start& start) override;
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override;
  /// The sum over the predicted tokens, under the model's own map.
  at::Tensor score(const Tokens& texts, const at::Tensor& z) override;

  /// The scores by which the layer of dialogues chooses. Throws ConfigError for a model of running
  /// text, which has none.
  at::Tensor reply_scores(const Tokens& contexts, const Tokens& replies) override;

  PublishedTensor published(const std::string& name) const override;
  std::string published_prefix() const override { return "transformer."; }
  std::vector<std::pair<std::string, std::string>> published_ties() const override {
    return {{"lm_head.weight", "wte.weight"}};
  }
  nlohmann::ordered_json published_config() const override;
  nlohmann::ordered_json published_options(const nlohmann::ordered_json& config) const override;
  std::string published_tokenizer() const override { return "byte_bpe"; }

 private:
  /// Outputs of the last block after normalization for ids [B, T]: [B, T, C].
  at::Tensor hidden(const at::Tensor& ids, const at::Tensor& lengths, const LayerNoise* noise,
                    AttentionCache* cache = nullptr) const;
  /// The inputs of all predictions and what is predicted, text after text.
  struct Predictions {
    at::Tensor hidden;   ///< [P, C]
    at::Tensor targets;  ///< [P] int64
    at::Tensor counts;   ///< [B] int64 predictions of each text, on the CPU
  };
  Predictions predictions(const Tokens& texts, const LayerNoise* noise) const;
  /// The terms of the phase of dialogues.
  Sums dialogue_sums(const Batch& batch, StepContext& context);
  /// The score of each text by the output [B, T, C] at its last token, [B].
  at::Tensor choice_scores(const at::Tensor& states, const at::Tensor& lengths,
                           const LayerNoise* noise) const;
  /// The word vectors of ids of any shape, [..., C].
  at::Tensor vectors(const at::Tensor& ids) const;
  /// Throws ConfigError for a text whose tokens before the last one exceed the positions.
  void check_lengths(const Tokens& texts) const;
  /// The term "repeats" of the phase "unlikelihood": a sum over texts.
  at::Tensor repetition_sum(const Batch& batch, StepContext& context);

  Gpt2Options options_;
  double alpha_;
  Vocabulary vocabulary_;
  at::Tensor tokens_;     ///< word vectors, [V, C]
  at::Tensor positions_;  ///< position vectors, [P, C]
  std::vector<std::shared_ptr<TransformerBlock>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
  std::optional<SpeakerTokens> speakers_;  ///< tokens of the speakers of dialogues
  std::shared_ptr<Linear> choice_;         ///< scores of the candidates of dialogues: C -> 1
};

}  // namespace lvtext
