#include "models/sbert/sbert.h"

#include <ATen/ATen.h>

#include <map>
#include <numeric>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"
#include "framework/core/nn/dropout.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/nn/packing.h"

namespace lvtext {
namespace {

constexpr double kDeviation = 0.02;
constexpr double kNormEps = 1e-12;  // of layers and of vectors, as the authors'
// On a CPU. States of 512 sentences exceed 32 MiB, above which each use maps new pages: a sixth of
// the time.
constexpr int64_t kTokensAtOnce = 1024;

/// Order of sentences by length, longest first, and the runs of equal length.
struct LengthOrder {
  std::vector<int64_t> order;      ///< [B]
  std::vector<EqualTexts> groups;  ///< in this order
};

LengthOrder by_length(const at::Tensor& lengths) {
  const auto* length = lengths.const_data_ptr<int64_t>();
  LengthOrder sorted;
  sorted.order.resize(static_cast<size_t>(lengths.numel()));
  std::iota(sorted.order.begin(), sorted.order.end(), 0);
  std::stable_sort(sorted.order.begin(), sorted.order.end(),
                   [length](int64_t a, int64_t b) { return length[a] > length[b]; });
  for (const int64_t row : sorted.order) {
    const bool is_longer = sorted.groups.empty() || sorted.groups.back().length != length[row];
    if (is_longer) sorted.groups.push_back({0, length[row]});
    ++sorted.groups.back().texts;
  }
  return sorted;
}

/// Consecutive sentences [begin, end) with at most `most` tokens, or one sentence.
std::vector<std::pair<int64_t, int64_t>> parts_of(const at::Tensor& lengths, int64_t most) {
  const auto* length = lengths.const_data_ptr<int64_t>();
  std::vector<std::pair<int64_t, int64_t>> parts;
  int64_t tokens = 0;
  for (int64_t row = 0; row < lengths.numel(); ++row) {
    if (parts.empty() || tokens + length[row] > most) {
      parts.emplace_back(row, row);
      tokens = 0;
    }
    parts.back().second = row + 1;
    tokens += length[row];
  }
  return parts;
}

}  // namespace

Sbert::Sbert(const SbertOptions& options, const ModelInputs& inputs)
    : options_(options),
      bos_(bos_of(inputs.vocabulary(), "sbert")),
      eos_(eos_of(inputs.vocabulary(), "sbert")) {
  const ModuleScope scope(*this, {inputs.seed});
  const int64_t width = options.width.effective();
  const auto table = [&](const char* name, int64_t rows) {
    return scope.child(name).normal("weight", {rows, width}, kDeviation);
  };
  tokens_ = table("tokens", inputs.vocabulary().size);
  positions_ = table("positions", options.positions.effective());
  types_ = table("types", 2);
  norm_ = scope.add<LayerNorm>("norm", width, kNormEps);
  const ModuleScope blocks = scope.child("blocks");
  for (int64_t i = 0; i < options.layers.effective(); ++i) {
    blocks_.push_back(blocks.add<TransformerBlock>(
        std::to_string(i), TransformerLayout{.width = width,
                                             .heads = options.heads.effective(),
                                             .inner = 4 * width,
                                             .norm_first = false,
                                             .causal = false,
                                             .gelu = Gelu::kErf,
                                             .norm_eps = kNormEps,
                                             .deviation = kDeviation,
                                             .attention_dropout = options.dropout,
                                             .residual_dropout = options.dropout}));
  }
  const ColumnDecl* label = inputs.find("train", "label");
  if (label) {
    classifier_ = scope.add<Linear>("classifier", 3 * width, label->classes, kDeviation);
  }
}

std::vector<ParamGroup> Sbert::groups() {
  ParamGroup matrices{.name = "matrices"}, others{.name = "vectors", .decays = false};
  for (const auto& item : named_parameters()) {
    (item.value().dim() > 1 ? matrices : others).params.emplace_back(item.key(), item.value());
  }
  return {matrices, others};
}

std::vector<Phase> Sbert::phases() const {
  return {{.name = "inference",
           .updates = {{"default", {"matrices", "vectors"}}},
           .draws = {{}},
           .terms = {{.name = "nll", .select_weight = 0}, {.name = "error", .weight = 0}}}};
}

std::vector<StreamDecl> Sbert::streams() const {
  return {{.fields = {{"premise"}, {"hypothesis"}, {"label", ColumnKind::kLabel}}}};
}

Tokens Sbert::framed(const Tokens& sentences) const {
  const at::Tensor lengths = sentences.lengths.clamp_max(options_.length.effective() - 2);
  const Tokens begun = {with_bos(sentences, bos_), lengths + 1};
  const Tokens read = {with_eos(begun, eos_), lengths + 2};
  const int64_t longest = read.rows() == 0 ? 2 : read.lengths.max().item<int64_t>();
  return {read.ids.narrow(1, 0, longest), read.lengths};
}

at::Tensor Sbert::embedded(const at::Tensor& ids, const at::Tensor& positions) const {
  const at::Device device = tokens_.device();
  const at::Tensor sum = at::embedding(tokens_, ids.to(device)) + types_[0];
  return norm_->forward(sum + at::embedding(positions_, positions.to(device)));
}

Sbert::Sorted Sbert::sorted(const Tokens& read) const {
  Sorted result;
  LengthOrder by = by_length(read.lengths);
  result.order = index_tensor(by.order, at::kCPU);
  result.groups = std::move(by.groups);
  result.lengths = read.lengths.index_select(0, result.order);
  const at::Tensor ids = read.ids.to(at::kCPU).index_select(0, result.order);
  const at::Tensor positions = at::arange(ids.size(1), at::kLong).expand_as(ids);
  result.embedded = embedded(pack_rows(ids, result.lengths), pack_rows(positions, result.lengths));
  return result;
}

at::Tensor Sbert::means(const Tokens& read) const {
  const auto [order, lengths, groups, first] = sorted(read);
  at::Tensor x = first;
  for (const auto& block : blocks_) x = block->forward_packed(x, groups);
  std::vector<at::Tensor> of_groups;
  int64_t from = 0;
  for (const EqualTexts& group : groups) {
    const int64_t rows = group.texts * group.length;
    of_groups.push_back(
        x.narrow(0, from, rows).view({group.texts, group.length, x.size(1)}).mean(1));
    from += rows;
  }
  if (of_groups.empty()) return x;
  const at::Tensor back = at::argsort(order).to(x.device());
  return at::cat(of_groups).index_select(0, back);
}

at::Tensor Sbert::means(const Tokens& read, const LayerNoise& noise) const {
  const at::Tensor positions = at::arange(read.ids.size(1), at::kLong).expand_as(read.ids);
  at::Tensor x = dropout(embedded(read.ids, positions), noise.key("embedding"), noise.example_ids,
                         options_.dropout);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    x = blocks_[i]->forward(x, read.lengths, &noise, "block" + std::to_string(i) + ".");
  }
  const at::Tensor is_read =
      (positions < read.lengths.unsqueeze(1)).to(x.device(), x.scalar_type()).unsqueeze(2);
  return (x * is_read).sum(1) / is_read.sum(1);
}

at::Tensor Sbert::vectors(const at::Tensor& means) const {
  if (!options_.normalize) return means;
  return means / means.norm(2, {1}, /*keepdim=*/true).clamp_min(kNormEps);
}

Sums Sbert::losses(const Phase&, const Batches& batches, StepContext& context) {
  LVT_ASSERT(classifier_, "training requires a label with at least one class");
  const Batch& batch = batches.at(0);
  const auto vectors_of = [&](const std::string& field) {
    const Tokens read = framed(batch.tokens(field));
    if (!context.training()) return vectors(means(read));
    const LayerNoise noise{[&](const std::string& use) { return context.noise(field + "." + use); },
                           batch.example_ids};
    return vectors(means(read, noise));
  };
  const at::Tensor u = vectors_of("premise"), v = vectors_of("hypothesis");
  const at::Tensor logits = classifier_->forward(at::cat({u, v, (u - v).abs()}, 1));
  const at::Tensor label = batch.field("label");
  const at::Tensor nll = at::nll_loss(at::log_softmax(logits, 1), label, {}, at::Reduction::Sum);
  return {nll, logits.argmax(1).ne(label).sum().to(nll.scalar_type())};
}

std::string Sbert::embedding_signature() const {
  return std::string("pool:mean,normalize:") + (options_.normalize ? "true" : "false") +
         ",length:" + std::to_string(options_.length.effective());
}

at::Tensor Sbert::embed(const Tokens& sentences) {
  const at::NoGradGuard no_grad;
  const Tokens read = framed(sentences);
  if (tokens_.device().is_cuda()) return vectors(means(read));
  std::vector<at::Tensor> parts;
  for (const auto& [begin, end] : parts_of(read.lengths, kTokensAtOnce)) {
    parts.push_back(means({read.ids.slice(0, begin, end), read.lengths.slice(0, begin, end)}));
  }
  return vectors(parts.empty() ? means(read) : at::cat(parts));
}

TokenVectors Sbert::token_vectors(const Tokens& sentences, int64_t layers) {
  const at::NoGradGuard no_grad;
  const Tokens read = framed(sentences);
  const auto [order, lengths, groups, first] = sorted(read);
  const at::Tensor back = at::argsort(order).to(first.device());
  const auto skipped = std::ssize(blocks_) - layers;
  std::vector<at::Tensor> states;
  at::Tensor x = first;
  for (int64_t i = 0; i < std::ssize(blocks_); ++i) {
    x = blocks_[i]->forward_packed(x, groups);
    if (i < skipped) continue;
    states.push_back(unpack_rows(x, lengths, read.ids.size(1)).index_select(0, back));
  }
  return {at::stack(states), read};
}

PublishedTensor Sbert::published(const std::string& name) const {
  static const std::map<std::string, std::string> tables = {
      {"tokens.weight", "word_embeddings.weight"},
      {"positions.weight", "position_embeddings.weight"},
      {"types.weight", "token_type_embeddings.weight"},
      {"norm.weight", "LayerNorm.weight"},
      {"norm.bias", "LayerNorm.bias"}};
  static const std::map<std::string, std::vector<std::string>> layers = {
      {"attention_norm", {"attention.output.LayerNorm"}},
      {"qkv", {"attention.self.query", "attention.self.key", "attention.self.value"}},
      {"attention_output", {"attention.output.dense"}},
      {"mlp_norm", {"output.LayerNorm"}},
      {"mlp_input", {"intermediate.dense"}},
      {"mlp_output", {"output.dense"}}};
  if (const auto table = tables.find(name); table != tables.end()) {
    return {.names = {"embeddings." + table->second}};
  }
  const std::vector<std::string> parts = split(name, '.');  // blocks, 3, qkv, weight
  LVT_ASSERT(parts.size() == 4, "'" + name + "' is not published");
  std::vector<std::string> names;
  for (const std::string& layer : layers.at(parts[2])) {
    names.push_back("encoder.layer." + parts[1] + "." + layer + "." + parts[3]);
  }
  return {.names = std::move(names)};
}

Node Sbert::training() {
  const auto value = [](const char* text) { return Node::scalar(text); };
  const Node schedule =
      Node::mapping({{"type", value("linear"), {}}, {"warmup_ratio", value("0.1"), {}}});
  const Node optimizer = Node::mapping(
      {{"type", value("adam"), {}}, {"lr", value("2e-5"), {}}, {"schedule", schedule, {}}});
  return Node::mapping({{"stop", value("1e"), {}},
                        {"batch", Node::mapping({{"size", value("16"), {}}}), {}},
                        {"optimizers", Node::mapping({{"default", optimizer, {}}}), {}}});
}

void register_sbert(Registries& registries) {
  add_model<Sbert, SbertOptions>(
      registries, "sbert",
      "Sentence encoder: mean of the states of a BERT; trained on natural-language inference",
      {"Reimers and Gurevych 2019", "https://aclanthology.org/D19-1410"});
}

}  // namespace lvtext
