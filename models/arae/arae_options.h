// Options of the adversarially regularized autoencoder.
#pragma once

#include <vector>

#include "models/sentence_options.h"

namespace lvtext {

enum class AraeSize { kOriginal, kMatched, kSmall };
const std::vector<EnumName<AraeSize>>& enum_names(AraeSize);

/// Returns the widths of `size`; latent width 0 means that z is the encoder's state.
SentenceWidths preset_widths(AraeSize size);

/// How the critic's Lipschitz constant is bounded.
enum class CriticBound { kClamp, kGradientPenalty };
const std::vector<EnumName<CriticBound>>& enum_names(CriticBound);

/// Options of the latent vector and its noise, with standard deviation noise * factor^decays. The
/// update count that determines the decays is reset in every epoch (`loop.updates_per_epoch`), as
/// in the released code.
struct AraeLatentOptions {
  Defaulted<int64_t> size;
  double noise = 0.2;
  NoiseDecayOptions decay = {.factor = 0.995};

  template <class V>
  void visit(V& v) {
    v.field(
        "size", size,
        "width Z of the latent vector, a projection of the encoder's state; unset: from `size`, "
        "where `original` uses the state without a projection",
        in_range(1, 65536));
    v.field("noise", noise, "initial standard deviation of the noise on each coordinate",
            at_least(0));
    v.field("decay", decay, "decay of the noise; updates are counted within an epoch");
  }
};

struct GeneratorOptions {
  int64_t noise = 100;
  std::vector<int64_t> hidden = {300, 300};
  bool batch_norm = true;

  template <class V>
  void visit(V& v) {
    v.field("noise", noise, "width of the generator's Gaussian input", in_range(1, 65536));
    v.field("hidden", hidden, "units of the generator's hidden layers", in_range(1, 65536));
    v.field("batch_norm", batch_norm, "batch normalization of the generator's hidden layers");
  }
};

struct CriticOptions {
  std::vector<int64_t> hidden = {300, 300};
  double negative_slope = 0.2;
  bool batch_norm = true;
  CriticBound bound = CriticBound::kClamp;
  double clamp = 0.01;
  double penalty = 10;
  double encoder_weight = 0.01;

  template <class V>
  void visit(V& v) {
    v.field("hidden", hidden, "units of the critic's hidden layers", in_range(1, 65536));
    v.field("negative_slope", negative_slope, "slope of the critic's leaky ReLU; 0: ReLU",
            in_range(0, 1));
    v.field("batch_norm", batch_norm,
            "batch normalization of the critic's hidden layers except the first");
    v.field("bound", bound, "method that bounds the critic's Lipschitz constant");
    v.field("clamp", clamp, "clamp: bound on absolute parameter values, applied before each update",
            above(0));
    v.field("penalty", penalty, "gradient_penalty: weight of the penalty", at_least(0));
    v.field("encoder_weight", encoder_weight,
            "weight of the critic's reversed gradient on the encoder", at_least(0));
    v.check(bound == CriticBound::kClamp || !batch_norm,
            "gradient_penalty requires scores that depend on single latent vectors; set "
            "batch_norm: false");
  }
};

/// Number of updates of each network per step of the autoencoder.
struct AraeLoopOptions {
  int64_t critic = 5;
  Defaulted<int64_t> encoder;
  int64_t generator = 1;
  int64_t rounds = 1;
  std::vector<int64_t> raise_at = {2, 4, 6};
  int64_t updates_per_epoch = 3125;

  template <class V>
  void visit(V& v) {
    v.field("critic", critic, "critic updates per round", in_range(1, 100));
    encoder.usual = critic;
    v.field("encoder", encoder,
            "gradient_penalty: encoder updates per round, evenly among those of the critic; unset: "
            "one after each of them",
            in_range(1, 100));
    v.field("generator", generator, "generator updates per round", in_range(1, 100));
    v.field("rounds", rounds, "initial number of rounds after each update of the autoencoder",
            in_range(1, 100));
    v.field("raise_at", raise_at,
            "epochs, counted from 1, at whose start the number of rounds increases by one",
            at_least(1));
    v.field("updates_per_epoch", updates_per_epoch,
            "updates per epoch for noise decay and raise_at", at_least(1), unit("updates"));
  }
};

struct AraeOptions {
  AraeSize size = AraeSize::kOriginal;
  Defaulted<int64_t> embedding;
  EncoderOptions encoder{.bidirectional = false, .bos = true, .init = 0.1};
  AraeLatentOptions latent;
  DecoderOptions decoder{.z_inject = {ZInject::kConcat}, .init = 0.1};
  GeneratorOptions generator;
  CriticOptions critic;
  AraeLoopOptions loop;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "preset of the widths");
    set_usual_widths(*this, preset_widths(size));
    v.field("embedding", embedding,
            "width of the word vectors, which encoder and decoder do not share; unset: from `size`",
            in_range(1, 65536));
    v.field("encoder", encoder, "encoder options");
    v.field("latent", latent, "latent variable options");
    v.field("decoder", decoder, "decoder options");
    v.field("generator", generator, "generator, the learned prior");
    v.field("critic", critic, "Wasserstein critic between encoded and generated latent vectors");
    v.field("loop", loop, "updates of each network per step");
    v.check(critic.bound == CriticBound::kGradientPenalty || !loop.encoder,
            "loop.encoder requires critic.bound gradient_penalty; with clamp each update of the "
            "critic updates the encoder");
  }
};

}  // namespace lvtext
