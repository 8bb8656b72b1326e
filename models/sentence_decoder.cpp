#include "models/sentence_decoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/nn/distinct_words.h"
#include "framework/core/nn/dropout.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/nn/packing.h"
#include "framework/core/options/option_error.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

struct DecoderState : DecodeState {
  RecurrentState recurrent;
  at::Tensor bias;  // [N, G]; undefined if z is not part of the inputs

  void select_rows(const at::Tensor& index) override {
    recurrent.select_rows(index);
    if (bias.defined()) bias = bias.index_select(0, index);
  }
};

bool injects(const DecoderOptions& options, ZInject way) {
  return std::find(options.z_inject.begin(), options.z_inject.end(), way) != options.z_inject.end();
}

/// Checks the shapes of sentences and z; the width of z is checked by the layers that use it.
void check_rows(const Tokens& sentences, const at::Tensor& z) {
  LVT_CHECK_SHAPE(sentences.ids, {-1, -1});
  LVT_CHECK_SHAPE(sentences.lengths, {sentences.rows()});
  if (z.defined()) LVT_CHECK_SHAPE(z, {sentences.rows(), -1});
}

void check_word_dropout(const DecoderOptions& options, const Vocabulary& vocabulary) {
  const bool needs_unk = options.word_dropout_type == WordDropoutType::kUnk;
  if (options.word_dropout == 0 || !needs_unk || vocabulary.unk) return;
  throw OptionError(
      {OptionMistake{"decoder.word_dropout_type",
                     "the tokenizer has no id for unknown words, which replaces dropped words; "
                     "set decoder.word_dropout_type=zero"}});
}

}  // namespace

struct SentenceDecoder::Masks {
  at::Tensor hidden, cell;         // [B, H], variational
  std::optional<NoiseKey> output;  // standard
  at::Tensor example_ids;
};

SentenceDecoder::SentenceDecoder(const Init& init, const DecoderOptions& options, int64_t hidden,
                                 std::shared_ptr<Embedding> embedding, int64_t latent,
                                 const Vocabulary& vocabulary)
    : options_(options),
      hidden_(hidden),
      vocabulary_(vocabulary),
      start_(start_of(vocabulary)),
      eos_(eos_of(vocabulary, "the decoder")),
      embedding_(std::move(embedding)) {
  check_word_dropout(options, vocabulary);
  const ModuleScope scope(*this, init);
  const int64_t width = embedding_->width();
  recurrent_ = make_recurrent_layer(
      scope, {options.cell, width, hidden, options.forget_bias, options.init.value_or(-1)});
  if (latent > 0 && injects(options, ZInject::kInit)) {
    z_to_hidden_ = scope.add<Linear>("z_to_hidden", latent, hidden);
    if (recurrent_->has_cell()) z_to_cell_ = scope.add<Linear>("z_to_cell", latent, hidden);
  }
  if (latent > 0 && injects(options, ZInject::kConcat)) {
    const double z_bound = options.init.value_or(1 / std::sqrt(static_cast<double>(hidden)));
    z_weight_ = scope.uniform("z_weight", {recurrent_->gates(), latent}, z_bound);
  }
  if (latent > 0 && injects(options, ZInject::kAdd)) {
    z_to_input_ = scope.add<Linear>("z_to_input", latent, width);
  }
  if (!options.tied) {
    output_ = scope.add<OutputLayer>("output", hidden, vocabulary.size);
    return;
  }
  if (width != hidden) {
    throw OptionError({OptionMistake{
        "decoder.tied", "a tied output layer needs a decoder as wide as the word vectors (" +
                            std::to_string(width) + "), but it has " + std::to_string(hidden) +
                            " units; set decoder.hidden=" + std::to_string(width)}});
  }
  tied_bias_ = register_parameter("output_bias", at::zeros({vocabulary.size}));
}

const at::Tensor& SentenceDecoder::output_weight() const {
  return output_ ? output_->weight() : embedding_->weight();
}

const at::Tensor& SentenceDecoder::output_bias() const {
  return output_ ? output_->bias() : tied_bias_;
}

RecurrentState SentenceDecoder::initial_state(const at::Tensor& z) const {
  return {z_to_hidden_ ? at::tanh(z_to_hidden_->forward(z)) : at::Tensor(),
          z_to_cell_ ? z_to_cell_->forward(z) : at::Tensor()};
}

at::Tensor SentenceDecoder::sentence_bias(const at::Tensor& z) const {
  at::Tensor bias;
  if (z_weight_.defined()) bias = affine(z, z_weight_);
  if (z_to_input_) {
    const at::Tensor added = affine(z_to_input_->forward(z), recurrent_->weights().weight_ih);
    bias = bias.defined() ? bias + added : added;
  }
  return bias;
}

at::Tensor SentenceDecoder::outputs(const Input& input, const at::Tensor& lengths,
                                    const at::Tensor& z, const Masks& masks) const {
  const RecurrentExtras extras = {.sentence_bias = sentence_bias(z),
                                  .mask_h = masks.hidden,
                                  .mask_c = masks.cell,
                                  .mask_initial_state = options_.mask_initial_state};
  const RecurrentState initial = initial_state(z);
  at::Tensor states =
      input.vectors.defined()
          ? recurrent_->forward(input.vectors, lengths, initial, extras).outputs
          : recurrent_->forward_words(input.ids, embedding_->weight(), lengths, initial, extras)
                .outputs;
  if (masks.output) {
    states = dropout(states, *masks.output, masks.example_ids, options_.output_dropout);
  }
  return pack_rows(states, lengths);
}

SentenceDecoder::Input SentenceDecoder::dropped_input(const Tokens& sentences,
                                                      const at::Tensor& example_ids,
                                                      StepContext& context, Masks& masks) const {
  const DecoderOptions& o = options_;
  Input input{with_bos(sentences, start_), {}};
  if (!context.training()) return input;
  const auto vectors = [&] {
    return embedding_->forward(input.ids.to(embedding_->weight().device()));
  };
  // A rate below the rounding of 1 drops nothing.
  if (1 - o.word_dropout < 1) {
    const NoiseKey key = context.noise("decoder.word_dropout");
    if (o.word_dropout_type == WordDropoutType::kUnk) {
      input.ids =
          word_dropout(input.ids, key, example_ids, o.word_dropout, start_, *vocabulary_.unk);
    } else {
      const auto like = embedding_->weight().options().requires_grad(false);
      input.vectors =
          vectors() * word_mask(input.ids, key, example_ids, o.word_dropout, start_, like);
    }
  }
  if (o.output_dropout > 0) {
    masks.output = context.noise("decoder.dropout.output");
    masks.example_ids = example_ids;
  }
  if (o.embedding_dropout > 0) {
    input.vectors =
        dropout(input.vectors.defined() ? input.vectors : vectors(),
                context.noise("decoder.dropout.input"), example_ids, o.embedding_dropout);
  }
  if (1 - o.dropout == 1) return input;
  if (!input.vectors.defined()) input.vectors = vectors();
  const auto like = input.vectors.options().requires_grad(false);
  masks.hidden = variational_mask(context.noise("decoder.dropout.hidden"), example_ids, hidden_,
                                  o.dropout, like);
  if (o.mask_cell) {
    masks.cell = variational_mask(context.noise("decoder.dropout.cell"), example_ids, hidden_,
                                  o.dropout, like);
  }
  input.vectors = apply_variational(
      input.vectors, variational_mask(context.noise("decoder.dropout.input"), example_ids,
                                      embedding_->width(), o.dropout, like));
  return input;
}

at::Tensor SentenceDecoder::nll_sum(const Tokens& sentences, const at::Tensor& z,
                                    const at::Tensor& example_ids, StepContext& context) const {
  Masks masks;
  check_rows(sentences, z);
  LVT_CHECK_SHAPE(example_ids, {sentences.rows()});
  const at::Tensor lengths = sentences.lengths + 1;
  const Input input = dropped_input(sentences, example_ids, context, masks);
  return output_loss_sum(outputs(input, lengths, z, masks), output_weight(), output_bias(),
                         pack_rows(with_eos(sentences, eos_), lengths));
}

at::Tensor SentenceDecoder::nll(const Tokens& sentences, const at::Tensor& z) const {
  check_rows(sentences, z);
  const at::Tensor lengths = sentences.lengths + 1;
  const at::Device device = embedding_->weight().device();
  const at::Tensor states = outputs({with_bos(sentences, start_), {}}, lengths, z, {});
  const at::Tensor rows =
      output_loss_rows(states, output_weight(), output_bias(),
                       pack_rows(with_eos(sentences, eos_).to(device), lengths));
  return sum_by_sentence(rows, lengths);
}

std::unique_ptr<DecodeState> SentenceDecoder::start(const Start& start) const {
  at::NoGradGuard no_grad;
  auto state = std::make_unique<DecoderState>();
  state->bias = sentence_bias(start.z);
  RecurrentState initial =
      z_to_hidden_ ? initial_state(start.z) : recurrent_->zero_state(start.rows);
  if (start.prompt) {
    // The first `lengths` tokens of start symbol + prompt are all tokens except the last.
    initial = recurrent_
                  ->forward_words(with_bos(*start.prompt, start_), embedding_->weight(),
                                  start.prompt->lengths, initial, {.sentence_bias = state->bias})
                  .state;
  }
  state->recurrent.h = initial.h.contiguous();
  if (initial.c.defined()) state->recurrent.c = initial.c.contiguous();
  return state;
}

at::Tensor SentenceDecoder::step(DecodeState& state, const at::Tensor& ids) const {
  at::NoGradGuard no_grad;
  auto& [recurrent, bias] = static_cast<DecoderState&>(state);
  // The contribution of the input word to the gates is computed once per distinct word.
  const DistinctWords words = distinct_words(ids.to(at::kCPU), vocabulary_.size);
  const at::Tensor input = embedding_->forward(words.ids.to(embedding_->weight().device()));
  recurrent_->step(input, words.index, bias, recurrent);
  return affine(recurrent.h, output_weight(), output_bias());
}

}  // namespace lvtext
