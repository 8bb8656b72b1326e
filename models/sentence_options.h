// Options of the encoder and decoder that the sentence models share, so that they can be compared
// on equal footing (Cifka et al. 2018).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/core/nn/recurrent_layer.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// How the latent vector enters the decoder.
enum class ZInject { kInit, kConcat, kAdd };
const std::vector<EnumName<ZInject>>& enum_names(ZInject);

enum class DropoutType { kVariational, kStandard };
const std::vector<EnumName<DropoutType>>& enum_names(DropoutType);

enum class WordDropoutType { kUnk, kZero };
const std::vector<EnumName<WordDropoutType>>& enum_names(WordDropoutType);

enum class ModelSize { kPaper, kSmall };
const std::vector<EnumName<ModelSize>>& enum_names(ModelSize);

struct EncoderOptions {
  std::optional<int64_t> hidden;
  CellType cell = CellType::kLstm;
  bool bidirectional = true;
  bool bos = false;
  double forget_bias = 0;
  std::optional<double> init;

  template <class V>
  void visit(V& v) {
    v.field("hidden", hidden, "units per direction; unset: from `size`", in_range(1, 65536));
    v.field("cell", cell, "recurrent cell");
    v.field("bidirectional", bidirectional, "read every sentence in both directions");
    v.field("bos", bos, "BOS before every sentence");
    v.field("forget_bias", forget_bias, "added to the initial bias of the forget gate");
    v.field("init", init, "bound of the uniform initial weights and biases; unset: 1/sqrt(hidden)",
            at_least(0));
  }
};

struct DropoutOptions {
  DropoutType type = DropoutType::kVariational;
  double keep = 1;
  bool mask_initial_state = false;
  bool mask_cell = false;
  double embed = 0;
  double output = 0;

  template <class V>
  void visit(V& v) {
    v.field("type", type, "kind of dropout");
    v.field("keep", keep, "variational: probability that a unit of inputs and states is kept",
            Bounds{0, 1, true, false});
    v.field("mask_initial_state", mask_initial_state,
            "variational: the initial state is masked as well");
    v.field("mask_cell", mask_cell, "variational: the cell state is masked as well");
    v.field("embed", embed, "standard: probability that an input unit is dropped",
            Bounds{0, 1, false, true});
    v.field("output", output, "standard: probability that an output unit is dropped",
            Bounds{0, 1, false, true});
    v.check(type == DropoutType::kVariational || (keep == 1 && !mask_initial_state && !mask_cell),
            "keep, mask_initial_state and mask_cell belong to type variational");
    v.check(type == DropoutType::kStandard || (embed == 0 && output == 0),
            "embed and output belong to type standard");
  }
};

struct WordDropoutOptions {
  double keep = 1;
  WordDropoutType type = WordDropoutType::kUnk;

  template <class V>
  void visit(V& v) {
    v.field("keep", keep, "probability that a word of the decoder's input is kept", in_range(0, 1));
    v.field("type", type, "replacement of a dropped word");
  }
};

struct DecoderOptions {
  std::optional<int64_t> hidden;
  CellType cell = CellType::kLstm;
  std::vector<ZInject> z_inject = {ZInject::kInit, ZInject::kConcat};
  DropoutOptions dropout;
  WordDropoutOptions word_dropout;
  bool tied = false;
  double forget_bias = 0;
  std::optional<double> init;

  template <class V>
  void visit(V& v) {
    v.field("hidden", hidden, "units; unset: from `size`", in_range(1, 65536));
    v.field("cell", cell, "recurrent cell");
    v.field("z_inject", z_inject, "how the latent vector enters; ignored by models without one",
            not_empty());
    v.field("dropout", dropout, "dropout in training");
    v.field("word_dropout", word_dropout, "dropout of whole input words in training");
    v.field("tied", tied, "the output layer uses the word vectors; their widths must be equal");
    v.field("forget_bias", forget_bias, "added to the initial bias of the forget gate");
    v.field("init", init, "bound of the uniform initial weights and biases; unset: 1/sqrt(hidden)",
            at_least(0));
    v.check(cell == CellType::kLstm || !dropout.mask_cell, "a GRU has no cell state to mask");
  }
};

/// Widths of all parts.
struct SentenceWidths {
  int64_t embedding = 0, encoder = 0, decoder = 0, latent = 0;
};

/// Widths of `size`: paper is 512, 1024 per direction, 1024, 128 (text-autoencoders' defaults);
/// small is 64, 64, 64, 16.
SentenceWidths preset_widths(ModelSize size);

}  // namespace lvtext
