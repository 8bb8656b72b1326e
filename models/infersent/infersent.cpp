#include "models/infersent/infersent.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"
#include "framework/core/model/stacked.h"
#include "framework/core/nn/lstm.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

/// Adds BOS and EOS to every sentence.
Tokens framed(const Tokens& sentences, int64_t bos, int64_t eos) {
  const Tokens begun = {with_bos(sentences, bos), sentences.lengths + 1};
  return {with_eos(begun, eos), begun.lengths + 1};
}

}  // namespace

const std::vector<EnumName<InfersentSize>>& enum_names(InfersentSize) {
  static const std::vector<EnumName<InfersentSize>> names = {
      {"paper", InfersentSize::kPaper,
       "word vectors 300, 2048 units per direction, classifier 512"},
      {"small", InfersentSize::kSmall, "all widths 64"}};
  return names;
}

InfersentWidths preset_widths(InfersentSize size) {
  return size == InfersentSize::kSmall ? InfersentWidths{64, 64, 64}
                                       : InfersentWidths{300, 2048, 512};
}

at::Tensor pair_features(const at::Tensor& u, const at::Tensor& v) {
  LVT_CHECK_SHAPE(u, {-1, -1});
  LVT_CHECK_SHAPE(v, {u.size(0), u.size(1)});
  return at::cat({u, v, (u - v).abs(), u * v}, 1);
}

PooledEncoder::PooledEncoder(const Init& init, std::shared_ptr<Embedding> words, int64_t hidden,
                             const Vocabulary& vocabulary)
    : bos_(bos_of(vocabulary, "the sentence encoder")),
      eos_(eos_of(vocabulary, "the sentence encoder")),
      words_(std::move(words)),
      lstm_(std::make_unique<Lstm>(ModuleScope(*this, init), words_->width(), hidden),
            std::make_unique<Lstm>(ModuleScope(*this, init), words_->width(), hidden,
                                   /*forget_bias=*/0, /*bound=*/-1, "_reverse")) {}

at::Tensor PooledEncoder::forward(const Tokens& sentences, Pooling pooling) const {
  const Tokens read = framed(sentences, bos_, eos_);
  const at::Tensor words = words_->forward(read.ids.to(words_->weight().device()));
  return pool_states(lstm_.outputs(words, read.lengths), read.lengths, pooling);
}

Infersent::Infersent(const InfersentOptions& options, const ModelInputs& inputs)
    : options_(options) {
  const InfersentWidths widths = preset_widths(options.size);
  const int64_t embedding = options.embedding.value_or(widths.embedding);
  const int64_t hidden = options.hidden.value_or(widths.hidden);
  const int64_t width = options.classifier.value_or(widths.classifier);
  const Vocabulary& vocabulary = inputs.vocabulary();
  const ModuleScope scope(*this, {inputs.seed});
  words_ = scope.add<Embedding>("words", vocabulary.size, embedding);
  encoder_ = scope.add<PooledEncoder>("encoder", words_, hidden, vocabulary);
  const ColumnDecl* label = inputs.find("train", "label");
  if (!label) return;
  const std::vector<int64_t> sizes = {4 * encoder_->width(), width, width, label->classes};
  for (size_t layer = 0; layer + 1 < sizes.size(); ++layer) {
    classifier_.push_back(
        scope.add<Linear>("classifier_" + std::to_string(layer), sizes[layer], sizes[layer + 1]));
  }
}

std::vector<ParamGroup> Infersent::groups() {
  return {group("words", {words_}), group("encoder", {encoder_}),
          group("classifier", {classifier_.begin(), classifier_.end()})};
}

std::vector<Phase> Infersent::phases() const {
  std::vector<std::string> trained = {"encoder", "classifier"};
  if (options_.train_words) trained.emplace_back("words");
  return {{.name = "inference",
           .updates = {{"default", trained}},
           .draws = {{}},
           .terms = {{.name = "nll", .select_weight = 0}, {.name = "error", .weight = 0}}}};
}

std::vector<StreamDecl> Infersent::streams() const {
  return {{.fields = {{"premise"}, {"hypothesis"}, {"label", ColumnKind::kLabel}}}};
}

at::Tensor Infersent::classify(const at::Tensor& u, const at::Tensor& v) const {
  at::Tensor hidden = pair_features(u, v);
  for (const auto& layer : classifier_) hidden = layer->forward(hidden);
  return hidden;
}

Sums Infersent::losses(const Phase&, const Batches& batches, StepContext&) {
  LVT_ASSERT(!classifier_.empty(), "training requires a label with at least one class");
  const Batch& batch = batches.at(0);
  const Pooling pooling = options_.pool == Pooling::kExact ? Pooling::kExact : Pooling::kV1Zero;
  const at::Tensor both =
      encoder_->forward(stacked(batch.tokens("premise"), batch.tokens("hypothesis")), pooling);
  const at::Tensor logits = classify(both.slice(0, 0, batch.rows()), both.slice(0, batch.rows()));
  const at::Tensor label = batch.field("label");
  const at::Tensor nll = at::nll_loss(at::log_softmax(logits, 1), label, {}, at::Reduction::Sum);
  return {nll, logits.argmax(1).ne(label).sum().to(nll.scalar_type())};
}

std::string Infersent::embedding_signature() const {
  return "pool:" + enum_name(options_.pool);
}

at::Tensor Infersent::embed(const Tokens& sentences) {
  const at::NoGradGuard no_grad;
  return encoder_->forward(sentences, options_.pool);
}

Node Infersent::training() {
  const auto value = [](const char* text) { return Node::scalar(text); };
  const Node until = Node::mapping({{"type", value("lr_below"), {}}, {"value", value("1e-5"), {}}});
  const Node schedule = Node::mapping({{"type", value("reduce_on_plateau"), {}},
                                       {"factor", value("0.2"), {}},
                                       {"patience", value("1"), {}}});
  const Node optimizer = Node::mapping({{"type", value("sgd"), {}},
                                        {"lr", value("0.1"), {}},
                                        {"clip_norm", value("5"), {}},
                                        {"schedule", schedule, {}}});
  return Node::mapping({{"stop", value("20e"), {}},
                        {"stop_when", Node::sequence({until}), {}},
                        {"batch", Node::mapping({{"size", value("64"), {}}}), {}},
                        {"optimizers", Node::mapping({{"default", optimizer, {}}}), {}}});
}

void register_infersent(Registries& registries) {
  add_model<Infersent, InfersentOptions>(
      registries, "infersent",
      "Sentence encoder trained on natural-language inference: a BiLSTM with max pooling",
      {"Conneau, Kiela, Schwenk, Barrault and Bordes 2017", "https://aclanthology.org/D17-1070"});
}

}  // namespace lvtext
