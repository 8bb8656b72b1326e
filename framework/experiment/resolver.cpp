#include "framework/experiment/resolver.h"

#include <algorithm>

#include "framework/base/strings.h"
#include "framework/experiment/reference.h"
#include "framework/options/mapping.h"
#include "trainers/options.h"

namespace lvtext {
namespace {

constexpr const char* kNoModel = "the row has no model";

InlineModel inline_of(const Node& effective) {
  Errors errors;
  return parse_block<InlineModel>(effective, errors, "inputs");
}

}  // namespace

std::string why_not(const InputDecl& input, const Component& model) {
  const std::string reason = misfit(input, model);
  return reason.empty() ? "" : "the model " + model.about.name + " " + reason;
}

Resolver::Resolver(ResolverContext context, const std::map<std::string, MetricOptions>& metrics)
    : context_(std::move(context)) {
  for (const auto& [id, metric] : metrics) {
    const Component& evaluator = context_.registries.evaluators.get(metric.evaluator);
    for (const InputDecl& input : evaluator.inputs(metric.own)) {
      const Node effective =
          effective_input(input, metric.written(input.name), context_.registries);
      if (!effective.is_mapping()) {
        want(effective.text(), input.rows);
        continue;
      }
      Errors errors;
      const auto text = inline_text(inline_of(effective), errors, "data");
      if (text) want(text->from, text->at_most);
    }
  }
}

void Resolver::want(const std::string& reference, int64_t rows) {
  const auto parsed = parse_reference(reference);
  if (!parsed || parsed->of != Reference::Of::kRow || parsed->part == "model") return;
  const auto [wanted, is_new] = wanted_.emplace(parsed->part, rows);
  if (!is_new) wanted->second = rows && wanted->second ? std::max(rows, wanted->second) : 0;
}

Resolved Resolver::resolve(const std::string& metric, const MetricOptions& options,
                           const ResolvedRow& row) {
  const Component& evaluator = context_.registries.evaluators.get(options.evaluator);
  Resolved resolved;
  for (const InputDecl& input : evaluator.inputs(options.own)) {
    const Node written = options.written(input.name);
    const auto filler = row.fillers.find(input.name);
    const Node effective = written.is_null() && filler != row.fillers.end()
                               ? reference("row." + input.name)
                               : effective_input(input, written, context_.registries);
    std::vector<Node> all = {effective};
    if (effective.is_sequence()) all = effective.items();
    for (const Node& each : all) {
      std::string reason;
      const std::string node = each.is_mapping() ? inline_model(metric, input, each, row, reason)
                               : each.is_null()  ? std::string()
                                                 : artifact(input, each.text(), row, reason);
      if (!node.empty()) {
        resolved.inputs[input.name].push_back(node);
      } else if (input.arity != InputDecl::Arity::kOptional) {
        if (reason.empty()) reason = "nothing fills its input " + input.name;
        if (std::find(resolved.reasons.begin(), resolved.reasons.end(), reason) ==
            resolved.reasons.end()) {
          resolved.reasons.push_back(reason);
        }
      }
    }
  }
  return resolved;
}

std::string Resolver::artifact(const InputDecl& input, const std::string& reference,
                               const ResolvedRow& row, std::string& reason) {
  if (input.type != ArtifactType::kModel) return text(reference, row, reason).node;
  if (row.trained.empty()) {
    reason = kNoModel;
    return "";
  }
  reason = why_not(input, context_.registries.models.get(row.component));
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
  FilledInputs inputs;
  for (const InputDecl& input : component->inputs(options)) {
    const std::string node = artifact(input, input.by_default.text(), row, reason);
    if (node.empty()) return "";
    inputs[input.name] = {node};
  }
  return add_inference_node(context_.graph, context_.registries, row.id + "-" + name + row.suffix,
                            name, options, inputs, row.seed.value_or(0));
}

std::string Resolver::inline_model(const std::string& metric, const InputDecl& input,
                                   const Node& effective, const ResolvedRow& row,
                                   std::string& reason) {
  const InlineModel model = inline_of(effective);
  // What all rows share takes the recipe's seed and not a run's.
  const bool of_row = uses_row(model);
  const int64_t shared_seed = read_train_options(context_.train).seed;
  InlinePlace place;
  place.name = (of_row ? row.id + "-" : "") + metric + "-" + input.name;
  place.name += of_row ? row.suffix : "";
  place.train = context_.train;
  place.seed = of_row ? row.seed.value_or(shared_seed) : shared_seed;
  place.places = context_.places;
  place.config = context_.config;
  Errors errors;
  if (const auto data = inline_text(model, errors, "data")) {
    text(data->from, row, reason);
    if (!reason.empty()) return "";
  }
  place.text = [&](const std::string& from) { return text(from, row, reason); };
  return add_inline_model(context_.graph, context_.registries, model, place);
}

std::map<std::string, std::string> Resolver::given_models(const Component& model, const Node& own,
                                                          const Node& inputs,
                                                          const ResolvedRow& row) {
  std::map<std::string, std::string> given;
  if (!model.inputs) return given;
  for (const InputDecl& input : model.inputs(own)) {
    const Node* written = inputs.find(input.name);
    const Node effective = effective_input(input, written ? *written : Node(), context_.registries);
    std::string reason;
    if (effective.is_null()) continue;
    given[input.name] = effective.is_mapping() ? inline_model(row.id, input, effective, row, reason)
                                               : trained_as(effective.text(), row);
  }
  return given;
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
