// Options of GPT-2: size, dropout and loss.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"

namespace lvtext {

enum class Gpt2Size { kTiny, kMini, kSmall, kMedium, kLarge, kXl };
const std::vector<EnumName<Gpt2Size>>& enum_names(Gpt2Size);

/// What a preset fixes; the MLP is four times as wide as the residual stream.
struct Gpt2Shape {
  int64_t layers = 0, heads = 0, width = 0, positions = 0;
};
Gpt2Shape preset_shape(Gpt2Size size);

enum class Gpt2Loss { kNll, kEntmax, kUnlikelihood };
const std::vector<EnumName<Gpt2Loss>>& enum_names(Gpt2Loss);

enum class UnlikelihoodLevel { kSequence, kToken };
const std::vector<EnumName<UnlikelihoodLevel>>& enum_names(UnlikelihoodLevel);

struct Gpt2LossOptions {
  Gpt2Loss type = Gpt2Loss::kNll;
  Defaulted<double> alpha;
  Defaulted<UnlikelihoodLevel> level;
  Defaulted<double> rate, weight;
  Defaulted<int64_t> prefix, completion, ngram;

  bool is_unlikelihood(UnlikelihoodLevel which) const {
    return type == Gpt2Loss::kUnlikelihood && level.effective() == which;
  }

  template <class V>
  void visit(V& v) {
    v.field("type", type, "training loss of a predicted token");
    v.field("alpha", alpha, "entmax: exponent of the map from scores to probabilities",
            in_range(1, 4));
    const bool unlikelihood = type == Gpt2Loss::kUnlikelihood;
    level.usual.reset();
    if (unlikelihood) level.usual = UnlikelihoodLevel::kSequence;
    v.field("level", level, "unlikelihood: which tokens are made unlikely");
    const bool sequence = unlikelihood && level.effective() == UnlikelihoodLevel::kSequence;
    const bool token = unlikelihood && !sequence;
    const auto usual = [](bool is_used, auto value) {
      return is_used ? std::optional(value) : std::nullopt;
    };
    rate.usual = usual(sequence, 0.5);
    prefix.usual = usual(sequence, int64_t{50});
    completion.usual = usual(sequence, int64_t{100});
    ngram.usual = usual(sequence, int64_t{4});
    weight.usual = usual(token, 1.0);
    v.field("rate", rate,
            "unlikelihood of sequences: share of updates with it, in place of the likelihood",
            in_range(0, 1));
    v.field("prefix", prefix,
            "unlikelihood of sequences: length of the consecutive parts of a text that are "
            "continued; a shorter last part is not",
            in_range(1, 65536), unit("tokens"));
    v.field("completion", completion, "unlikelihood of sequences: length of a greedy continuation",
            in_range(1, 65536), unit("tokens"));
    v.field("ngram", ngram, "unlikelihood of sequences: order of n-grams that must not repeat",
            in_range(1, 64));
    v.field("weight", weight,
            "unlikelihood of tokens: weight of the earlier tokens of the text, beside the "
            "likelihood",
            at_least(0));
    v.check((type == Gpt2Loss::kEntmax) == alpha.has_value(),
            "alpha is required by type=entmax and not an option of other losses");
    v.check(unlikelihood || !level, "level is an option of type=unlikelihood");
    v.check(sequence || !(rate || prefix || completion || ngram),
            "rate, prefix, completion and ngram are options of type=unlikelihood with "
            "level=sequence");
    v.check(token || !weight, "weight is an option of type=unlikelihood with level=token");
  }
};

/// Training on replies of dialogues.
struct Gpt2DialogueOptions {
  double reply_weight = 1, choice_weight = 1;
  double choice_dropout = 0.1;
  std::optional<int64_t> padded;

  template <class V>
  void visit(V& v) {
    v.field("reply_weight", reply_weight, "weight of the loss of the tokens of the reply",
            at_least(0));
    v.field("choice_weight", choice_weight,
            "weight of the loss of the choice between the reply and the distractor", at_least(0));
    v.field("choice_dropout", choice_dropout,
            "probability of dropping an input unit of the choice's layer",
            Bounds{0, 1, false, /*high_open=*/true});
    v.field("padded", padded,
            "form of the released code: reply and distractor with their contexts are padded to "
            "this number of tokens, and padding is the target of all positions but those of the "
            "reply; unset: the loss is that of the reply alone",
            in_range(3, 1 << 20));
  }
};

struct Gpt2Options {
  Gpt2Size size = Gpt2Size::kSmall;
  Defaulted<int64_t> layers, heads, width, positions;
  double embedding_dropout = 0.1, attention_dropout = 0.1, residual_dropout = 0.1;
  Gpt2LossOptions loss;
  std::optional<Gpt2DialogueOptions> dialogue;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "preset of layers, heads, width and positions");
    const Gpt2Shape preset = preset_shape(size);
    layers.usual = preset.layers;
    heads.usual = preset.heads;
    width.usual = preset.width;
    positions.usual = preset.positions;
    v.field("layers", layers, "number of blocks; unset: from `size`", in_range(1, 1024));
    v.field("heads", heads, "number of attention heads; unset: from `size`", in_range(1, 1024));
    v.field("width", width, "units of the residual stream; unset: from `size`", in_range(1, 65536));
    v.field("positions", positions, "maximum number of tokens of a text; unset: from `size`",
            in_range(1, 1 << 20));
    const Bounds probability{0, 1, false, /*high_open=*/true};
    v.field("embedding_dropout", embedding_dropout,
            "probability of dropping a unit of the sum of word and position vectors", probability);
    v.field("attention_dropout", attention_dropout, "probability of dropping an attention weight",
            probability);
    v.field("residual_dropout", residual_dropout,
            "probability of dropping an output unit of attention or MLP", probability);
    v.field("loss", loss, "training loss");
    v.field("dialogue", dialogue,
            "trains on replies with their contexts (columns context, reply, distractor), with "
            "embeddings of the speakers and a layer that chooses the reply; {}: with the defaults; "
            "unset: running text");
    v.check(!dialogue || loss.type != Gpt2Loss::kUnlikelihood,
            "type=unlikelihood trains on running text, not on dialogues");
    v.check(!dialogue || dialogue->padded.value_or(0) <= positions.effective(),
            "dialogue.padded must not exceed positions");
    const bool completes = loss.is_unlikelihood(UnlikelihoodLevel::kSequence);
    v.check(!completes ||
                loss.prefix.effective() + loss.completion.effective() <= positions.effective(),
            "loss.prefix and loss.completion together must not exceed positions");
    v.check(width.effective() % heads.effective() == 0, "width must be a multiple of heads");
  }
};

}  // namespace lvtext
