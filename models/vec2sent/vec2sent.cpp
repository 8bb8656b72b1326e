#include "models/vec2sent/vec2sent.h"

#include <ATen/ATen.h>

#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"
#include "framework/core/nn/distinct_words.h"
#include "framework/core/nn/dropout.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/nn/packing.h"
#include "framework/core/options/option_error.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

constexpr double kDeviation = 0.1;  // of word vectors that are trained from the start

/// Index of the sentence of each row of pack_rows().
at::Tensor sentences_of_rows(const at::Tensor& lengths) {
  return at::repeat_interleave(lengths.to(at::kLong));
}

/// A dropped copy of recurrent weights [G, H]; `weight` itself without noise.
at::Tensor dropped_weight(const at::Tensor& weight, const NoiseKey& key, double p) {
  const at::Tensor mask =
      variational_mask(key, at::arange(weight.size(0), at::kLong), weight.size(1), p,
                       weight.options().requires_grad(false));
  return mask.defined() ? weight * mask : weight;
}

/// The mean norm of the rows that are not 0.
double mean_vector_norm(const at::Tensor& table) {
  const at::Tensor norms = table.norm(2, {1});
  const at::Tensor positive = norms.index({norms > 0});
  return positive.numel() > 0 ? positive.mean().item<double>() : 0;
}

}  // namespace

const std::vector<EnumName<VectorDecoderType>>& enum_names(VectorDecoderType) {
  static const std::vector<EnumName<VectorDecoderType>> names = {
      {"mos", VectorDecoderType::kMos, "the vector is read at every step; a mixture of softmaxes"},
      {"lstm", VectorDecoderType::kLstm, "the vector gives the initial state; one softmax"}};
  return names;
}

const std::vector<EnumName<DropoutRates>>& enum_names(DropoutRates) {
  static const std::vector<EnumName<DropoutRates>> names = {
      {"effective", DropoutRates::kEffective,
       "as the authors' code acts, whose dropout of input, output and latent vectors has no effect"},
      {"intended", DropoutRates::kIntended, "as the options of the authors' code state"}};
  return names;
}

const std::vector<EnumName<StartMap>>& enum_names(StartMap) {
  static const std::vector<EnumName<StartMap>> names = {{"linear", StartMap::kLinear, "W c + b"},
                                                        {"tanh", StartMap::kTanh, "tanh(W c + b)"}};
  return names;
}

const std::vector<EnumName<Vec2SentSize>>& enum_names(Vec2SentSize) {
  static const std::vector<EnumName<Vec2SentSize>> names = {
      {"paper", Vec2SentSize::kPaper, "1024 units, 650 in the last layer of mos"},
      {"small", Vec2SentSize::kSmall, "32 units, 24 in the last layer of mos"}};
  return names;
}

void Vec2SentDropout::set_usual(VectorDecoderType type, DropoutRates rates) {
  const bool mos = type == VectorDecoderType::kMos, acts = rates == DropoutRates::kIntended;
  words.usual = mos ? 0.1 : 0.0;
  input.usual = !mos ? 0.2 : acts ? 0.55 : 0.0;
  between.usual = mos ? 0.2 : 0.0;
  output.usual = !mos ? 0.2 : acts ? 0.4 : 0.0;
  latent.usual = mos && acts ? 0.29 : 0.0;
  weights.usual = mos ? 0.5 : 0.0;
}

ConstantWords::ConstantWords(const at::Tensor& weight, const std::vector<int64_t>& ids)
    : weight_(register_buffer("weight", weight)),
      ids_(register_buffer("ids", at::tensor(ids, at::kLong))),
      indices_(register_buffer("indices", at::zeros({weight.size(0)}, at::kLong))) {
  indices_.index_copy_(0, ids_, at::arange(1, std::ssize(ids) + 1, at::kLong));
}

at::Tensor ConstantWords::vectors(const at::Tensor& ids, const at::Tensor& trained) const {
  const at::Tensor on_device = ids.to(weight_.device());
  const at::Tensor rows = at::cat({at::zeros({1, trained.size(1)}, trained.options()), trained});
  const at::Tensor indices =
      indices_.to(at::kLong).index_select(0, on_device.flatten()).view_as(on_device);
  return at::embedding(weight_, on_device) + at::embedding(rows, indices);
}

struct Vec2Sent::Noise {
  StepContext& context;
  at::Tensor example_ids;
  at::TensorOptions like;

  at::Tensor mask(const std::string& use, int64_t width, double p) const {
    return variational_mask(key(use), example_ids, width, p, like);
  }
  NoiseKey key(const std::string& use) const { return context.noise("decoder.dropout." + use); }
};

struct Vec2Sent::State : DecodeState {
  std::vector<RecurrentState> layers;
  at::Tensor bias;  // [N, G]; undefined if the vector gives the initial state

  void select_rows(const at::Tensor& index) override {
    for (RecurrentState& layer : layers) layer.select_rows(index);
    if (bias.defined()) bias = bias.index_select(0, index);
  }
};

std::vector<InputDecl> Vec2Sent::inputs(const Vec2SentOptions& options) {
  return {{.name = "word_vectors",
           .help = "word vectors of the decoder's input and output",
           .type = ArtifactType::kModel,
           .capabilities = {WordVectors::kName},
           .arity = options.train_words ? InputDecl::Arity::kOne : InputDecl::Arity::kOptional,
           .same_tokenizer = true}};
}

Vec2Sent::Vec2Sent(const Vec2SentOptions& options, const ModelInputs& inputs)
    : options_(options),
      vocabulary_(inputs.vocabulary()),
      start_(start_of(vocabulary_)),
      eos_(eos_of(vocabulary_, "vec2sent")) {
  const ColumnDecl* vector = inputs.find("train", "embedding");
  if (!vector) {
    throw MissingField(
        "vec2sent reads one vector for each sentence, the column 'embedding' of its data: add the "
        "vectors of `encode` to them, such as data: [news, embeddings]");
  }
  context_size_ = vector->width();
  const ModuleScope scope(*this, {inputs.seed});
  add_words(options, inputs);
  const int64_t width = table().size(1), hidden = options.hidden.effective();
  const bool mos = options.type == VectorDecoderType::kMos;
  int64_t input = width;
  for (int64_t i = 0; i < options.layers.effective(); ++i) {
    const bool is_last = i + 1 == options.layers.effective();
    const int64_t units = is_last ? options.hidden_last.effective() : hidden;
    const ModuleScope layer = scope.child("layer_" + std::to_string(i));
    layers_.push_back(std::make_unique<Lstm>(layer, input, units));
    if (i == 0 && mos) {
      context_weight_ = layer.uniform("context_weight", {4 * units, context_size_},
                                      1 / std::sqrt(static_cast<double>(units)));
    }
    input = units;
  }
  if (!mos) {
    const int64_t first = layers_.front()->hidden();
    to_hidden_ = scope.add<Linear>("to_hidden", context_size_, first);
    if (options.start_cell) to_cell_ = scope.add<Linear>("to_cell", context_size_, first);
  }
  const int64_t experts = options.experts.effective();
  to_latent_ = scope.add<Linear>("to_latent", input, experts * width);
  if (mos) {
    to_prior_ = scope.add<Linear>("to_prior", input, experts, std::optional<double>(),
                                  /*has_bias=*/false);
  }
  bias_ = register_parameter("output_bias", at::zeros({vocabulary_.size}));
}

void Vec2Sent::add_words(const Vec2SentOptions& options, const ModelInputs& inputs) {
  const ModuleScope scope(*this, {inputs.seed});
  if (!inputs.models.contains("word_vectors")) {
    words_ = scope.normal("words", {vocabulary_.size, options.embedding},
                          options.deviation.value_or(kDeviation));
    return;
  }
  at::Tensor given =
      inputs.serve<WordVectors>("word_vectors").vectors().detach().to(at::kCPU, at::kFloat).clone();
  if (given.size(0) != vocabulary_.size) {
    throw ConfigError("vec2sent: the word vectors of the input 'word_vectors' have " +
                      std::to_string(given.size(0)) + " rows, but the tokenizer of the text has " +
                      std::to_string(vocabulary_.size) +
                      " tokens: fit them to a text with the same tokenizer");
  }
  std::vector<int64_t> ids = {start_};
  if (eos_ != start_) ids.push_back(eos_);
  given.index_fill_(0, at::tensor(ids, at::kLong), 0);
  if (options.deviation) {
    const at::Tensor rows = given.index({given.norm(2, {1}) > 0});
    const double now = rows.numel() > 0 ? rows.to(at::kDouble).std(false).item<double>() : 0;
    if (now > 0) given.mul_(*options.deviation / now);
  }
  const double norm = mean_vector_norm(given);
  const double deviation =
      norm > 0 ? norm / std::sqrt(static_cast<double>(given.size(1))) : kDeviation;
  const auto count = static_cast<int64_t>(ids.size());
  if (options.train_words) {
    given.index_copy_(0, at::tensor(ids, at::kLong),
                      normal_init({inputs.seed, "words"}, {count, given.size(1)}, deviation));
    words_ = register_parameter("words", given);
    return;
  }
  frozen_ = std::make_shared<ConstantWords>(given, ids);
  words_ = scope.normal("words", {count, given.size(1)}, deviation);
}

std::vector<std::shared_ptr<torch::nn::Module>> Vec2Sent::frozen() const {
  if (frozen_) return {frozen_};
  return {};
}

std::vector<ParamGroup> Vec2Sent::groups() {
  ParamGroup words{.name = "words"}, decoder{.name = "decoder"};
  for (const auto& item : named_parameters()) {
    (item.key() == "words" ? words : decoder).params.emplace_back(item.key(), item.value());
  }
  return {words, decoder};
}

std::vector<Phase> Vec2Sent::phases() const {
  std::vector<LossTerm> terms = {{.name = "nll", .denominator = Denominator::kTargets}};
  if (options_.ar > 0) {
    terms.push_back({.name = "ar",
                     .denominator = Denominator::kTargets,
                     .weight = options_.ar,
                     .select_weight = 0});
  }
  if (options_.tar > 0) {
    terms.push_back({.name = "tar",
                     .denominator = Denominator::kTokens,
                     .weight = options_.tar,
                     .select_weight = 0});
  }
  return {{.name = "decode",
           .updates = {{"default", {"words", "decoder"}}},
           .draws = {{}},
           .terms = std::move(terms)}};
}

std::vector<StreamDecl> Vec2Sent::streams() const {
  return {{.fields = {{"text"}, {"embedding", ColumnKind::kVector}}}};
}

at::Tensor Vec2Sent::word_vectors(const at::Tensor& ids) const {
  if (frozen_) return frozen_->vectors(ids, words_);
  return at::embedding(words_, ids.to(words_.device()));
}

std::vector<RecurrentState> Vec2Sent::initial_states(const at::Tensor& context) const {
  std::vector<RecurrentState> states(layers_.size());
  if (!to_hidden_) return states;
  const at::Tensor hidden = to_hidden_->forward(context);
  states[0].h = options_.start == StartMap::kTanh ? at::tanh(hidden) : hidden;
  if (to_cell_) states[0].c = to_cell_->forward(context);
  return states;
}

at::Tensor Vec2Sent::sentence_bias(const at::Tensor& context) const {
  return context_weight_.defined() ? affine(context, context_weight_) : at::Tensor();
}

Vec2Sent::States Vec2Sent::run(const at::Tensor& ids, const at::Tensor& lengths,
                               const at::Tensor& context, const Noise* noise) const {
  const Vec2SentDropout& p = options_.dropout;
  LVT_CHECK_SHAPE(context, {ids.size(0), context_size_});
  at::Tensor x = word_vectors(ids), used = context.to(x.scalar_type());
  if (noise != nullptr) {
    const at::Tensor words =
        type_mask(ids, noise->key("words"), noise->example_ids, p.words.effective(), noise->like);
    if (words.defined()) x = x * words;
    x = apply_variational(x, noise->mask("input", x.size(2), p.input.effective()));
    if (p.context) {
      const at::Tensor mask = noise->mask("context", context_size_, p.input.effective());
      if (mask.defined()) used = used * mask;
    }
  }
  const std::vector<RecurrentState> initial = initial_states(used);
  States states;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const RecurrentExtras extras{.sentence_bias = i == 0 ? sentence_bias(used) : at::Tensor()};
    const std::string name = std::to_string(i);
    RecurrentResult result;
    if (noise != nullptr && p.weights.effective() > 0) {
      RecurrentWeights weights = layers_[i]->weights();
      weights.weight_hh =
          dropped_weight(weights.weight_hh, noise->key("weights." + name), p.weights.effective());
      result = Lstm(std::move(weights)).forward(x, lengths, initial[i], extras);
    } else {
      result = layers_[i]->forward(x, lengths, initial[i], extras);
    }
    states.raw = result.outputs;
    states.last.push_back(std::move(result.state));
    const bool is_last = i + 1 == layers_.size();
    x = states.raw;
    if (noise == nullptr) continue;
    x = apply_variational(x, noise->mask(is_last ? "output" : "between." + name, x.size(2),
                                         (is_last ? p.output : p.between).effective()));
  }
  states.dropped = x;
  return states;
}

Mixture Vec2Sent::mixture(const at::Tensor& outputs, const at::Tensor& sentences,
                          const Noise* noise) const {
  const int64_t experts = options_.experts.effective(), width = table().size(1);
  at::Tensor latents = to_latent_->forward(outputs);
  if (to_prior_) latents = at::tanh(latents);
  if (noise != nullptr) {
    const at::Tensor mask =
        noise->mask("latent", experts * width, options_.dropout.latent.effective());
    if (mask.defined()) latents = latents * mask.index_select(0, sentences.to(mask.device()));
  }
  return {.latents = latents.view({-1, experts, width}),
          .log_prior = to_prior_ ? at::log_softmax(to_prior_->forward(outputs), 1)
                                 : at::zeros({outputs.size(0), 1}, outputs.options()),
          .weight = table(),
          .bias = bias_,
          .added_ids = frozen_ ? frozen_->ids() : at::Tensor(),
          .added = frozen_ ? words_ : at::Tensor()};
}

Sums Vec2Sent::losses(const Phase&, const Batches& batches, StepContext& context) {
  const Batch& batch = batches.at(0);
  const Tokens sentences = batch.tokens();
  const at::Tensor lengths = sentences.lengths + 1;
  const Noise noise{context, batch.example_ids, bias_.options().requires_grad(false)};
  const Noise* used = context.training() ? &noise : nullptr;
  const States states = run(with_bos(sentences, start_), lengths, batch.field("embedding"), used);
  const at::Tensor outputs = pack_rows(states.dropped, lengths);
  Sums sums = {mixture_loss_sum(mixture(outputs, sentences_of_rows(lengths), used),
                                pack_rows(with_eos(sentences, eos_), lengths).to(bias_.device()))};
  const auto width = static_cast<double>(outputs.size(1));
  if (options_.ar > 0) sums.push_back(outputs.square().sum() / width);
  if (options_.tar > 0) {
    const int64_t steps = states.raw.size(1) - 1;
    const at::Tensor changes = states.raw.narrow(1, 1, steps) - states.raw.narrow(1, 0, steps);
    sums.push_back(pack_rows(changes, sentences.lengths).square().sum() / width);
  }
  return sums;
}

at::Tensor Vec2Sent::score(const Tokens& sentences, const at::Tensor& z) {
  const at::NoGradGuard no_grad;
  const at::Tensor lengths = sentences.lengths + 1;
  const States states = run(with_bos(sentences, start_), lengths, z.to(bias_.device()), nullptr);
  const at::Tensor rows =
      mixture_loss_rows(mixture(pack_rows(states.dropped, lengths), {}, nullptr),
                        pack_rows(with_eos(sentences, eos_), lengths).to(bias_.device()));
  return sum_by_sentence(rows, lengths);
}

std::unique_ptr<DecodeState> Vec2Sent::start(const Start& start) {
  const at::NoGradGuard no_grad;
  LVT_CHECK_SHAPE(start.z, {start.rows, context_size_});
  const at::Tensor context = start.z.to(bias_.device(), bias_.scalar_type());
  auto state = std::make_unique<State>();
  state->bias = sentence_bias(context);
  if (start.prompt) {
    // The first `lengths` tokens of start symbol + prompt are all tokens except the last.
    state->layers =
        run(with_bos(*start.prompt, start_), start.prompt->lengths, context, nullptr).last;
  } else {
    state->layers = initial_states(context);
  }
  for (size_t i = 0; i < layers_.size(); ++i) {
    RecurrentState& layer = state->layers[i];
    const RecurrentState zero = layers_[i]->zero_state(start.rows);
    layer.h = layer.h.defined() ? layer.h.contiguous() : zero.h;
    layer.c = layer.c.defined() ? layer.c.contiguous() : zero.c;
  }
  return state;
}

at::Tensor Vec2Sent::step(DecodeState& state, const at::Tensor& ids) {
  const at::NoGradGuard no_grad;
  auto& [layers, bias] = static_cast<State&>(state);
  // The contribution of the input word to the gates is computed once per distinct word.
  const DistinctWords words = distinct_words(ids.to(at::kCPU), vocabulary_.size);
  layers_[0]->step(word_vectors(words.ids), words.index, bias, layers[0]);
  for (size_t i = 1; i < layers_.size(); ++i) {
    layers_[i]->step(layers[i - 1].h, {}, {}, layers[i]);
  }
  return mixture_log_probabilities(mixture(layers.back().h, {}, nullptr));
}

Node Vec2Sent::training() {
  const auto value = [](const char* text) { return Node::scalar(text); };
  const Node schedule = Node::mapping({{"type", value("reduce_on_plateau"), {}},
                                       {"factor", value("0.5"), {}},
                                       {"patience", value("1"), {}}});
  const Node optimizer = Node::mapping({{"type", value("adam"), {}},
                                        {"lr", value("1e-3"), {}},
                                        {"clip_norm", value("1"), {}},
                                        {"schedule", schedule, {}}});
  const Node until = Node::mapping({{"type", value("lr_below"), {}}, {"value", value("1e-4"), {}}});
  return Node::mapping({{"stop", value("20e"), {}},
                        {"stop_when", Node::sequence({until}), {}},
                        {"batch", Node::mapping({{"size", value("256"), {}}}), {}},
                        {"optimizers", Node::mapping({{"default", optimizer, {}}}), {}}});
}

void register_vec2sent(Registries& registries) {
  add_model<Vec2Sent, Vec2SentOptions>(
      registries, "vec2sent",
      "Decoder of sentence embeddings: an LSTM with a mixture of softmaxes over fixed word vectors",
      {"Kerscher and Eger 2020", "https://aclanthology.org/2020.coling-main.152"});
}

}  // namespace lvtext
