#include "models/quick_thought/quick_thought.h"

#include <ATen/ATen.h>

#include "framework/core/model/registration.h"
#include "framework/core/nn/gru.h"
#include "framework/core/nn/module_scope.h"
#include "losses/sphere.h"

namespace lvtext {
namespace {

std::unique_ptr<RecurrentLayer> tensorflow_gru(const ModuleScope& scope, int64_t input,
                                               int64_t hidden, const std::string& suffix) {
  const at::NoGradGuard no_grad;
  const auto kernel = [&](const std::string& name, int64_t columns) {
    at::Tensor weight = scope.uniform(name + suffix, {3 * hidden, columns}, 1);
    weight.narrow(0, 0, 2 * hidden).mul_(glorot_bound(input + hidden, 2 * hidden));
    weight.narrow(0, 2 * hidden, hidden).mul_(glorot_bound(input + hidden, hidden));
    return weight;
  };
  RecurrentWeights weights{kernel("weight_ih_l0", input),
                           kernel("weight_hh_l0", hidden),
                           scope.uniform("bias_ih_l0" + suffix, {3 * hidden}, 0),
                           {}};
  weights.bias_ih.narrow(0, 0, 2 * hidden).fill_(1);
  return std::make_unique<Gru>(std::move(weights), ResetGate::kBeforeProduct);
}

/// The first `length` tokens of each sentence.
Tokens cut(const Tokens& sentences, int64_t length) {
  return {sentences.ids.narrow(1, 0, std::min(length, sentences.ids.size(1))),
          sentences.lengths.clamp_max(length)};
}

}  // namespace

ThoughtEncoder::ThoughtEncoder(const Init& init, int64_t input, int64_t hidden)
    : gru_(tensorflow_gru(ModuleScope(*this, init), input, hidden, ""),
           tensorflow_gru(ModuleScope(*this, init), input, hidden, "_reverse")) {}

at::Tensor ThoughtEncoder::forward(const Tokens& sentences, const at::Tensor& table) const {
  return gru_.final_states(sentences.ids, table, sentences.lengths);
}

QuickThought::QuickThought(const QuickThoughtOptions& options, const ModelInputs& inputs)
    : options_(options) {
  const int64_t embedding = options.embedding.effective(), hidden = options.hidden.effective();
  const ModuleScope scope(*this, {inputs.seed});
  const int64_t words = inputs.vocabulary().size;
  words_ = scope.add<Embedding>("words", words, embedding);
  if (!options.shared_words) words_out_ = scope.add<Embedding>("words_out", words, embedding);
  encoder_ = scope.add<ThoughtEncoder>("encoder", embedding, hidden);
  encoder_out_ = scope.add<ThoughtEncoder>("encoder_out", embedding, hidden);
}

std::vector<ParamGroup> QuickThought::groups() {
  return {group("words", {words_, words_out_}), group("encoders", {encoder_, encoder_out_})};
}

std::vector<Phase> QuickThought::phases() const {
  std::vector<std::string> trained = {"encoders"};
  if (options_.train_words) trained.emplace_back("words");
  const std::string reason = "a sentence searches its neighbors in the whole batch";
  return {{.name = "context",
           .updates = {{"default", trained}},
           .draws = {{}},
           .terms = {{.name = "nll", .micro_batchable = false, .reason = reason},
                     {.name = "error",
                      .weight = 0,
                      .select_weight = 0,
                      .micro_batchable = false,
                      .reason = reason}}}};
}

std::pair<at::Tensor, at::Tensor> QuickThought::states(const Tokens& sentences) const {
  const auto& table_out = words_out_ ? words_out_->weight() : words_->weight();
  return {encoder_->forward(sentences, words_->weight()),
          encoder_out_->forward(sentences, table_out)};
}

Sums QuickThought::losses(const Phase&, const Batches& batches, StepContext& context) {
  const Batch& batch = batches.at(0);
  auto [f, g] = states(cut(batch.tokens(), options_.length));
  if (context.training() && options_.dropout > 0) {
    const at::Tensor kept =
        uniform_step(context.noise("dropout"), {1, f.size(1)}, f.options()).gt(options_.dropout);
    f = f * kept;
    g = g * kept;
  }
  const at::Tensor scores = neighbor_scores(f, g, options_.own_score);
  const at::Tensor targets = neighbor_targets(batch.example_ids, options_.context, scores);
  const at::Tensor found = targets.gather(1, scores.argmax(1, /*keepdim=*/true)).squeeze(1);
  const at::Tensor is_wrong = found.eq(0).logical_and(targets.sum(1).gt(0));
  return {neighbor_cross_entropy(scores, targets).sum(), is_wrong.sum().to(scores.scalar_type())};
}

at::Tensor QuickThought::embed(const Tokens& sentences) {
  const at::NoGradGuard no_grad;
  const auto [f, g] = states(sentences);
  return at::cat({sphere_normalize(f), sphere_normalize(g)}, 1);
}

Node QuickThought::training() {
  const auto value = [](const char* text) { return Node::scalar(text); };
  const Node optimizer = Node::mapping(
      {{"type", value("adam"), {}}, {"lr", value("5e-4"), {}}, {"clip_norm", value("5"), {}}});
  return Node::mapping({{"stop", value("1e"), {}},
                        {"batch", Node::mapping({{"size", value("400"), {}}}), {}},
                        {"optimizers", Node::mapping({{"default", optimizer, {}}}), {}}});
}

void register_quick_thought(Registries& registries) {
  add_model<QuickThought, QuickThoughtOptions>(
      registries, "quick_thought",
      "Sentence encoder trained to find the sentences before and after a sentence of a text",
      {"Logeswaran and Lee 2018", "https://arxiv.org/abs/1803.02893"});
}

}  // namespace lvtext
