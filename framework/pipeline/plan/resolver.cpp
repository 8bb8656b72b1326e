#include "framework/pipeline/plan/resolver.h"

#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"
#include "framework/pipeline/check/checked_references.h"
#include "framework/pipeline/check/inline_models.h"
#include "framework/pipeline/nodes/joined_rows.h"

namespace lvtext {
namespace {

/// Throws Absent if a model cannot be used for an input.
void check_model(const InputDecl& input, const Component& model) {
  const std::string reason = capability_mismatch(input, model);
  if (!reason.empty()) throw Absent("the model " + model.about.name + " " + reason);
}

}  // namespace

Resolver::Resolver(ResolverContext context) : context_(std::move(context)) {
  for (const CheckedMetric& metric : context_.recipe.metrics) {
    for (const CheckedInput& input : metric.inputs) want(input);
  }
}

void Resolver::want(const CheckedInput& input) {
  for (const Filling& filling : input.fillings) {
    if (const auto* reference = std::get_if<KnownReference>(&filling)) {
      want(*reference, input.decl.rows);
    } else if (const auto* model = std::get_if<CheckedModel>(&filling)) {
      if (model->text) want(*model->text, model->model.text->at_most);
    } else {
      const auto& inlined = *std::get<std::shared_ptr<const InlineComponent>>(filling);
      for (const CheckedInput& each : inlined.inputs) want(each);
    }
  }
}

void Resolver::want(const KnownReference& reference, int64_t rows) {
  if (reference.of != KnownReference::Of::kRow || reference.part == "model") return;
  const auto [requested, is_new] = requested_.emplace(reference.part, rows);
  if (!is_new)
    requested->second = rows && requested->second ? std::max(rows, requested->second) : 0;
}

void Resolver::check_alignment(const std::vector<CheckedInput>& inputs,
                               const FilledInputs& filled) const {
  for (const CheckedInput& input : inputs) {
    const auto other = filled.find(input.decl.aligned_with);
    const auto own = filled.find(input.decl.name);
    if (other == filled.end() || own == filled.end()) continue;
    const auto rows = rows_of_all(context_.graph, other->second);
    for (const NodePart& part : own->second) {
      if (rows_of_all(context_.graph, {part}) == rows) continue;
      throw Absent(other->first + " and " + input.decl.name +
                   " are of different records: " + context_.shown_rows(other->second.front()) +
                   " and " + context_.shown_rows(part));
    }
  }
}

Resolved Resolver::resolve(const std::string& owner, const std::vector<CheckedInput>& inputs,
                           const ResolvedRow& row) {
  Resolved resolved;
  for (const CheckedInput& input : inputs) {
    if (input.decl.type == ArtifactType::kScores) continue;  // scores_for()
    std::vector<std::string> reasons;
    const std::vector<NodePart> nodes = fill(owner, input, row, reasons);
    if (!nodes.empty()) resolved.inputs[input.decl.name].assign(nodes.begin(), nodes.end());
    const bool is_joined = input.decl.type == ArtifactType::kDataset && !input.decl.is_list();
    if (is_joined) context_.check_joined(owner, nodes);
    if (input.decl.arity == InputDecl::Arity::kOptional) continue;
    for (const auto& reason : reasons) add_new(resolved.reasons, reason);
  }
  return resolved;
}

FilledInputs Resolver::all_inputs(const std::string& owner, const std::vector<CheckedInput>& inputs,
                                  const ResolvedRow& row) {
  Resolved resolved = resolve(owner, inputs, row);
  if (!resolved.reasons.empty()) throw Absent(join(resolved.reasons, "; "));
  return std::move(resolved.inputs);
}

std::vector<NodePart> Resolver::fill(const std::string& owner, const CheckedInput& input,
                                     const ResolvedRow& row, std::vector<std::string>& reasons) {
  const InputDecl& decl = input.decl;
  std::vector<Filling> fillings = input.fillings;
  if (!input.is_written && row.row && has_value(*row.row, decl.name)) {
    fillings = {KnownReference{KnownReference::Of::kRow, "", decl.name, ""}};
  }
  // If a value has several members, all of them are used.
  std::vector<Filling> all;
  for (const Filling& filling : fillings) {
    const auto* named = std::get_if<KnownReference>(&filling);
    const auto filler = named && named->of == KnownReference::Of::kRow && row.row
                            ? row.row->fillers.find(named->part)
                            : decltype(row.row->fillers.end()){};
    const bool is_list = named && named->of == KnownReference::Of::kRow && row.row &&
                         filler != row.row->fillers.end() && filler->second.size() > 1;
    if (is_list) {
      for (Filling each : filler->second) {
        auto* known = std::get_if<KnownReference>(&each);
        if (known && !named->column.empty()) *known = part_of(*known, named->column);
        all.push_back(std::move(each));
      }
    } else {
      all.push_back(filling);
    }
  }
  std::vector<NodePart> nodes;
  for (size_t i = 0; i < all.size(); ++i) {
    const Filling& filling = all[i];
    const std::string index = owner + (i ? "-" + std::to_string(i + 1) : "");
    std::string reason;
    auto node = unless_absent(reason, [&]() -> NodePart {
      if (const auto* reference = std::get_if<KnownReference>(&filling)) {
        return artifact(decl, *reference, row);
      }
      if (const auto* model = std::get_if<CheckedModel>(&filling)) {
        return inline_model(index, decl, *model, row);
      }
      const auto& inlined = *std::get<std::shared_ptr<const InlineComponent>>(filling);
      return inline_component(index, decl, inlined, row);
    });
    if (!node) {
      reasons.push_back(reason);
      continue;
    }
    if (node->column.empty()) node->column = decl.column;
    nodes.push_back(std::move(*node));
  }
  if (all.empty()) reasons.push_back("no value for its input " + decl.name);
  return nodes;
}

std::string Resolver::inline_component(const std::string& owner, const InputDecl& input,
                                       const InlineComponent& inlined, const ResolvedRow& row) {
  const std::string id = owner + "-" + input.name;
  ResolvedRow from = row;
  if (inlined.component.fit) from.at_checkpoints = false;  // a model is fitted to one text
  const FilledInputs inputs = all_inputs(id, inlined.inputs, from);
  const bool of_row = uses_row(inlined.inputs) || seeds_of(inlined.inputs, id).front();
  const bool names_row = owner == row.id;
  const std::string name = of_row ? (names_row ? "" : row.id + "-") + id + row.suffix : id;
  // Its own seed, otherwise that of its inputs.
  const Node* own = inlined.component.options.find("seed");
  const int64_t shared = context_.recipe.train.seed;
  const int64_t inherited = of_row ? row.seed.value_or(shared) : shared;
  const int64_t seed = own ? parse_int(own->text()).value_or(inherited) : inherited;
  const auto add = inlined.component.fit ? add_fit_node : add_inference_node;
  return add(context_.graph, context_.registries, name, inlined.component, inputs, seed);
}

NodePart Resolver::artifact(const InputDecl& input, const KnownReference& reference,
                            const ResolvedRow& row) {
  if (!reference.removed.empty()) throw Absent("not run: " + reference.removed);
  if (reference.of == KnownReference::Of::kEntry) return of_entry(reference, row);
  if (reference.of == KnownReference::Of::kSelect) return chosen(input, reference, row);
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
    NodePart part = artifact(input, *filler, row);
    if (part.part.empty() && part.among.empty()) part.part = at_its_checkpoints(part.node).part;
    return part;
  }
  return of_row(input, reference, row);
}

NodePart Resolver::of_entry(const KnownReference& reference, const ResolvedRow& row) {
  const auto& splits = context_.entry(reference.id).splits;
  const std::string& split = reference.part.empty() ? row.split : reference.part;
  if (!splits.empty() && split.empty()) {
    throw Absent(reference.id + " has the splits " + join(splits) + ": one must be named");
  }
  NodePart part = splits.empty() ? entry_at(reference.id, reference.at, row)
                                 : NodePart(run_of(reference.id, split, row));
  if (!reference.named_part.empty()) part.part = reference.named_part;
  part.column = reference.column;
  return part;
}

NodePart Resolver::part_of_filler(const InputDecl& input, const KnownReference& reference,
                                  const ResolvedRow& row) {
  const auto filler = row.row->fillers.find(reference.part);
  const auto* named = filler == row.row->fillers.end()
                          ? nullptr
                          : std::get_if<KnownReference>(&filler->second.front());
  if (named) return artifact(input, part_of(*named, reference.column), row);
  KnownReference whole = reference;
  whole.column.clear();
  NodePart part = artifact(input, whole, row);
  part.column = reference.column;
  return part;
}

NodePart Resolver::of_row(const InputDecl& input, const KnownReference& reference,
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
        inline_component(row.id, InputDecl{.name = reference.part}, **inlined, row));
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
  return artifact(input, *named, row);
}

const KnownReference* Resolver::entry_filler(const KnownReference& reference,
                                             const ResolvedRow& row) {
  if (reference.of != KnownReference::Of::kRow || !row.row) return nullptr;
  const auto filler = row.row->fillers.find(reference.part);
  if (filler == row.row->fillers.end()) return nullptr;
  const auto* named = std::get_if<KnownReference>(&filler->second.front());
  return named && named->of == KnownReference::Of::kEntry ? named : nullptr;
}

KnownReference Resolver::part_of(KnownReference filler, const std::string& written) const {
  std::string rest = written;
  if (filler.of == KnownReference::Of::kData && remove_decoded(rest)) filler.decoded = true;
  if (rest.empty()) return filler;
  std::vector<std::string> splits;
  if (filler.of == KnownReference::Of::kEntry) splits = context_.entry(filler.id).splits;
  if (filler.of == KnownReference::Of::kData) {
    splits = find_entry(context_.recipe.data, filler.id)->splits;
  }
  const std::string first = rest.substr(0, rest.find('.'));
  const bool is_split = filler.part.empty() && contains(splits, first);
  if (is_split) filler.part = first;
  filler.column = !is_split                    ? rest
                  : rest.size() > first.size() ? rest.substr(first.size() + 1)
                                               : "";
  return filler;
}

NodePart Resolver::entry_at(const std::string& id, const std::string& at, const ResolvedRow& row) {
  const std::string node = run_of(id, "", row);
  const CheckedSelect* select = find_entry(context_.recipe.selects, at);
  if (!select) return {node, at};
  for (const CheckedRow& checked : context_.recipe.rows) {
    if (!checked.entry || checked.entry->id != id) continue;
    for (const ResolvedRow& run : runs_of(checked)) {
      if (run.trained != node) continue;
      const std::string selection = checkpoint_selection(*select, run);
      if (!selection.empty()) return NodePart::chosen(node, selection);
    }
  }
  throw Absent(id + " keeps no checkpoints for " + at + " to select from");
}

NodePart Resolver::at_its_checkpoints(const std::string& node) const {
  const GraphNode& known = context_.graph.at(node);
  const bool has_parts = !known.checkpoints.empty() && known.kind != NodeKind::kTrain;
  return {node, has_parts ? kAllCheckpoints : ""};
}

NodePart Resolver::chosen(const InputDecl& input, const KnownReference& reference,
                          const ResolvedRow& row) {
  const KnownReference of_row{KnownReference::Of::kRow, "", reference.part, "", reference.column};
  return chosen_of(
      *find_entry(context_.recipe.selects, reference.id), row,
      [&](const ResolvedRow& candidate) { return artifact(input, of_row, candidate); });
}

NodePart Resolver::chosen_of(const CheckedSelect& select, const ResolvedRow& row,
                             const std::function<NodePart(const ResolvedRow&)>& of_candidate) {
  const std::vector<SeedNode> made = selections(select);
  const size_t index = paired(made.size(), select.id, row);
  if (made[index].node.empty()) throw Absent(made[index].reason);
  std::vector<CandidateNode> among;
  std::string column;
  for (const auto& candidate : select.among) {
    const CheckedRow& checked = *find_entry(context_.recipe.rows, candidate.row);
    const auto runs = runs_of(checked);
    const NodePart node = of_candidate(runs[runs.size() == 1 ? 0 : index]);
    among.push_back({candidate.key, node.node, node.part});
    column = node.column;
  }
  NodePart one = NodePart::chosen_of(std::move(among), made[index].node);
  one.column = column;
  return one;
}

}  // namespace lvtext
