#include "framework/pipeline/plan/reference_resolver.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/check/checked_references.h"
#include "framework/pipeline/check/inline_models.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/plan/resolver.h"

namespace lvtext {
namespace {

/// Throws Absent if a model cannot be used for an input.
void check_model(const InputDecl& input, const Component& model) {
  const std::string reason = capability_mismatch(input, model);
  if (!reason.empty()) throw Absent("the model " + model.about.name + " " + reason);
}

/// The artifact or model that a row's filler names; null for other references and fillers.
const KnownReference* entry_filler(const KnownReference& reference, const ResolvedRow& row) {
  if (reference.of != KnownReference::Of::kRow || !row.row) return nullptr;
  const auto filler = row.row->fillers.find(reference.part);
  if (filler == row.row->fillers.end()) return nullptr;
  const auto* named = std::get_if<KnownReference>(&filler->second.front());
  return named && named->of == KnownReference::Of::kEntry ? named : nullptr;
}

/// The part `written` of a filler: a split, a named part, or a named part of a split.
KnownReference part_of(const ResolverContext& context, KnownReference filler,
                       const std::string& written) {
  std::string rest = written;
  if (filler.of == KnownReference::Of::kData && remove_decoded(rest)) filler.decoded = true;
  if (rest.empty()) return filler;
  std::vector<std::string> splits;
  if (filler.of == KnownReference::Of::kEntry) splits = context.entry(filler.id).splits;
  if (filler.of == KnownReference::Of::kData) {
    splits = find_entry(context.recipe.data, filler.id)->splits;
  }
  const std::string first = rest.substr(0, rest.find('.'));
  const bool is_split = filler.part.empty() && contains(splits, first);
  if (is_split) filler.part = first;
  filler.column = !is_split                    ? rest
                  : rest.size() > first.size() ? rest.substr(first.size() + 1)
                                               : "";
  return filler;
}

}  // namespace

ReferenceResolver::ReferenceResolver(const ResolverContext& context, Resolver& resolver)
    : context_(context), resolver_(resolver) {
  for (const CheckedMetric& metric : context_.recipe.metrics) {
    for (const CheckedInput& input : metric.inputs) request(input);
  }
}

void ReferenceResolver::request(const CheckedInput& input) {
  for (const Filling& filling : input.fillings) {
    if (const auto* reference = std::get_if<KnownReference>(&filling)) {
      request(*reference, input.decl.rows);
    } else if (const auto* model = std::get_if<CheckedModel>(&filling)) {
      if (model->text) request(*model->text, model->model.text->at_most);
    } else {
      const auto& inlined = *std::get<std::shared_ptr<const InlineComponent>>(filling);
      for (const CheckedInput& each : inlined.inputs) request(each);
    }
  }
}

void ReferenceResolver::request(const KnownReference& reference, int64_t rows) {
  if (reference.of != KnownReference::Of::kRow || reference.part == "model") return;
  const auto [requested, is_new] = requested_.emplace(reference.part, rows);
  if (!is_new)
    requested->second = rows && requested->second ? std::max(rows, requested->second) : 0;
}

int64_t ReferenceResolver::requested(const std::string& text) const {
  const auto found = requested_.find(text);
  return found == requested_.end() ? 0 : found->second;
}

NodePart ReferenceResolver::node_of(const InputDecl& input, const KnownReference& reference,
                                    const ResolvedRow& row) {
  if (!reference.removed.empty()) throw Absent("not run: " + reference.removed);
  if (reference.of == KnownReference::Of::kEntry) return of_entry(reference, row);
  if (reference.of == KnownReference::Of::kSelect) {
    const KnownReference of_row{KnownReference::Of::kRow, "", reference.part, "", reference.column};
    const CheckedSelect& select = *find_entry(context_.recipe.selects, reference.id);
    return resolver_.selects().chosen_of(select, row, [&](const ResolvedRow& candidate) {
      return node_of(input, of_row, candidate);
    });
  }
  if (reference.of == KnownReference::Of::kRow && !reference.column.empty()) {
    return part_of_filler(input, reference, row);
  }
  if (input.type == ArtifactType::kRecords && reference.of == KnownReference::Of::kData) {
    return NodePart(context_.data.at(reference.id).source);
  }
  const bool is_text = input.type == ArtifactType::kText || input.type == ArtifactType::kDataset;
  if (is_text && reference.of == KnownReference::Of::kData) {
    const bool as_column = input.type == ArtifactType::kDataset && !reference.column.empty();
    KnownReference whole = reference;
    if (as_column) whole.column.clear();
    NodePart part = at_its_checkpoints(text(whole, row).node);
    if (as_column) part.column = reference.column;
    return part;
  }
  if (input.type == ArtifactType::kText) {
    // A filler may name a column or a part of an artifact, which a node's name alone would lose.
    const KnownReference* filler = entry_filler(reference, row);
    if (!filler) return at_its_checkpoints(text(reference, row).node);
    NodePart part = node_of(input, *filler, row);
    if (part.part.empty() && part.among.empty()) part.part = at_its_checkpoints(part.node).part;
    return part;
  }
  return of_row(input, reference, row);
}

std::vector<Filling> ReferenceResolver::members_of(const Filling& filling,
                                                   const ResolvedRow& row) const {
  const auto* named = std::get_if<KnownReference>(&filling);
  if (!named || named->of != KnownReference::Of::kRow || !row.row) return {filling};
  const auto filler = row.row->fillers.find(named->part);
  if (filler == row.row->fillers.end() || filler->second.size() < 2) return {filling};
  std::vector<Filling> members = filler->second;
  for (Filling& each : members) {
    auto* known = std::get_if<KnownReference>(&each);
    if (known && !named->column.empty()) *known = part_of(context_, *known, named->column);
  }
  return members;
}

NodePart ReferenceResolver::of_entry(const KnownReference& reference, const ResolvedRow& row) {
  const auto& splits = context_.entry(reference.id).splits;
  const std::string& split = reference.part.empty() ? row.split : reference.part;
  if (!splits.empty() && split.empty()) {
    throw Absent(reference.id + " has the splits " + join(splits) + ": one must be named");
  }
  NodePart part = splits.empty() ? resolver_.entries().entry_at(reference.id, reference.at, row)
                                 : NodePart(resolver_.entries().run_of(reference.id, split, row));
  if (!reference.named_part.empty()) part.part = reference.named_part;
  part.column = reference.column;
  return part;
}

NodePart ReferenceResolver::part_of_filler(const InputDecl& input, const KnownReference& reference,
                                           const ResolvedRow& row) {
  const auto filler = row.row->fillers.find(reference.part);
  const auto* named = filler == row.row->fillers.end()
                          ? nullptr
                          : std::get_if<KnownReference>(&filler->second.front());
  if (named) return node_of(input, part_of(context_, *named, reference.column), row);
  KnownReference whole = reference;
  whole.column.clear();
  NodePart part = node_of(input, whole, row);
  part.column = reference.column;
  return part;
}

NodePart ReferenceResolver::of_row(const InputDecl& input, const KnownReference& reference,
                                   const ResolvedRow& row) {
  if (reference.part == "model") {
    if (row.trained.empty()) throw Absent("the row has no model");
    check_model(input, *row.model);
    return {row.trained, row.model_part};
  }
  const auto& fillers = row.row->fillers;
  const auto filler = fillers.find(reference.part);
  if (filler == fillers.end()) {
    if (row.row->generation.contains(reference.part)) {
      return at_its_checkpoints(generate(reference.part, row));
    }
    throw Absent("the row has no " + reference.part);
  }
  if (const auto* inlined =
          std::get_if<std::shared_ptr<const InlineComponent>>(&filler->second.front())) {
    return at_its_checkpoints(
        resolver_.inline_component(row.id, InputDecl{.name = reference.part}, **inlined, row));
  }
  const auto* named = std::get_if<KnownReference>(&filler->second.front());
  const bool reads_data = input.type == ArtifactType::kText ||
                          input.type == ArtifactType::kDataset ||
                          input.type == ArtifactType::kRecords;
  if (!named || (named->of == KnownReference::Of::kData && !reads_data)) {
    throw Absent("the row's " + reference.part + " is not " + type_name(input.type));
  }
  if (input.type == ArtifactType::kModel && named->of == KnownReference::Of::kEntry) {
    if (named->removed.empty()) check_model(input, *context_.entry(named->id).component.component);
  }
  return node_of(input, *named, row);
}

NodePart ReferenceResolver::at_its_checkpoints(const std::string& node) const {
  const GraphNode& known = context_.graph.at(node);
  const bool has_parts = !known.checkpoints.empty() && known.kind != NodeKind::kTrain;
  return {node, has_parts ? kAllCheckpoints : ""};
}

InlineContext::Source ReferenceResolver::text(const KnownReference& reference,
                                              const ResolvedRow& row) {
  if (!reference.removed.empty()) throw Absent("not run: " + reference.removed);
  if (reference.of == KnownReference::Of::kData) {
    const DataNodes& data = context_.data.at(reference.id);
    const std::string& split = reference.part.empty() ? row.split : reference.part;
    if (split.empty()) throw Absent(reference.id + " has several splits: one must be named");
    std::string name = reference.id + "-" + split, node = data.packs.at(split);
    if (!reference.column.empty()) {
      name += "-" + reference.column;
      node = add_column(context_.graph, name, data.source, split, reference.column, data.tokenizer);
    }
    if (reference.decoded) {
      node = add_sentences(context_.graph, name + "-decoded", node, {.decoded = true});
    }
    return {node, 0};
  }
  const bool is_of_row = reference.of == KnownReference::Of::kRow;
  if (reference.of == KnownReference::Of::kEntry || (is_of_row && !reference.column.empty())) {
    const InputDecl any{.name = is_of_row ? reference.part : reference.id};
    const NodePart part = node_of(any, reference, row);
    if (part.column.empty() && part.part.empty()) return {part.node, 0};
    throw Absent("a model is trained on all texts of " + any.name + ", not on its part " +
                 (part.column.empty() ? part.part : part.column));
  }
  LVT_ASSERT(is_of_row, "a select is used as a text within a model");
  return {text_of_row(reference.part, row), requested(reference.part)};
}

std::string ReferenceResolver::text_of_row(const std::string& name, const ResolvedRow& row) {
  LVT_ASSERT(row.row, "a text of a row is used where there is no row");
  const auto filler = row.row->fillers.find(name);
  if (filler == row.row->fillers.end()) return generate(name, row);
  const Filling& filling = filler->second.front();
  if (const auto* inlined = std::get_if<std::shared_ptr<const InlineComponent>>(&filling)) {
    return resolver_.inline_component(row.id, InputDecl{.name = name}, **inlined, row);
  }
  const auto& reference = std::get<KnownReference>(filling);
  if (reference.of == KnownReference::Of::kSelect) throw Absent("a select is not a text of a row");
  const InlineContext::Source source = text(reference, row);
  if (reference.of != KnownReference::Of::kData) return source.node;
  const int64_t rows = requested(name);
  if (rows == 0 && (!reference.column.empty() || reference.decoded)) return source.node;
  return add_sentences(context_.graph, row.id + "-" + name, source.node, {.at_most = rows});
}

std::string ReferenceResolver::generate(const std::string& name, const ResolvedRow& row) {
  const auto found = row.row->generation.find(name);
  if (found == row.row->generation.end()) throw Absent("the row has no " + name);
  const InlineComponent& inlined = *found->second;
  const Component& component = *inlined.component.component;
  Node options = inlined.component.options;
  const auto set = [&](const std::string& key, const std::string& value) {
    if (inlined.written.find(key)) return;
    for (const FieldSchema& field : component.about.schema.fields) {
      if (field.key == key) options = options.with({key, Node::scalar(value), {}});
    }
  };
  if (requested(name) > 0) set("count", std::to_string(requested(name)));
  set("seed", std::to_string(row.seed.value_or(0)));
  const Configured configured = component.configure(options);
  ResolvedRow from = row;
  from.model_part = row.at_checkpoints && inlined.at_checkpoints ? kAllCheckpoints : "";
  const FilledInputs inputs = resolver_.all_inputs(row.id + "-" + name, inlined.inputs, from);
  const bool each = reads_checkpoints(inputs, {}, context_.graph);
  return add_inference_node(context_.graph, context_.registries,
                            row.id + "-" + name + (each ? "-checkpoints" : "") + row.suffix,
                            configured, inputs, row.seed.value_or(0));
}

}  // namespace lvtext
