#include "models/cnn_classifier/cnn_classifier.h"

#include <ATen/ATen.h>

#include "framework/core/model/registration.h"
#include "framework/core/nn/dropout.h"
#include "framework/core/nn/init.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/products.h"

namespace lvtext {
namespace {

/// Pads sentences on the left to `min_length` words.
Tokens left_padded(const Tokens& sentences, int64_t min_length, int64_t pad) {
  const at::Tensor lengths = sentences.lengths.clamp_min(min_length);
  const at::Device device = sentences.ids.device();
  const int64_t time = std::max(sentences.ids.size(1), min_length);
  const at::Tensor shift = (lengths - sentences.lengths).unsqueeze(1);
  const at::Tensor from = (at::arange(time, at::kLong).unsqueeze(0) - shift).to(device);
  const at::Tensor ids = at::constant_pad_nd(sentences.ids, {0, time - sentences.ids.size(1)});
  return {at::where(from.lt(0), pad, ids.gather(1, from.clamp_min(0))), lengths};
}

}  // namespace

CnnClassifier::CnnClassifier(const CnnClassifierOptions& options, const ModelInputs& inputs)
    : options_(options), classes_(inputs.classes("train", options.label_column)) {
  const Vocabulary& vocabulary = inputs.vocabulary();
  pad_ = vocabulary.pad ? *vocabulary.pad : start_of(vocabulary);
  const ModuleScope scope(*this, {inputs.seed});
  words_ = scope.add<Embedding>("words", vocabulary.size, options.embedding,
                                glorot_bound(vocabulary.size, options.embedding));
  for (const int64_t size : options.filter_sizes) {
    filters_.push_back(scope.add<MaxOverTime>("filters_" + std::to_string(size), options.embedding,
                                              size, options.filters));
  }
  const int64_t features = options.filters * std::ssize(options.filter_sizes);
  const int64_t outputs = classes_ == 2 ? 1 : classes_;
  const ModuleScope output = scope.child("output");
  output_weight_ = output.uniform("weight", {outputs, features}, glorot_bound(features, outputs));
  output_bias_ = output.uniform("bias", {outputs}, glorot_bound(outputs, outputs));
}

std::vector<ParamGroup> CnnClassifier::groups() {
  ParamGroup norms{"output", {{"output.weight", output_weight_}}};
  if (options_.max_norm) norms.project = {Constraint::kRowNorm, *options_.max_norm};
  ParamGroup filters = group("filters", {filters_.begin(), filters_.end()});
  filters.params.emplace_back("output.bias", output_bias_);
  return {group("words", {words_}), filters, norms};
}

std::vector<Phase> CnnClassifier::phases() const {
  return {{.name = "classify",
           .updates = {{"default", {"words", "filters", "output"}}},
           .draws = {{}},
           .terms = {{.name = "nll", .select_weight = 0}, {.name = "error", .weight = 0}}}};
}

std::vector<StreamDecl> CnnClassifier::streams() const {
  return {{.fields = {{"text"}, {options_.label_column, ColumnKind::kLabel}}}};
}

at::Tensor CnnClassifier::features(const Tokens& sentences) const {
  const at::Tensor ids = sentences.ids.to(words_->weight().device());
  const Tokens read = left_padded({ids, sentences.lengths}, options_.min_length, pad_);
  const at::Tensor vectors = words_->forward(read.ids);
  std::vector<at::Tensor> maxima;
  for (const auto& filters : filters_) maxima.push_back(filters->forward(vectors, read.lengths));
  // The activation is monotonic: that of the maximum is the maximum of the activations.
  return at::leaky_relu(at::cat(maxima, 1), options_.negative_slope);
}

at::Tensor CnnClassifier::log_probabilities(const at::Tensor& features) const {
  const at::Tensor logits = affine(features, output_weight_, output_bias_);
  if (classes_ != 2) return at::log_softmax(logits, 1);
  return at::log_sigmoid(at::cat({-logits, logits}, 1));
}

Sums CnnClassifier::losses(const Phase&, const Batches& batches, StepContext& context) {
  const Batch& batch = batches.at(0);
  at::Tensor seen = features(batch.tokens());
  if (context.training()) {
    seen = dropout(seen, context.noise("dropout"), batch.example_ids, options_.dropout);
  }
  const at::Tensor log_p = log_probabilities(seen);
  const at::Tensor& label = batch.field(options_.label_column);
  const at::Tensor nll = at::nll_loss(log_p, label, {}, at::Reduction::Sum);
  return {nll, log_p.argmax(1).ne(label).sum().to(nll.scalar_type())};
}

at::Tensor CnnClassifier::classify(const Tokens& sentences) {
  const at::NoGradGuard no_grad;
  return log_probabilities(features(sentences));
}

Node CnnClassifier::training() {
  const auto value = [](const char* text) { return Node::scalar(text); };
  const Node patience =
      Node::mapping({{"type", value("patience"), {}}, {"validations", value("3"), {}}});
  const Node optimizer = Node::mapping({{"type", value("adam"), {}}, {"lr", value("5e-4"), {}}});
  return Node::mapping({{"stop", value("20e"), {}},
                        {"stop_when", Node::sequence({patience}), {}},
                        {"batch", Node::mapping({{"size", value("64"), {}}}), {}},
                        {"optimizers", Node::mapping({{"default", optimizer, {}}}), {}}});
}

void register_cnn_classifier(Registries& registries) {
  add_model<CnnClassifier, CnnClassifierOptions>(
      registries, "cnn_classifier",
      "Convolutional sentence classifier: filters over windows of words with max pooling",
      {"Kim 2014", "https://aclanthology.org/D14-1181"});
}

}  // namespace lvtext
