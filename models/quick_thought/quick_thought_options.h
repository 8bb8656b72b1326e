// Options of QuickThought: size, word vectors, context.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"
#include "losses/neighbors.h"

namespace lvtext {

enum class QuickThoughtSize { kSmall, kUmbc, kBookcorpus };
const std::vector<EnumName<QuickThoughtSize>>& enum_names(QuickThoughtSize);

struct QuickThoughtWidths {
  int64_t embedding, hidden;
};
/// Returns the widths of `size`.
QuickThoughtWidths preset_widths(QuickThoughtSize size);

struct QuickThoughtOptions {
  QuickThoughtSize size = QuickThoughtSize::kUmbc;
  Defaulted<int64_t> embedding, hidden;
  bool shared_words = false;
  bool train_words = true;
  int64_t context = 1;
  int64_t length = 30;
  OwnScore own_score = OwnScore::kZero;
  double dropout = 0;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "preset of the widths");
    const QuickThoughtWidths preset = preset_widths(size);
    embedding.usual = preset.embedding;
    hidden.usual = preset.hidden;
    v.field("embedding", embedding,
            "width of the word vectors; unset: that of the pretrained vectors, otherwise from "
            "`size`",
            in_range(1, 65536));
    v.field("hidden", hidden,
            "units per direction of each encoder; a vector has four times as many; unset: from "
            "`size`",
            in_range(1, 65536));
    v.field("shared_words", shared_words, "whether both encoders read the same word vectors");
    v.field("train_words", train_words, "train the word vectors; set to false for pretrained ones");
    v.field("context", context,
            "number of sentences before and after a sentence that are its neighbors",
            in_range(1, 1000));
    v.field("length", length,
            "number of tokens after which a sentence is cut in training; vectors are of whole "
            "sentences",
            in_range(1, 1 << 20), unit("tokens"));
    v.field("own_score", own_score, "how a sentence takes part in the search for its neighbors");
    v.field("dropout", dropout,
            "probability of dropping a unit of the vectors, the same ones of all sentences of a "
            "batch and of both encoders; the others are not scaled",
            Bounds{0, 1, false, /*high_open=*/true});
  }
};

}  // namespace lvtext
