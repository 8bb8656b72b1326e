// Options of sentence autoencoders, with or without a discriminator.
#pragma once

#include "models/sentence_autoencoder.h"
#include "models/sentence_options.h"

namespace lvtext {

enum class LatentKind { kGaussDet, kGauss, kSphere, kState };
const std::vector<EnumName<LatentKind>>& enum_names(LatentKind);

/// What the mean that is minimized is taken over.
enum class LossMean { kSentences, kTokens };
const std::vector<EnumName<LossMean>>& enum_names(LossMean);

struct AutoencoderLatentOptions {
  LatentKind kind = LatentKind::kGaussDet;
  Defaulted<int64_t> size;
  double noise = 0;
  NoiseDecayOptions decay;

  template <class V>
  void visit(V& v) {
    v.field("kind", kind, "type of latent vectors and their prior");
    if (kind == LatentKind::kState) size.usual.reset();
    v.field("size", size,
            "width Z of the latent vector; unset: from `size`, for `kind: state` that of the state",
            in_range(1, 65536));
    v.check(kind != LatentKind::kState || !size,
            "size is the width of the encoder's state for kind state; unset it");
    v.field("noise", noise, "standard deviation of the noise on each coordinate in training",
            at_least(0));
    v.field("decay", decay, "decay of the noise");
    v.check(kind == LatentKind::kSphere || noise == 0, "noise requires kind sphere");
    v.check(decay.factor == 1 || noise > 0, "decay requires noise > 0");
  }
};

struct AutoencoderOptions {
  ModelSize size = ModelSize::kPaper;
  Defaulted<int64_t> embedding;
  Defaulted<bool> shared_embedding;
  EncoderOptions encoder;
  AutoencoderLatentOptions latent;
  DecoderOptions decoder;
  Defaulted<LossMean> mean_over;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "preset of the widths");
    set_usual_widths(*this, preset_widths(size));
    v.field("embedding", embedding, "width of the word vectors; unset: from `size`",
            in_range(1, 65536));
    shared_embedding.usual = true;
    v.field("shared_embedding", shared_embedding, "encoder and decoder have the same word vectors");
    v.field("encoder", encoder, "encoder options");
    v.field("latent", latent, "latent variable options");
    v.field("decoder", decoder, "decoder options");
    mean_over.usual = LossMean::kSentences;
    v.field("mean_over", mean_over,
            "autoencoder: the loss is a mean over sentences or over tokens; unset: sentences");
  }
};

/// Standard deviation of the noise on spherical vectors: noise * factor^floor(updates / every).
Schedule noise_schedule(const AutoencoderLatentOptions& options);
/// Makes the layout of the autoencoder from its options.
AutoencoderLayout autoencoder_layout(const AutoencoderOptions& options);

}  // namespace lvtext
