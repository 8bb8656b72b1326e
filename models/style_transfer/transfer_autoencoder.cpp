#include "models/style_transfer/transfer_autoencoder.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/core/nn/distinct_words.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/nn/output_layer.h"
#include "framework/core/nn/packing.h"
#include "framework/core/tensor/compute_mode.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

struct GeneratorState : DecodeState {
  RecurrentState recurrent;
  void select_rows(const at::Tensor& index) override { recurrent.select_rows(index); }
};

TransferWidths widths_of(const StyleTransferOptions& options) {
  const TransferWidths preset = preset_widths(options.size);
  return {options.style.value_or(preset.style), options.content.value_or(preset.content),
          options.embedding.value_or(preset.embedding)};
}

/// Weights of a GRU in the module "gru". TensorFlow 1 has a kernel [I + H, 2H] for both gates and
/// one [I + H, H] for the candidate state, and the gates' bias is 1. A reset gate before the
/// product needs a single bias.
std::unique_ptr<Gru> make_gru(const ModuleScope& scope, const StyleTransferOptions& options,
                              int64_t input, int64_t hidden) {
  const ModuleScope gru = scope.child("gru");
  if (options.initialization == Initialization::kTorch) {
    const double bound = 1 / std::sqrt(static_cast<double>(hidden));
    const bool single = options.reset_gate == ResetGate::kBeforeProduct;
    return std::make_unique<Gru>(
        RecurrentWeights{gru.uniform("weight_ih_l0", {3 * hidden, input}, bound),
                         gru.uniform("weight_hh_l0", {3 * hidden, hidden}, bound),
                         gru.uniform("bias_ih_l0", {3 * hidden}, bound),
                         single ? at::Tensor() : gru.uniform("bias_hh_l0", {3 * hidden}, bound)},
        options.reset_gate);
  }
  const double gates = weight_bound(options.initialization, input + hidden, 2 * hidden);
  const double candidate = weight_bound(options.initialization, input + hidden, hidden);
  const at::NoGradGuard no_grad;
  const auto kernel = [&](const char* name, int64_t width) {
    const at::Tensor weight = gru.uniform(name, {3 * hidden, width}, gates);
    weight.slice(0, 2 * hidden).mul_(candidate / gates);
    return weight;
  };
  RecurrentWeights weights{kernel("weight_ih_l0", input), kernel("weight_hh_l0", hidden),
                           gru.uniform("bias_ih_l0", {3 * hidden}, 0), at::Tensor()};
  weights.bias_ih.slice(0, 0, 2 * hidden).fill_(1);
  if (options.reset_gate == ResetGate::kAfterProduct) {
    weights.bias_hh = gru.uniform("bias_hh_l0", {3 * hidden}, 0);
  }
  return std::make_unique<Gru>(std::move(weights), options.reset_gate);
}

}  // namespace

TransferAutoencoder::TransferAutoencoder(const Init& init, const StyleTransferOptions& options,
                                         const Vocabulary& vocabulary)
    : min_length_(options.min_length),
      pack_encoder_(options.pack_encoder),
      vocabulary_(vocabulary),
      start_(start_of(vocabulary)),
      eos_(eos_of(vocabulary, "the generator")),
      pad_(pad_of(vocabulary, "style_transfer")) {
  const TransferWidths widths = widths_of(options);
  style_ = widths.style;
  content_ = widths.content;
  const ModuleScope scope(*this, init);
  // Directions of U(-0.5, 0.5)^E with unit L2 norm, as in the released code (vocab.py).
  embedding_ = scope.add<Embedding>("embedding", vocabulary.size, widths.embedding, 0.5);
  {
    const at::NoGradGuard no_grad;
    embedding_->weight().div_(embedding_->weight().norm(2, {1}, /*keepdim=*/true));
  }
  const auto style = [&](const ModuleScope& owner) {
    return Style{
        owner.uniform("style_weight", {style_}, weight_bound(options.initialization, 1, style_)),
        owner.uniform("style_bias", {style_}, bias_bound(options.initialization, 1, style_))};
  };
  const ModuleScope encoder = scope.child("encoder"), generator = scope.child("generator");
  encoder_style_ = style(encoder);
  encoder_ = make_gru(encoder, options, widths.embedding, width());
  generator_style_ = style(generator);
  generator_ = make_gru(generator, options, widths.embedding, width());
  const ModuleScope output = scope.child("output");
  output_weight_ = output.uniform("weight", {vocabulary.size, width()},
                                  weight_bound(options.initialization, width(), vocabulary.size));
  output_bias_ = output.uniform("bias", {vocabulary.size},
                                bias_bound(options.initialization, width(), vocabulary.size));
}

int64_t TransferAutoencoder::padded_length(const Tokens& sentences) const {
  return std::max(min_length_, sentences.lengths.max().item<int64_t>());
}

at::Tensor TransferAutoencoder::padded(const Tokens& sentences, int64_t length) const {
  const int64_t columns = std::min(length, sentences.ids.size(1));
  const at::Tensor ids = at::full({sentences.rows(), length}, pad_, sentences.ids.options());
  ids.narrow(1, 0, columns).copy_(sentences.ids.narrow(1, 0, columns));
  const at::Tensor lengths = sentences.lengths.to(ids.device()).unsqueeze(1);
  return ids.masked_fill_(at::arange(length, ids.options()) >= lengths, pad_);
}

at::Tensor TransferAutoencoder::Style::of(const at::Tensor& styles) const {
  return styles.unsqueeze(1) * weight + bias;
}

RecurrentResult TransferAutoencoder::read(const Gru& layer, const at::Tensor& ids,
                                          const at::Tensor& lengths, const at::Tensor& initial,
                                          bool reverse, const Dropout& dropout,
                                          const std::string& use) const {
  const RecurrentExtras extras = {.reverse = reverse};
  const at::Tensor& table = embedding_->weight();
  if (!dropout) return layer.forward_words(ids, table, lengths, {initial}, extras);
  const at::Tensor words = embedding_->forward(ids.to(table.device()));
  return layer.forward(dropout(words, use), lengths, {initial}, extras);
}

at::Tensor TransferAutoencoder::encode(const Tokens& sentences, const at::Tensor& styles,
                                       const Dropout& dropout) const {
  const at::Tensor initial = at::cat(
      {encoder_style_.of(styles), at::zeros({sentences.rows(), content_}, tensor_options())}, 1);
  const at::Tensor ids = padded(sentences, padded_length(sentences));
  // Without packing, the encoder reads the padding first and the sentence from its end.
  const RecurrentResult result =
      pack_encoder_
          ? read(*encoder_, ids, sentences.lengths, initial, true, dropout, "encoder.input")
          : read(*encoder_, ids.flip(1), {}, initial, false, dropout, "encoder.input");
  return result.state.h.slice(1, style_);
}

at::Tensor TransferAutoencoder::initial(const at::Tensor& styles, const at::Tensor& content) const {
  return at::cat({generator_style_.of(styles), content}, 1);
}

at::Tensor TransferAutoencoder::teacher_forced(const Tokens& sentences, const at::Tensor& lengths,
                                               const at::Tensor& initial,
                                               const Dropout& dropout) const {
  const at::Tensor ids = with_bos(sentences, start_);
  const RecurrentResult result =
      read(*generator_, ids, lengths, initial, false, dropout, "generator.input");
  if (!lengths.defined()) return result.outputs;
  const at::Tensor after = at::arange(ids.size(1), at::kLong).unsqueeze(0).ge(lengths.unsqueeze(1));
  return result.outputs + result.state.h.unsqueeze(1) * after.to(tensor_options()).unsqueeze(2);
}

at::Tensor TransferAutoencoder::soft(const at::Tensor& initial, const SoftDecoding& decoding,
                                     const Dropout& dropout) const {
  // The logits are divided by temperatures down to 0.001, which multiplies errors of rounding.
  const MixedPrecisionScope full(false);
  const ComputeMode exact(/*tf32=*/false);
  const auto dropped = [&](const at::Tensor& x, const char* use, int64_t t) {
    return dropout ? dropout(x, use + std::to_string(t)) : x;
  };
  const at::Tensor first = at::full({initial.size(0)}, start_, tensor_options().dtype(at::kLong));
  at::Tensor word = embedding_->forward(first), h = initial, ended;
  std::vector<at::Tensor> states = {initial};
  SoftWordReader reader(layers(), initial.size(0), std::max<int64_t>(0, decoding.states - 2));
  for (int64_t t = 1; t < decoding.states; ++t) {
    const at::Tensor input = dropped(word, "soft.input.", t);
    const at::Tensor next = generator_->forward(input.unsqueeze(1), {}, {h}).state.h;
    h = ended.defined() ? at::where(ended, h, next) : next;
    states.push_back(h);
    if (t + 1 == decoding.states) break;
    const SoftWords words =
        reader.read(dropped(h, "soft.output.", t),
                    decoding.noise ? decoding.noise(t) : at::Tensor(), decoding.temperature);
    word = words.vectors;
    if (!decoding.stop_at_eos) continue;
    const at::Tensor ends = words.argmax.eq(eos_).unsqueeze(1);
    ended = ended.defined() ? ended.logical_or(ends) : ends;
  }
  return at::stack(states, 1);
}

at::Tensor TransferAutoencoder::nll_sum(const at::Tensor& states, const Tokens& sentences,
                                        const Dropout& dropout) const {
  const at::Tensor lengths = sentences.lengths + 1;
  const at::Tensor outputs = dropout ? dropout(states, "generator.output") : states;
  return output_loss_sum(pack_rows(outputs, lengths), output_weight_, output_bias_,
                         pack_rows(with_eos(sentences, eos_).to(states.device()), lengths));
}

std::unique_ptr<DecodeState> TransferAutoencoder::start(const Start& start) const {
  const at::NoGradGuard no_grad;
  LVT_CHECK_SHAPE(start.z, {start.rows, width()});
  auto state = std::make_unique<GeneratorState>();
  at::Tensor h = start.z;
  if (start.prompt) {
    // The first `lengths` tokens of start symbol + prompt are all tokens except the last.
    h = generator_
            ->forward_words(with_bos(*start.prompt, start_), embedding_->weight(),
                            start.prompt->lengths, {h})
            .state.h;
  }
  state->recurrent.h = h.contiguous();
  return state;
}

at::Tensor TransferAutoencoder::step(DecodeState& state, const at::Tensor& ids) const {
  const at::NoGradGuard no_grad;
  RecurrentState& recurrent = static_cast<GeneratorState&>(state).recurrent;
  // The contribution of the input word to the gates is computed once per distinct word.
  const DistinctWords words = distinct_words(ids.to(at::kCPU), vocabulary_.size);
  const at::Tensor input = embedding_->forward(words.ids.to(embedding_->weight().device()));
  generator_->step(input, words.index, {}, recurrent);
  return affine(recurrent.h, output_weight_, output_bias_);
}

}  // namespace lvtext
