// Texts: of rows, of data, and generated ones; models that are written within an entry.
#include "framework/core/base/error.h"
#include "framework/pipeline/nodes/train_nodes.h"
#include "framework/pipeline/plan/resolver.h"

namespace lvtext {

InlineContext::Source Resolver::text(const KnownReference& reference, const ResolvedRow& row) {
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
    const NodePart part = artifact(any, reference, row);
    if (part.column.empty() && part.part.empty()) return {part.node, 0};
    throw Absent("a model is trained on all texts of " + any.name + ", not on its part " +
                 (part.column.empty() ? part.part : part.column));
  }
  LVT_ASSERT(is_of_row, "a select is used as a text within a model");
  const auto requested = requested_.find(reference.part);
  return {text_of_row(reference.part, row), requested == requested_.end() ? 0 : requested->second};
}

std::string Resolver::text_of_row(const std::string& name, const ResolvedRow& row) {
  LVT_ASSERT(row.row, "a text of a row is used where there is no row");
  const auto filler = row.row->fillers.find(name);
  if (filler == row.row->fillers.end()) return generate(name, row);
  const Filling& filling = filler->second.front();
  if (const auto* inlined = std::get_if<std::shared_ptr<const InlineComponent>>(&filling)) {
    return inline_component(row.id, InputDecl{.name = name}, **inlined, row);
  }
  const auto& reference = std::get<KnownReference>(filling);
  if (reference.of == KnownReference::Of::kSelect) throw Absent("a select is not a text of a row");
  const InlineContext::Source source = text(reference, row);
  if (reference.of != KnownReference::Of::kData) return source.node;
  const auto requested = requested_.find(name);
  const int64_t rows = requested == requested_.end() ? 0 : requested->second;
  if (rows == 0 && (!reference.column.empty() || reference.decoded)) return source.node;
  return add_sentences(context_.graph, row.id + "-" + name, source.node, {.at_most = rows});
}

std::string Resolver::generate(const std::string& name, const ResolvedRow& row) {
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
  const auto requested = requested_.find(name);
  if (requested != requested_.end() && requested->second > 0)
    set("count", std::to_string(requested->second));
  set("seed", std::to_string(row.seed.value_or(0)));
  const Configured configured = component.configure(options);
  ResolvedRow from = row;
  from.model_part = row.at_checkpoints && inlined.at_checkpoints ? kAllCheckpoints : "";
  const FilledInputs inputs = all_inputs(row.id + "-" + name, inlined.inputs, from);
  const bool each = reads_checkpoints(inputs, {}, context_.graph);
  return add_inference_node(context_.graph, context_.registries,
                            row.id + "-" + name + (each ? "-checkpoints" : "") + row.suffix,
                            configured, inputs, row.seed.value_or(0));
}

std::string Resolver::inline_model(const std::string& owner, const InputDecl& input,
                                   const CheckedModel& model, const ResolvedRow& row) {
  // Nodes that all rows share have the recipe's seed, not that of a run.
  const bool of_row = model.uses_row();
  InlineContext inlined;
  inlined.name = (of_row ? row.id + "-" : "") + owner + "-" + input.name;
  inlined.name += of_row ? row.suffix : "";
  // A model that all rows share is trained once.
  if (const auto made = shared_.find(inlined.name); made != shared_.end()) return made->second;
  const int64_t shared = context_.recipe.train.seed;
  inlined.seed = of_row ? row.seed.value_or(shared) : shared;
  inlined.locations = context_.locations;
  inlined.config = context_.config;
  ResolvedRow whole = row;  // a model is trained on one text: that of the selected weights
  whole.at_checkpoints = false;
  if (model.text) inlined.text = text(*model.text, whole);
  if (model.validate_on) inlined.valid = text(*model.validate_on, whole).node;
  const std::string node =
      add_inline_model(context_.graph, context_.registries, model.model, inlined);
  if (!of_row) shared_[inlined.name] = node;
  return node;
}

}  // namespace lvtext
