// Textual transfer between two styles without parallel sentences (Pang and Gimpel 2019), on the
// cross-aligned autoencoder of Shen, Lei, Barzilay and Jaakkola (2017).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "models/style_transfer/state_discriminator.h"
#include "models/style_transfer/style_transfer_options.h"
#include "models/style_transfer/transfer_autoencoder.h"

namespace lvtext {

/// Each batch of the stream "train" has sentences of style 0 (text_0) and equally many of style 1
/// (text_1). They are encoded and decoded twice: in their own style with teacher forcing
/// (teacher-forced states), and in the other style free-running, with the expected word vectors as
/// inputs (soft states).
///
/// Phase "disc": "adv_0" and "adv_1", for each style the cross entropy of its discriminator between
/// teacher-forced states of this style (real) and soft states of sentences transferred to it
/// (fake); nats per sentence. Phase "critic", with the second pair: "wasserstein", for both styles
/// the mean score of fake minus that of real states, and "penalty". Phase "gen": "rec", the
/// reconstruction; "cyc", the reconstruction from a greedily transferred sentence, which is a
/// constant; "para", a paraphrase decoded from a sentence, in both styles; "lang", the cross
/// entropy between the predictions for a transferred sentence of the language model of its style
/// and of the generator; all in nats per sentence; "adv", the generator's term against the
/// discriminators, and "critic", against the critics.
///
/// All phases of a step share one forward pass: discriminators are first updated on detached
/// states; the generator's phase evaluates the updated discriminators on the same states and
/// backpropagates through them. With the minimax loss, the generator maximizes the discriminators'
/// losses, through real and fake states. The first state of both sequences is the initial state.
class StyleTransferModel : public Trainable, public StyleTransfer, public NextTokenModel {
 public:
  /// The language models of both styles, which are optional unless their loss has a weight.
  static std::vector<InputDecl> inputs(const StyleTransferOptions& options);
  StyleTransferModel(const StyleTransferOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override;
  StepPlan plan(const TrainerState& state, const NoiseKey& key) const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override;
  std::vector<Warning> warnings(const TrainingMeans& means) const override;
  static constexpr int kRevision = 3;

  int64_t styles() const override { return 2; }
  /// [B, Y + C]: the generator's initial state, style vector and content vector.
  at::Tensor encode_for(const Tokens& sentences, const at::Tensor& from,
                        const at::Tensor& to) override;

  const Vocabulary& vocabulary() const override { return autoencoder_->vocabulary(); }
  /// Throws ConfigError without latent vectors, because the model has no prior.
  std::unique_ptr<DecodeState> start(const Start& start) override;
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override;

 private:
  /// Sentences with one style each, and the ids of their noise.
  struct Sentences {
    Tokens tokens;
    at::Tensor styles;  // [B], 0 or 1, in the model's type
    at::Tensor ids;     // [B] int64 on the CPU
  };
  /// The forward pass of a batch of k sentences of each style, those of style 0 first.
  struct Pass {
    Sentences sentences;        // [2k], padded
    at::Tensor content;         // [2k, C]
    at::Tensor teacher_forced;  // [2k, L + 2, H], the initial state first
    at::Tensor real, fake;      // [2k, S, H]: teacher-forced and soft states
  };
  struct States {
    at::Tensor values;  // [B, S, H]
    at::Tensor ids;     // [B] int64 on the CPU
  };
  Pass shared_pass(const Batch& batch, StepContext& context) const;
  /// Sentences of style 0 followed by those of style 1.
  Sentences joined(const Tokens& first, const Tokens& second, const at::Tensor& ids) const;
  Dropout dropout(const Sentences& sentences, StepContext& context,
                  const std::string& prefix) const;

  Sums discriminator_sums(const Pass& pass, StepContext& context) const;
  Sums critic_sums(const Pass& pass, StepContext& context) const;
  Sums generator_sums(const Pass& pass, const Batches& batches, StepContext& context);
  at::Tensor adversarial_sum(const Pass& pass, StepContext& context) const;
  at::Tensor paraphrase_sum(const Batch& pairs, StepContext& context) const;
  /// `other` are the sentences of transferred().
  at::Tensor cyclic_sum(const Pass& pass, const Tokens& other, StepContext& context) const;
  at::Tensor language_model_sum(const Pass& pass, const Tokens& other, StepContext& context) const;
  /// Most probable sentences in the other style; no gradient.
  Tokens transferred(const Pass& pass);
  /// The real and then the fake states of `style`, and the ids of their noise.
  static States states_of(const Pass& pass, int64_t style);
  /// Scores [B] of a discriminator or critic; `rate` is its dropout.
  static at::Tensor scores(const StateDiscriminator& discriminator, double rate,
                           const std::string& use, const States& states, StepContext& context);
  /// Sum of the critic's scores of fake states minus that of real ones, for `style`: the negative
  /// of the estimated Wasserstein distance.
  at::Tensor critic_loss_sum(const Pass& pass, int64_t style, StepContext& context) const;
  /// Penalty of the critic of `style` between real and fake states; 0 outside training.
  at::Tensor penalty(const Pass& pass, int64_t style, bool with_graph, StepContext& context) const;
  double epoch_of(const TrainerState& state) const;

  StyleTransferOptions options_;
  std::shared_ptr<TransferAutoencoder> autoencoder_;
  // By style; critics_ is empty without the second pair.
  std::vector<std::shared_ptr<StateDiscriminator>> discriminators_, critics_;
  std::vector<std::shared_ptr<Model>> language_models_;  // by style; empty without their loss
  std::vector<NextTokenModel*> next_token_models_;       // the same
};

}  // namespace lvtext
