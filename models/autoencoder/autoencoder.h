// Autoencoders of sentences: AE-GAUSS-DET and AE-SPH of Cifka et al. 2018.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/model/capabilities.h"
#include "framework/model/code_space.h"
#include "framework/model/model_inputs.h"
#include "framework/model/trainable.h"
#include "models/sentence_encoder.h"
#include "models/writes_sentences.h"

namespace lvtext {

enum class LatentKind { kGaussDet, kGauss, kSphere };
const std::vector<EnumName<LatentKind>>& enum_names(LatentKind);

/// sigma_t = noise * factor^floor(t / every).
struct NoiseDecayOptions {
  double factor = 1;
  int64_t every = 100;

  template <class V>
  void visit(V& v) {
    v.field("factor", factor, "the noise is multiplied by it", Bounds{0, 1, true, false});
    v.field("every", every, "after so many updates", at_least(1), unit("updates"));
  }
};

struct AutoencoderLatentOptions {
  LatentKind kind = LatentKind::kGaussDet;
  std::optional<int64_t> size;
  double noise = 0;
  NoiseDecayOptions decay;

  template <class V>
  void visit(V& v) {
    v.field("kind", kind, "space of the codes and their prior");
    v.field("size", size, "width of the code; unset: what the model's `size` says",
            in_range(1, 65536));
    v.field("noise", noise, "deviation of the noise on each coordinate in training", at_least(0));
    v.field("decay", decay, "how the noise shrinks");
    v.check(kind == LatentKind::kSphere || noise == 0, "noise belongs to kind sphere");
    v.check(decay.factor == 1 || noise > 0, "decay needs noise > 0");
  }
};

struct AutoencoderOptions {
  ModelSize size = ModelSize::kPaper;
  std::optional<int64_t> embedding;
  EncoderOptions encoder;
  AutoencoderLatentOptions latent;
  DecoderOptions decoder;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "preset of the widths");
    v.field("embedding", embedding, "width of the word vectors; unset: what `size` says",
            in_range(1, 65536));
    v.field("encoder", encoder, "the network that reads");
    v.field("latent", latent, "the code between them");
    v.field("decoder", decoder, "the network that writes");
  }
};

/// One phase "autoencoder" with the term "rec": nats per sentence, end mark included. Noise on the
/// code in training only; validation uses the clean code. With an adversary it is the base of
/// `aae`.
class Autoencoder : public Trainable,
                    public Encodes,
                    public SamplesPrior,
                    public WritesSentences,
                    public CodeSpace {
 public:
  Autoencoder(const AutoencoderOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  /// "noise": the present deviation.
  /// Deviation of the noise on codes: noise * factor^floor(updates / every).
  Schedule noise_schedule() const;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  static constexpr int kRevision = 2;
  int revision() const override { return kRevision; }

  int64_t latent_size() const override { return latent_size_; }
  at::Tensor encode(const Tokens& sentences) override;
  /// On the sphere with the noise of the weights' last update.
  at::Tensor encode_sampled(const Tokens& sentences, const at::Tensor& example_ids,
                            const NoiseKey& key) override;
  /// N(0, I), or uniform on the unit sphere.
  at::Tensor sample_prior(const at::Tensor& example_ids, const NoiseKey& key) override;
  bool on_unit_sphere() const override { return latent_.kind == LatentKind::kSphere; }

 protected:
  /// What the encoder reads in losses(): the sentences that are decoded, unless a model changes
  /// them to make that harder.
  virtual Tokens encoder_input(const Batch& batch, StepContext& context) const;
  /// The posterior as the encoder gives it, with graph.
  struct Posterior {
    at::Tensor mean;    ///< [B, Z]; a unit vector on the sphere
    at::Tensor logvar;  ///< [B, Z]; undefined but for kind gauss
  };
  Posterior posterior(const Tokens& sentences) const;
  /// What is decoded, [B, Z]: a draw in training, else the mean.
  at::Tensor code(const Posterior& posterior, const Batch& batch, StepContext& context) const;
  /// Sum of the NLL of the batch given its codes.
  at::Tensor reconstruction_sum(const Batch& batch, const at::Tensor& code,
                                StepContext& context) const;
  const AutoencoderLatentOptions& latent() const { return latent_; }

 private:
  AutoencoderLatentOptions latent_;
  int64_t latent_size_;
  std::shared_ptr<Embedding> embedding_;
  std::shared_ptr<SentenceEncoder> encoder_;
  std::shared_ptr<Linear> to_latent_, to_logvar_;  // the second for kind gauss alone
  at::Tensor noise_;  // [], a buffer: the deviation of the last update; undefined without noise
};

}  // namespace lvtext
