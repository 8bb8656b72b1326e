#include "framework/experiment/resolver.h"

#include <algorithm>

#include "framework/base/strings.h"
#include "framework/experiment/reference.h"
#include "framework/options/numbers.h"

namespace lvtext {
namespace {

constexpr const char* kNoModel = "the row has no model";

/// Whether something of the row that is scored plays a part.
bool uses_row(const std::vector<CheckedInput>& inputs) {
  const auto of_row = [](const Filling& filling) {
    if (const auto* reference = std::get_if<std::string>(&filling)) {
      return reference->starts_with("row.");
    }
    if (const auto* model = std::get_if<InlineModel>(&filling)) return model->uses_row();
    return uses_row(std::get<std::shared_ptr<const InlineComponent>>(filling)->inputs);
  };
  return std::any_of(inputs.begin(), inputs.end(), [&](const CheckedInput& input) {
    return std::any_of(input.fillings.begin(), input.fillings.end(), of_row);
  });
}

}  // namespace

std::string why_not(const InputDecl& input, const Component& model) {
  const std::string reason = misfit(input, model);
  return reason.empty() ? "" : "the model " + model.about.name + " " + reason;
}

Resolver::Resolver(ResolverContext context, const std::vector<CheckedMetric>& metrics)
    : context_(std::move(context)) {
  for (const CheckedMetric& metric : metrics) {
    for (const CheckedInput& input : metric.inputs) want(input);
  }
}

void Resolver::want(const CheckedInput& input) {
  for (const Filling& filling : input.fillings) {
    if (const auto* reference = std::get_if<std::string>(&filling)) {
      want(*reference, input.decl.rows);
    } else if (const auto* model = std::get_if<InlineModel>(&filling)) {
      if (model->text) want(model->text->from, model->text->at_most);
    } else {
      const auto& inlined = *std::get<std::shared_ptr<const InlineComponent>>(filling);
      for (const CheckedInput& each : inlined.inputs) want(each);
    }
  }
}

void Resolver::want(const std::string& reference, int64_t rows) {
  const auto parsed = parse_reference(reference);
  if (!parsed || parsed->of != Reference::Of::kRow || parsed->part == "model") return;
  const auto [wanted, is_new] = wanted_.emplace(parsed->part, rows);
  if (!is_new) wanted->second = rows && wanted->second ? std::max(rows, wanted->second) : 0;
}

Resolved Resolver::resolve(const std::string& owner, const std::vector<CheckedInput>& inputs,
                           const ResolvedRow& row) {
  Resolved resolved;
  for (const CheckedInput& input : inputs) {
    std::vector<std::string> reasons;
    const std::vector<std::string> nodes = fill(owner, input, row, reasons);
    if (!nodes.empty()) resolved.inputs[input.decl.name].assign(nodes.begin(), nodes.end());
    if (input.decl.arity == InputDecl::Arity::kOptional) continue;
    for (const auto& reason : reasons) {
      const auto& known = resolved.reasons;
      if (std::find(known.begin(), known.end(), reason) == known.end()) {
        resolved.reasons.push_back(reason);
      }
    }
  }
  return resolved;
}

std::vector<std::string> Resolver::fill(const std::string& owner, const CheckedInput& input,
                                        const ResolvedRow& row, std::vector<std::string>& reasons) {
  const InputDecl& decl = input.decl;
  auto fillings = input.fillings;
  if (!input.is_written && row.fillers.contains(decl.name)) fillings = {"row." + decl.name};
  std::vector<std::string> nodes;
  for (const Filling& filling : fillings) {
    std::string reason, node;
    if (const auto* reference = std::get_if<std::string>(&filling)) {
      node = artifact(decl, *reference, row, reason);
    } else if (const auto* model = std::get_if<InlineModel>(&filling)) {
      node = inline_model(owner, decl, *model, row, reason);
    } else {
      node = inline_component(
          owner, decl, *std::get<std::shared_ptr<const InlineComponent>>(filling), row, reason);
    }
    (node.empty() ? reasons : nodes).push_back(node.empty() ? reason : node);
  }
  if (fillings.empty()) reasons.push_back("nothing fills its input " + decl.name);
  return nodes;
}

std::string Resolver::inline_component(const std::string& owner, const InputDecl& input,
                                       const InlineComponent& inlined, const ResolvedRow& row,
                                       std::string& reason) {
  const std::string id = owner + "-" + input.name;
  const Resolved resolved = resolve(id, inlined.inputs, row);
  if (!resolved.reasons.empty()) {
    reason = join(resolved.reasons, "; ");
    return "";
  }
  const bool of_row = uses_row(inlined.inputs);
  const std::string name = of_row ? row.id + "-" + id + row.suffix : id;
  // Its own, else that of what it is computed from.
  const Node* own = inlined.component.options.find("seed");
  const int64_t inherited = of_row ? row.seed.value_or(context_.seed) : context_.seed;
  const int64_t seed = own ? parse_int(own->text()).value_or(inherited) : inherited;
  const auto add = inlined.component.fit ? add_fit_node : add_inference_node;
  return add(context_.graph, context_.registries, name, inlined.component, resolved.inputs, seed);
}

std::string Resolver::artifact(const InputDecl& input, const std::string& reference,
                               const ResolvedRow& row, std::string& reason) {
  if (input.type != ArtifactType::kModel) return text(reference, row, reason).node;
  if (reference != "row.model") return trained_as(reference, row);
  if (row.trained.empty()) {
    reason = kNoModel;
    return "";
  }
  reason = why_not(input, *row.model);
  return reason.empty() ? row.trained : "";
}

InlinePlace::Source Resolver::text(const std::string& reference, const ResolvedRow& row,
                                   std::string& reason) {
  const auto parsed = parse_reference(reference);
  LVT_ASSERT(parsed, "a reference that was not checked: " + reference);
  if (parsed->of == Reference::Of::kData) return {context_.data.packs.at(parsed->part), 0};
  const auto wanted = wanted_.find(parsed->part);
  return {text_of_row(parsed->part, row, reason), wanted == wanted_.end() ? 0 : wanted->second};
}

std::string Resolver::text_of_row(const std::string& name, const ResolvedRow& row,
                                  std::string& reason) {
  const auto filler = row.fillers.find(name);
  if (filler == row.fillers.end()) return generate(name, row, reason);
  const InlinePlace::Source source = text(filler->second, row, reason);
  const auto wanted = wanted_.find(name);
  const int64_t rows = wanted == wanted_.end() ? 0 : wanted->second;
  return add_sentences(context_.graph, row.id + "-" + name, source.node, {.at_most = rows});
}

std::string Resolver::generate(const std::string& name, const ResolvedRow& row,
                               std::string& reason) {
  const Component* component = context_.registries.inference.find(name);
  if (!component) {
    reason = "the row has no " + name;
    return "";
  }
  Node options = Node::mapping({});
  const auto set = [&](const std::string& key, const Node& value) {
    for (const FieldSchema& field : component->about.schema.fields) {
      if (field.key == key) options = options.with({key, value, {}});
    }
  };
  const Node generation = to_node(row.generation);
  for (const Node::Entry& entry : generation.entries()) set(entry.key, entry.value);
  const auto wanted = wanted_.find(name);
  if (wanted != wanted_.end() && wanted->second > 0) {
    set("count", Node::scalar(std::to_string(wanted->second)));
  }
  set("seed", Node::scalar(std::to_string(row.seed.value_or(0))));
  const Configured configured = component->configure(options);
  FilledInputs inputs;
  for (const InputDecl& input : configured.inputs) {
    const std::string node = artifact(input, input.by_default.text(), row, reason);
    if (node.empty()) return "";
    inputs[input.name] = {node};
  }
  return add_inference_node(context_.graph, context_.registries, row.id + "-" + name + row.suffix,
                            configured, inputs, row.seed.value_or(0));
}

std::string Resolver::inline_model(const std::string& owner, const InputDecl& input,
                                   const InlineModel& model, const ResolvedRow& row,
                                   std::string& reason) {
  // What all rows share takes the recipe's seed and not a run's.
  const bool of_row = model.uses_row();
  InlinePlace place;
  place.name = (of_row ? row.id + "-" : "") + owner + "-" + input.name;
  place.name += of_row ? row.suffix : "";
  // One that all rows share is made once.
  if (const auto made = shared_.find(place.name); made != shared_.end()) return made->second;
  place.seed = of_row ? row.seed.value_or(context_.seed) : context_.seed;
  place.places = context_.places;
  place.config = context_.config;
  if (model.text) {
    text(model.text->from, row, reason);
    if (!reason.empty()) return "";
  }
  place.text = [&](const std::string& from) { return text(from, row, reason); };
  const std::string node = add_inline_model(context_.graph, context_.registries, model, place);
  if (!of_row) shared_[place.name] = node;
  return node;
}

std::string Resolver::trained_as(const std::string& id, const ResolvedRow& row) const {
  const auto& trained = trained_.at(id);
  if (trained.size() == 1) return trained.front();
  if (row.place < trained.size() && row.of == trained.size()) return trained[row.place];
  throw ConfigError("models." + row.id + " is trained " + std::to_string(row.of) +
                    " times and its input " + id + " " + std::to_string(trained.size()) +
                    " times: seeds pair by their order, so both need equally many, or " + id +
                    " one");
}

}  // namespace lvtext
