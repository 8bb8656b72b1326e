#include "models/sentence_decoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/base/error.h"
#include "framework/nn/dropout.h"
#include "framework/nn/init.h"
#include "framework/nn/packing.h"

namespace lvtext {
namespace {

struct RecurrentState : DecodeState {
  at::Tensor h;     // [N, H]
  at::Tensor c;     // [N, H]; undefined for a GRU
  at::Tensor bias;  // [N, gates]; undefined without a code in the inputs

  void keep_rows(const at::Tensor& index) override {
    for (at::Tensor* each : {&h, &c, &bias}) {
      if (each->defined()) *each = each->index_select(0, index);
    }
  }
};

bool injects(const DecoderOptions& options, ZInject way) {
  return std::find(options.z_inject.begin(), options.z_inject.end(), way) !=
         options.z_inject.end();
}

}  // namespace

struct SentenceDecoder::Masks {
  at::Tensor hidden, cell;      // [B, H], variational
  std::optional<NoiseKey> output;  // standard
  at::Tensor example_ids;
};

SentenceDecoder::SentenceDecoder(const DecoderOptions& options, int64_t hidden,
                                 std::shared_ptr<Embedding> embedding, int64_t latent,
                                 int64_t vocabulary, uint64_t seed)
    : options_(options),
      hidden_(hidden),
      vocabulary_(vocabulary),
      embedding_(std::move(embedding)) {
  const int64_t width = embedding_->width();
  const bool is_lstm = options.cell == CellType::kLstm;
  const double bound = options.init.value_or(-1);
  if (is_lstm) {
    lstm_ = register_module("lstm", std::make_shared<Lstm>(width, hidden, seed, "decoder.lstm",
                                                           options.forget_bias, bound));
  } else {
    gru_ = register_module("gru", std::make_shared<Gru>(width, hidden, seed, "decoder.gru", bound));
  }
  if (latent > 0 && injects(options, ZInject::kInit)) {
    z_to_hidden_ = register_module(
        "z_to_hidden", std::make_shared<Linear>(latent, hidden, seed, "decoder.z_to_hidden"));
    if (is_lstm) {
      z_to_cell_ = register_module(
          "z_to_cell", std::make_shared<Linear>(latent, hidden, seed, "decoder.z_to_cell"));
    }
  }
  if (latent > 0 && injects(options, ZInject::kConcat)) {
    const double z_bound = options.init.value_or(1 / std::sqrt(static_cast<double>(hidden)));
    z_weight_ = register_parameter(
        "z_weight",
        uniform_init({(is_lstm ? 4 : 3) * hidden, latent}, z_bound, seed, "decoder.z_weight"));
  }
  if (latent > 0 && injects(options, ZInject::kAdd)) {
    z_to_input_ = register_module(
        "z_to_input", std::make_shared<Linear>(latent, width, seed, "decoder.z_to_input"));
  }
  if (!options.tied) {
    output_ = register_module(
        "output", std::make_shared<OutputLayer>(hidden, vocabulary, seed, "decoder.output"));
    return;
  }
  if (width != hidden) {
    throw ConfigError("decoder.tied: the output layer can use the word vectors only if the decoder "
                      "is as wide as they are (" + std::to_string(width) + "), but it has " +
                      std::to_string(hidden) + " units; set decoder.hidden=" +
                      std::to_string(width));
  }
  tied_bias_ = register_parameter("output_bias", at::zeros({vocabulary}));
}

const at::Tensor& SentenceDecoder::output_weight() const {
  return output_ ? output_->weight() : embedding_->weight();
}

const at::Tensor& SentenceDecoder::output_bias() const {
  return output_ ? output_->bias() : tied_bias_;
}

const at::Tensor& SentenceDecoder::input_weight() const {
  return lstm_ ? lstm_->weights().weight_ih : gru_->weights().weight_ih;
}

at::Tensor SentenceDecoder::initial_hidden(const at::Tensor& z) const {
  return z_to_hidden_ ? at::tanh(z_to_hidden_->forward(z)) : at::Tensor();
}

at::Tensor SentenceDecoder::initial_cell(const at::Tensor& z) const {
  return z_to_cell_ ? z_to_cell_->forward(z) : at::Tensor();
}

at::Tensor SentenceDecoder::sentence_bias(const at::Tensor& z) const {
  at::Tensor bias;
  if (z_weight_.defined()) bias = at::linear(z, z_weight_);
  if (z_to_input_) {
    const at::Tensor added = at::linear(z_to_input_->forward(z), input_weight());
    bias = bias.defined() ? bias + added : added;
  }
  return bias;
}

at::Tensor SentenceDecoder::outputs(const at::Tensor& input, const at::Tensor& lengths,
                                    const at::Tensor& z, const Masks& masks) const {
  at::Tensor states;
  if (lstm_) {
    LstmExtras extras;
    extras.sentence_bias = sentence_bias(z);
    extras.mask_h = masks.hidden;
    extras.mask_c = masks.cell;
    extras.mask_initial_state = options_.dropout.mask_initial_state;
    states = lstm_->forward(input, lengths, initial_hidden(z), initial_cell(z), extras).outputs;
  } else {
    GruExtras extras;
    extras.sentence_bias = sentence_bias(z);
    extras.mask_h = masks.hidden;
    extras.mask_initial_state = options_.dropout.mask_initial_state;
    states = gru_->forward(input, lengths, initial_hidden(z), extras).outputs;
  }
  if (masks.output) {
    states = dropout(states, *masks.output, masks.example_ids, 1 - options_.dropout.output);
  }
  return pack_rows(states, lengths);
}

at::Tensor SentenceDecoder::dropped_input(const Tokens& sentences, const at::Tensor& example_ids,
                                          StepContext& context, Masks& masks) const {
  const DropoutOptions& d = options_.dropout;
  const double keep_words = options_.word_dropout.keep;
  const bool unk = options_.word_dropout.type == WordDropoutType::kUnk;
  at::Tensor ids = with_bos(sentences);
  at::Tensor words;
  if (context.training() && keep_words < 1) {
    const NoiseKey key = context.noise("decoder.word_dropout");
    if (unk) {
      ids = word_dropout(ids, key, example_ids, keep_words, kBos, kUnk);
    } else {
      words = word_mask(ids, key, example_ids, keep_words, kBos, embedding_->weight().options());
    }
  }
  at::Tensor input = embedding_->forward(ids.to(embedding_->weight().device()));
  if (words.defined()) input = input * words;
  if (!context.training()) return input;
  if (d.type == DropoutType::kStandard) {
    if (d.output > 0) masks.output = context.noise("decoder.dropout.output");
    masks.example_ids = example_ids;
    return d.embed > 0
               ? dropout(input, context.noise("decoder.dropout.input"), example_ids, 1 - d.embed)
               : input;
  }
  if (d.keep == 1) return input;
  const auto like = input.options().requires_grad(false);
  masks.hidden = variational_mask(context.noise("decoder.dropout.hidden"), example_ids, hidden_,
                                  d.keep, like);
  if (d.mask_cell) {
    masks.cell = variational_mask(context.noise("decoder.dropout.cell"), example_ids, hidden_,
                                  d.keep, like);
  }
  return apply_variational(input, variational_mask(context.noise("decoder.dropout.input"),
                                                   example_ids, embedding_->width(), d.keep, like));
}

at::Tensor SentenceDecoder::nll_sum(const Tokens& sentences, const at::Tensor& z,
                                    const at::Tensor& example_ids, StepContext& context) const {
  Masks masks;
  const at::Tensor lengths = sentences.lengths + 1;
  const at::Tensor input = dropped_input(sentences, example_ids, context, masks);
  return cross_entropy_sum(outputs(input, lengths, z, masks), output_weight(), output_bias(),
                           pack_rows(with_eos(sentences), lengths));
}

at::Tensor SentenceDecoder::nll(const Tokens& sentences, const at::Tensor& z) const {
  const at::Tensor lengths = sentences.lengths + 1;
  const at::Device device = embedding_->weight().device();
  const at::Tensor input = embedding_->forward(with_bos(sentences).to(device));
  const at::Tensor states = outputs(input, lengths, z, {});
  const at::Tensor rows = cross_entropy_rows(states, output_weight(), output_bias(),
                                             pack_rows(with_eos(sentences).to(device), lengths));
  return sum_by_sentence(rows, lengths);
}

std::unique_ptr<DecodeState> SentenceDecoder::start(const at::Tensor& z, int64_t rows) const {
  at::NoGradGuard no_grad;
  auto state = std::make_unique<RecurrentState>();
  const auto zeros = [&] {
    return at::zeros({rows, hidden_}, embedding_->weight().options().requires_grad(false));
  };
  state->h = z_to_hidden_ ? initial_hidden(z).contiguous() : zeros();
  if (lstm_) state->c = z_to_cell_ ? initial_cell(z).contiguous() : zeros();
  state->bias = sentence_bias(z);
  return state;
}

at::Tensor SentenceDecoder::step(DecodeState& state, const at::Tensor& ids) const {
  at::NoGradGuard no_grad;
  auto& s = static_cast<RecurrentState&>(state);
  const at::Tensor input = embedding_->forward(ids.to(embedding_->weight().device()));
  at::Tensor projected =
      lstm_ ? lstm_project(input, lstm_->weights()) : gru_project(input, gru_->weights());
  if (s.bias.defined()) projected = projected + s.bias;
  if (lstm_) {
    lstm_cell(projected, s.h, s.c, lstm_->weights());
  } else {
    s.h = gru_cell(projected, s.h, gru_->weights());
  }
  return at::linear(s.h, output_weight(), output_bias());
}

}  // namespace lvtext
