// Encoder and decoder options shared by all sentence models, so that the models are comparable
// (Cifka et al. 2018).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "framework/core/nn/recurrent_layer.h"
#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Ways to pass the latent vector to the decoder.
enum class ZInject { kInit, kConcat, kAdd };
const std::vector<EnumName<ZInject>>& enum_names(ZInject);

enum class WordDropoutType { kUnk, kZero };
const std::vector<EnumName<WordDropoutType>>& enum_names(WordDropoutType);

enum class ModelSize { kPaper, kSmall };
const std::vector<EnumName<ModelSize>>& enum_names(ModelSize);

/// Sets the default of the bound of initial weights, 1/sqrt(hidden) if the width is known.
inline void set_usual_init(const Defaulted<int64_t>& hidden, Defaulted<double>& init) {
  init.usual.reset();
  if (hidden || hidden.usual) init.usual = 1 / std::sqrt(static_cast<double>(hidden.effective()));
}

struct EncoderOptions {
  Defaulted<int64_t> hidden;
  CellType cell = CellType::kLstm;
  bool bidirectional = true;
  bool bos = false;
  double forget_bias = 0;
  Defaulted<double> init;

  template <class V>
  void visit(V& v) {
    v.field("hidden", hidden, "units per direction; unset: from `size`", in_range(1, 65536));
    v.field("cell", cell, "recurrent cell");
    v.field("bidirectional", bidirectional, "encode sentences in both directions");
    v.field("bos", bos, "prepend BOS to every sentence");
    v.field("forget_bias", forget_bias, "added to the initial bias of the forget gate");
    set_usual_init(hidden, init);
    v.field("init", init, "bound of the uniform initial weights and biases; unset: 1/sqrt(hidden)",
            at_least(0));
  }
};

struct DecoderOptions {
  Defaulted<int64_t> hidden;
  CellType cell = CellType::kLstm;
  std::vector<ZInject> z_inject = {ZInject::kInit, ZInject::kConcat};
  double dropout = 0;
  bool mask_initial_state = false;
  bool mask_cell = false;
  double embedding_dropout = 0;
  double output_dropout = 0;
  double word_dropout = 0;
  WordDropoutType word_dropout_type = WordDropoutType::kUnk;
  bool tied = false;
  double forget_bias = 0;
  Defaulted<double> init;

  template <class V>
  void visit(V& v) {
    v.field("hidden", hidden, "units; unset: from `size`", in_range(1, 65536));
    v.field("cell", cell, "recurrent cell");
    v.field("z_inject", z_inject,
            "how the decoder uses the latent vector; ignored by models without one", not_empty());
    v.field("dropout", dropout,
            "variational dropout: probability of dropping a unit of inputs and states, with one "
            "mask per sentence",
            Bounds{0, 1, false, true});
    v.field("mask_initial_state", mask_initial_state,
            "variational dropout of the initial state as well");
    v.field("mask_cell", mask_cell, "variational dropout of the cell state as well");
    v.field("embedding_dropout", embedding_dropout,
            "probability of dropping an input unit, at each position", Bounds{0, 1, false, true});
    v.field("output_dropout", output_dropout,
            "probability of dropping an output unit, at each position", Bounds{0, 1, false, true});
    v.field("word_dropout", word_dropout, "probability of dropping an input word", in_range(0, 1));
    v.field("word_dropout_type", word_dropout_type, "replacement of a dropped word");
    v.field("tied", tied, "the output layer uses the word vectors; their widths must be equal");
    v.field("forget_bias", forget_bias, "added to the initial bias of the forget gate");
    set_usual_init(hidden, init);
    v.field("init", init, "bound of the uniform initial weights and biases; unset: 1/sqrt(hidden)",
            at_least(0));
    v.check(cell == CellType::kLstm || !mask_cell, "a GRU has no cell state to mask");
    v.check(dropout > 0 || (!mask_initial_state && !mask_cell),
            "mask_initial_state and mask_cell require dropout");
    v.check(dropout == 0 || (embedding_dropout == 0 && output_dropout == 0),
            "dropout excludes embedding_dropout and output_dropout");
  }
};

/// Widths of all parts.
struct SentenceWidths {
  int64_t embedding = 0, encoder = 0, decoder = 0, latent = 0;
};

/// Returns the widths of `size`: paper is 512, 1024 per direction, 1024, 128 (text-autoencoders'
/// defaults); small is 64, 64, 64, 16.
SentenceWidths preset_widths(ModelSize size);

/// Sets the widths of a preset as the defaults of a model's options; a latent width of 0 has none.
template <class Options>
void set_usual_widths(Options& options, const SentenceWidths& preset) {
  options.embedding.usual = preset.embedding;
  options.decoder.hidden.usual = preset.decoder;
  if constexpr (requires { options.encoder.hidden; }) {
    options.encoder.hidden.usual = preset.encoder;
  }
  if constexpr (requires { options.latent.size; }) {
    options.latent.size.usual.reset();
    if (preset.latent > 0) options.latent.size.usual = preset.latent;
  }
}

/// Decay of the noise on latent vectors: sigma_t = noise * factor^floor(t / every).
struct NoiseDecayOptions {
  double factor = 1;
  int64_t every = 100;

  template <class V>
  void visit(V& v) {
    v.field("factor", factor, "decay factor of the noise", Bounds{0, 1, true, false});
    v.field("every", every, "interval between noise decays", at_least(1), unit("updates"));
  }
};

}  // namespace lvtext
