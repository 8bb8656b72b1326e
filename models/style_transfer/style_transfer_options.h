// Options of the style transfer model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/nn/gru.h"
#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"
#include "models/style_transfer/initialization.h"

namespace lvtext {

enum class TransferSize { kPaper, kSmall };
const std::vector<EnumName<TransferSize>>& enum_names(TransferSize);

/// Widths of the style vectors, the content vector and the word vectors.
struct TransferWidths {
  int64_t style, content, embedding;
};
/// Returns the widths of `size`.
TransferWidths preset_widths(TransferSize size);

/// Input of the free-running generator, whose states the discriminators receive, at each step.
enum class SoftFeed { kGumbel, kSoftmax };
const std::vector<EnumName<SoftFeed>>& enum_names(SoftFeed);

/// The generator's objective against the discriminators.
enum class AdversarialLoss { kMinimax, kNonSaturating };
const std::vector<EnumName<AdversarialLoss>>& enum_names(AdversarialLoss);

/// How losses of sentences are averaged over both styles.
enum class TransferNorm { kRows, kPerStyleSum };
const std::vector<EnumName<TransferNorm>>& enum_names(TransferNorm);

/// max(minimum, initial * decay^epoch).
struct TemperatureOptions {
  double initial = 1;
  double decay = 0.5;
  double minimum = 1e-3;

  template <class V>
  void visit(V& v) {
    v.field("initial", initial, "temperature in the first epoch", in_range(1e-4, 1e4));
    v.field("decay", decay, "factor per epoch", Bounds{0, 1, true, false});
    v.field("minimum", minimum, "lowest temperature, which is also used in validation",
            in_range(1e-4, 1e4));
    v.check(minimum <= initial, "minimum must not exceed initial");
  }
  double at(double epoch) const;
};

struct SoftOptions {
  SoftFeed feed = SoftFeed::kGumbel;
  TemperatureOptions temperature;

  template <class V>
  void visit(V& v) {
    v.field("feed", feed, "distribution whose expected word vector the generator reads");
    v.field("temperature", temperature, "temperature of the distribution");
  }
};

struct DiscriminatorOptions {
  std::vector<int64_t> filters = {3, 4, 5};
  int64_t channels = 128;
  double negative_slope = 0.01;
  double dropout = 0.5;
  AdversarialLoss loss = AdversarialLoss::kMinimax;
  double gate = 1.2;
  bool mask_after_eos = false;

  template <class V>
  void visit(V& v) {
    v.field("filters", filters, "numbers of consecutive states that the filters read",
            in_range(1, 1024), not_empty());
    v.field("channels", channels, "filters of each width, also of the second pair",
            in_range(1, 65536));
    v.field("negative_slope", negative_slope,
            "negative slope of the leaky ReLU, also of the second pair; 0: ReLU", in_range(0, 1));
    v.field("dropout", dropout, "probability of dropping a feature", Bounds{0, 1, false, true});
    v.field("loss", loss, "the generator's objective");
    v.field("gate", gate,
            "the generator's adversarial term is used only in updates in which the losses of both "
            "discriminators, in nats per sentence (2 ln 2 = 1.39 if untrained), are below this "
            "value; 0: always",
            at_least(0));
    v.field("mask_after_eos", mask_after_eos,
            "repeat the last state before the end of a sentence, so that the length of a "
            "sentence is not visible in states after its end; also for the second pair");
  }
};

/// The second pair of discriminators: Wasserstein critics with gradient penalty. Their weight is
/// weight * decay^(epoch + epoch_offset).
struct SecondPairOptions {
  bool enabled = false;
  std::vector<int64_t> filters = {1, 2, 3};
  double dropout = 0.5;
  double penalty = 10;
  bool penalty_in_generator = false;
  double weight = 1;
  double decay = 0.5;
  int64_t epoch_offset = 0;
  int64_t critic_iterations = 1;

  template <class V>
  void visit(V& v) {
    v.field("enabled", enabled, "train the second pair");
    v.field("filters", filters, "numbers of consecutive states that the filters read",
            in_range(1, 1024), not_empty());
    v.field("dropout", dropout, "probability of dropping a feature", Bounds{0, 1, false, true});
    v.field("penalty", penalty, "weight of the gradient penalty", at_least(0));
    v.field("penalty_in_generator", penalty_in_generator,
            "include the penalty in the generator's objective, as the paper writes it; the critics "
            "are piecewise linear, so that the penalty has no gradient for the generator and this "
            "option only changes the logged loss");
    v.field("weight", weight, "initial weight of the generator's term", at_least(0));
    v.field("decay", decay, "factor of the weight per epoch", Bounds{0, 1, true, false});
    v.field("epoch_offset", epoch_offset, "epochs of decay before the first one", in_range(0, 1e6));
    v.field("critic_iterations", critic_iterations, "updates of the critics per step",
            in_range(1, 100));
  }
  double weight_at(double epoch) const;
};

struct TransferLossOptions {
  double rec = 1;
  double para = 0;
  double cyc = 0;
  int64_t cyc_start = 0;
  double lang = 0;
  double adv = 1;
  TransferNorm norm = TransferNorm::kRows;

  template <class V>
  void visit(V& v) {
    v.field("rec", rec, "weight of the reconstruction", at_least(0));
    v.field("para", para,
            "weight of the paraphrase loss; above 0, the stream 'paraphrases' is read",
            at_least(0));
    v.field("cyc", cyc, "weight of the cyclic loss", at_least(0));
    v.field("cyc_start", cyc_start,
            "epochs before the cyclic loss is used; before the generator uses the content vector, "
            "transferred sentences do not depend on their sources, and the cyclic loss trains the "
            "generator to ignore that vector",
            in_range(0, 1e6));
    v.field("lang", lang,
            "weight of the language model loss; above 0, the inputs 'lm_0' and 'lm_1' are required",
            at_least(0));
    v.field("adv", adv, "weight of the adversarial term", at_least(0));
    v.field("norm", norm, "average of rec, para, cyc and lang over sentences");
  }
};

/// Text fields of the stream "paraphrases".
struct ParaphraseOptions {
  std::string from = "from";
  std::string to = "to";

  template <class V>
  void visit(V& v) {
    v.field("from", from, "text that is encoded", not_empty());
    v.field("to", to, "its paraphrase, which is decoded", not_empty());
  }
};

struct StyleTransferOptions {
  TransferSize size = TransferSize::kPaper;
  Defaulted<int64_t> style, content, embedding;
  ResetGate reset_gate = ResetGate::kBeforeProduct;
  Initialization initialization = Initialization::kTfGlorot;
  double dropout = 0.5;
  int64_t min_length = 5;
  int64_t max_length = 20;
  bool pack_encoder = false;
  SoftOptions soft;
  DiscriminatorOptions discriminator;
  SecondPairOptions second_pair;
  TransferLossOptions loss;
  ParaphraseOptions paraphrases;
  std::optional<int64_t> updates_per_epoch;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "preset of the widths");
    const TransferWidths preset = preset_widths(size);
    style.usual = preset.style;
    content.usual = preset.content;
    embedding.usual = preset.embedding;
    v.field("style", style, "width of the style vectors; unset: from `size`", in_range(1, 65536));
    v.field("content", content, "width of the content vector; unset: from `size`",
            in_range(1, 65536));
    v.field("embedding", embedding,
            "width of the word vectors, which encoder and generator share; unset: from `size`",
            in_range(1, 65536));
    v.field("reset_gate", reset_gate, "position of the GRUs' reset gate");
    v.field("initialization", initialization, "initial weights and biases");
    v.field("dropout", dropout,
            "probability of dropping a unit of the GRUs' inputs and of the generator's outputs, "
            "at each position",
            Bounds{0, 1, false, true});
    v.field("min_length", min_length,
            "batches are padded to at least this number of tokens per sentence", in_range(1, 1000));
    v.field(
        "max_length", max_length,
        "maximum number of tokens of a transferred sentence in training, and of states that the "
        "discriminators read; to read all states, at least the longest sentence + 2",
        in_range(1, 1000));
    v.field("pack_encoder", pack_encoder,
            "the encoder reads no padding, so that a sentence's content vector does not depend on "
            "its batch; otherwise it reads the padding before the sentence, as in the released "
            "code");
    v.field("soft", soft,
            "inputs of the free-running generator, whose states the discriminators receive");
    v.field("discriminator", discriminator, "discriminators between real and transferred states");
    v.field("second_pair", second_pair, "second pair of discriminators");
    v.field("loss", loss, "weights of the loss terms");
    v.field("paraphrases", paraphrases, "text fields of the stream 'paraphrases'");
    v.field("updates_per_epoch", updates_per_epoch,
            "updates per epoch in the schedules of soft.temperature, second_pair and "
            "loss.cyc_start, which scale with train.schedule_length; unset: epochs of the data, "
            "not scaled",
            at_least(1), unit("updates"));
    const auto widest = [](const std::vector<int64_t>& filters) {
      return filters.empty() ? 0 : *std::max_element(filters.begin(), filters.end());
    };
    const int64_t states = std::min(min_length + 2, max_length);
    v.check(widest(discriminator.filters) <= states,
            "discriminator.filters: a filter is wider than the shortest sequence of states, "
            "min_length + 2 or max_length; lower it, or raise the lengths");
    v.check(!second_pair.enabled || widest(second_pair.filters) <= states,
            "second_pair.filters: a filter is wider than the shortest sequence of states, "
            "min_length + 2 or max_length; lower it, or raise the lengths");
  }
};

}  // namespace lvtext
