// Options of the decoder of sentence embeddings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// How the vector enters the decoder, and its output layer.
enum class VectorDecoderType { kMos, kLstm };
const std::vector<EnumName<VectorDecoderType>>& enum_names(VectorDecoderType);

/// Rates of dropout: those that acted in the authors' code, or those that its options state.
enum class DropoutRates { kEffective, kIntended };
const std::vector<EnumName<DropoutRates>>& enum_names(DropoutRates);

enum class StartMap { kLinear, kTanh };
const std::vector<EnumName<StartMap>>& enum_names(StartMap);

enum class Vec2SentSize { kPaper, kSmall };
const std::vector<EnumName<Vec2SentSize>>& enum_names(Vec2SentSize);

/// Probabilities of dropping; 0: no dropout.
struct Vec2SentDropout {
  Defaulted<double> words, input, between, output, latent, weights;
  bool context = false;

  /// Sets the defaults of a type and a mode.
  void set_usual(VectorDecoderType type, DropoutRates rates);

  template <class V>
  void visit(V& v) {
    const Bounds share{0, 1, false, /*high_open=*/true};
    v.field("words", words, "a word vector, at all positions of the word in a sentence", share);
    v.field("input", input, "a unit of the word vectors, at all steps of a sentence", share);
    v.field("between", between, "a unit between two layers, at all steps of a sentence", share);
    v.field("output", output, "a unit of the last layer, at all steps of a sentence", share);
    v.field("latent", latent, "a unit of the experts' vectors, at all steps of a sentence", share);
    v.field("weights", weights,
            "a recurrent weight, for all sentences and steps of an update (DropConnect)", share);
    v.field("context", context, "applies `input` to the units of the sentence vector as well");
  }
};

struct Vec2SentOptions {
  VectorDecoderType type = VectorDecoderType::kMos;
  Vec2SentSize size = Vec2SentSize::kPaper;
  Defaulted<int64_t> layers, hidden, hidden_last, experts;
  int64_t embedding = 300;
  bool train_words = false;
  std::optional<double> deviation;
  DropoutRates rates = DropoutRates::kEffective;
  Vec2SentDropout dropout;
  double ar = 0;
  double tar = 0;
  StartMap start = StartMap::kLinear;
  bool start_cell = false;

  template <class V>
  void visit(V& v) {
    v.field("type", type, "how the decoder uses the vector, and its output layer");
    v.field("size", size, "preset of the widths");
    const bool mos = type == VectorDecoderType::kMos, small = size == Vec2SentSize::kSmall;
    layers.usual = mos ? 3 : 1;
    hidden.usual = small ? 32 : 1024;
    v.field("layers", layers, "number of LSTM layers; unset: 3 for mos, 1 for lstm",
            in_range(1, 16));
    v.field("hidden", hidden, "units of a layer; unset: from `size`", in_range(1, 65536));
    hidden_last.usual = !mos ? hidden.effective() : small ? 24 : 650;
    v.field("hidden_last", hidden_last,
            "units of the last layer; unset: from `size` for mos, `hidden` for lstm",
            in_range(1, 65536));
    experts.usual = mos ? 5 : 1;
    v.field("experts", experts, "number of softmaxes K; unset: 5 for mos, 1 for lstm",
            in_range(1, 256));
    v.field("embedding", embedding, "width of the word vectors without the input `word_vectors`",
            in_range(1, 65536));
    v.field("train_words", train_words,
            "trains the vectors of the input `word_vectors`; otherwise only the rows of the start "
            "symbol and EOS are");
    v.field("deviation", deviation,
            "standard deviation to which the elements of the word vectors are scaled together; "
            "unset: the vectors of the input as they are, others 0.1",
            above(0));
    v.field("rates", rates, "default rates of `dropout`");
    dropout.set_usual(type, rates);
    v.field("dropout", dropout, "probabilities of dropping in training");
    v.field("ar", ar,
            "weight of activation regularization: the mean square of the last layer's outputs "
            "after dropout",
            at_least(0));
    v.field("tar", tar,
            "weight of temporal activation regularization: the mean square of differences of "
            "consecutive outputs of the last layer",
            at_least(0));
    v.field("start", start, "map from the vector to the initial state; for lstm");
    v.field("start_cell", start_cell, "maps the vector to the initial cell as well; for lstm");
    v.check(mos || experts.effective() == 1, "a decoder of the type lstm has one softmax");
    v.check(!mos || (start == StartMap::kLinear && !start_cell),
            "start and start_cell are options of the type lstm");
  }
};

}  // namespace lvtext
