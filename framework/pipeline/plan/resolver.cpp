#include "framework/pipeline/plan/resolver.h"

#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"
#include "framework/pipeline/nodes/component_nodes.h"

namespace lvtext {

Resolver::Resolver(ResolverContext context)
    : context_(std::move(context)),
      entries_(context_, *this),
      references_(context_, *this),
      selects_(context_, *this),
      scores_(context_, *this) {}

Resolver::Opening::Opening(Resolver& resolver, const std::string& id) : open_(resolver.open_) {
  if (contains(open_, id)) {
    std::vector<std::string> circle(std::find(open_.begin(), open_.end(), id), open_.end());
    circle.push_back(id);
    resolver.context_.refuse(id, "cyclic references: " + join(circle, " -> "), "");
  }
  open_.push_back(id);
}

Resolved Resolver::resolve(const std::string& owner, const std::vector<CheckedInput>& inputs,
                           const ResolvedRow& row) {
  Resolved resolved;
  for (const CheckedInput& input : inputs) {
    if (input.decl.type == ArtifactType::kScores) continue;  // ScoreResolver
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
    const std::vector<Filling> members = references_.members_of(filling, row);
    all.insert(all.end(), members.begin(), members.end());
  }
  std::vector<NodePart> nodes;
  for (size_t i = 0; i < all.size(); ++i) {
    const Filling& filling = all[i];
    const std::string index = owner + (i ? "-" + std::to_string(i + 1) : "");
    std::string reason;
    auto node = unless_absent(reason, [&]() -> NodePart {
      if (const auto* reference = std::get_if<KnownReference>(&filling)) {
        return references_.node_of(decl, *reference, row);
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
  const bool of_row = uses_row(inlined.inputs) || entries_.seeds_of(inlined.inputs, id).front();
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
  if (model.text) inlined.text = references_.text(*model.text, whole);
  if (model.validate_on) inlined.valid = references_.text(*model.validate_on, whole).node;
  const std::string node =
      add_inline_model(context_.graph, context_.registries, model.model, inlined);
  if (!of_row) shared_[inlined.name] = node;
  return node;
}

}  // namespace lvtext
