// Options of the variational autoencoder.
#pragma once

#include <vector>

#include "models/sentence_options.h"

namespace lvtext {

enum class Annealing { kLinear, kLogistic, kTanh, kEpochs, kNone };
const std::vector<EnumName<Annealing>>& enum_names(Annealing);

/// Annealing of the KL weight from about 0 to 1 with the number of updates t (losses/annealing.h).
struct AnnealingOptions {
  Annealing type = Annealing::kLinear;
  int64_t steps = 10000;
  double k = 0.0025;
  Defaulted<double> center;
  double scale = 1000;
  int64_t updates_per_epoch = 782;

  template <class V>
  void visit(V& v) {
    v.field("type", type, "shape of the annealing schedule as a function of the updates t");
    center.usual.reset();
    if (type == Annealing::kLogistic) center.usual = 2500;
    if (type == Annealing::kTanh) center.usual = 3500;
    v.field("steps", steps, "updates until the weight reaches 1", at_least(1), unit("updates"),
            only_for("type", {"linear"}));
    v.field("k", k, "steepness per update", above(0), only_for("type", {"logistic"}));
    v.field("center", center, "update at which the weight is 1/2; unset: 2500 and 3500",
            unit("updates"), only_for("type", {"logistic", "tanh"}));
    v.field("scale", scale, "updates per unit of its argument", above(0), unit("updates"),
            only_for("type", {"tanh"}));
    v.field("updates_per_epoch", updates_per_epoch,
            "updates per epoch; the weight reaches 1 after nine epochs", at_least(1),
            unit("updates"), only_for("type", {"epochs"}));
  }
};

struct VaeLatentOptions {
  Defaulted<int64_t> size;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "width Z of the latent vector; unset: from `size`", in_range(1, 65536));
  }
};

struct BagOfWordsOptions {
  double weight = 0;
  int64_t hidden = 400;

  template <class V>
  void visit(V& v) {
    v.field("weight", weight, "weight of the bag-of-words loss; 0: none", at_least(0));
    v.field("hidden", hidden, "units of the hidden layer of the bag-of-words network",
            in_range(1, 65536));
  }
};

struct VaeOptions {
  ModelSize size = ModelSize::kPaper;
  Defaulted<int64_t> embedding;
  EncoderOptions encoder;
  VaeLatentOptions latent;
  AnnealingOptions annealing;
  BagOfWordsOptions bag_of_words;
  DecoderOptions decoder;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "preset of the widths");
    set_usual_widths(*this, preset_widths(size));
    v.field("embedding", embedding, "width of the word vectors; unset: from `size`",
            in_range(1, 65536));
    v.field("encoder", encoder, "encoder options");
    v.field("latent", latent, "latent variable options");
    v.field("annealing", annealing, "annealing of the weight of the KL term");
    v.field("bag_of_words", bag_of_words,
            "bag-of-words loss: z alone predicts the words (Zhao et al. 2017)");
    v.field("decoder", decoder, "decoder options");
  }
};

}  // namespace lvtext
