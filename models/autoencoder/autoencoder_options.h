// Options of the autoencoders of sentences, with or without an adversary.
#pragma once

#include <optional>
#include <vector>

#include "models/sentence_autoencoder.h"
#include "models/sentence_options.h"

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
    v.field("kind", kind, "space of the latent vectors, and their prior");
    v.field("size", size, "width Z of the latent vector; unset: from `size`", in_range(1, 65536));
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
    v.field("embedding", embedding, "width of the word vectors; unset: from `size`",
            in_range(1, 65536));
    v.field("encoder", encoder, "encoder options");
    v.field("latent", latent, "latent variable options");
    v.field("decoder", decoder, "decoder options");
  }
};

/// Deviation of the noise on spherical vectors: noise * factor^floor(updates / every).
Schedule noise_schedule(const AutoencoderLatentOptions& options);
/// The autoencoder that the options describe.
AutoencoderLayout autoencoder_layout(const AutoencoderOptions& options);

}  // namespace lvtext
