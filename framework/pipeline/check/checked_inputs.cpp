#include "framework/pipeline/check/checked_inputs.h"

#include <algorithm>
#include <utility>

#include "framework/core/base/strings.h"
#include "framework/pipeline/check/inline_models.h"
#include "framework/pipeline/check/training_check.h"

namespace lvtext {
namespace {

/// The records that an inline model is trained on; without sides if they are not known before they
/// are read.
StreamRecords training_records(const CheckedModel& model, const DataSets& sets) {
  if (const auto& block = model.model.data) {
    const DataOptions& source = block->source;
    const std::string name = source.train.empty() ? source.name() : source.train;
    if (block->pack.plugin()) return {};
    return {"the data set " + shown(name), {{describe_records(source)}}};
  }
  const CheckedData* data = sets.find(model.text->id);
  const Records* records = data ? sets.packed(data->id) : nullptr;
  if (!records) return {};
  return {sets.name(*data), {{*records}}};
}

}  // namespace

bool CheckedModel::uses_row() const {
  const auto is_of_row = [](const std::optional<KnownReference>& named) {
    return named && named->of == KnownReference::Of::kRow;
  };
  return is_of_row(text) || is_of_row(validate_on);
}

bool uses_row(const std::vector<CheckedInput>& inputs) {
  const auto of_row = [](const Filling& filling) {
    if (const auto* reference = std::get_if<KnownReference>(&filling)) {
      return reference->of == KnownReference::Of::kRow;
    }
    if (const auto* model = std::get_if<CheckedModel>(&filling)) return model->uses_row();
    return uses_row(std::get<std::shared_ptr<const InlineComponent>>(filling)->inputs);
  };
  return std::any_of(inputs.begin(), inputs.end(), [&](const CheckedInput& input) {
    return std::any_of(input.fillings.begin(), input.fillings.end(), of_row);
  });
}

Node inputs_of(const Configured& component, const Node& entry, bool is_trained) {
  const Node* written = entry.find("inputs");
  Node all = written && written->is_mapping() ? *written : Node::mapping({});
  if (is_trained) return all;
  const auto add = [&](const char* key, const std::string& input) {
    const Node::Entry* given = entry.find_entry(key);
    if (given && !given->value.is_null())
      all = all.with({input, given->value, given->key_location});
  };
  std::string filled = "data";
  for (const InputDecl& input : component.inputs) {
    const bool is_data = input.type == ArtifactType::kText ||
                         input.type == ArtifactType::kDataset ||
                         input.type == ArtifactType::kRecords;
    if (!is_data || all.find(input.name)) continue;
    if (filled == "data") filled = input.name;
    if (input.name == "data") {
      filled = "data";
      break;
    }
  }
  add("data", filled);
  if (entry.find("infer")) add("model", "model");
  return all;
}

bool check_kind(const Component& model, const Node& entry, const SourceLocation& location,
                Errors& errors) {
  if (model.is_fitted == (component_name(entry) == entry.find("fit"))) return true;
  errors.add(location,
             "the model " + shown(model.about.name) + " is " +
                 (model.is_fitted ? "fitted, not trained" : "trained, not fitted"),
             std::string("write it as `") + (model.is_fitted ? "fit: " : "model: ") +
                 model.about.name + "`");
  return false;
}

void check_fitted(const Configured& model, const SourceLocation& location, Errors& errors) {
  if (!model.fit || !model.inputs.empty()) return;
  const std::string& name = model.component->about.name;
  errors.add(location, "the model " + shown(name) + " is imported, not fitted",
             "define it in `artifacts`, as {import: " + name +
                 ", data: {tokenizer: {type: word_vectors, file: FILE}}}");
}

void check_stop(const TrainOptions& train, const Node& written, const SourceLocation& location,
                const std::string& path, Errors& errors) {
  const auto is_time = [](const Period& each) { return each.unit == Period::Unit::kSeconds; };
  if (std::none_of(train.stop.any.begin(), train.stop.any.end(), is_time)) return;
  const Node* stop = written.find("stop");
  const auto refuse = [&](const std::string& reason, const std::string& hint) {
    errors.add(stop && stop->location().source ? stop->location() : location,
               "'" + path + ".stop' is a time, and " + reason,
               "stop after updates, epochs or tokens, or " + hint);
  };
  if (train.schedule_length) {
    refuse("train.schedule_length scales schedules to a number of updates",
           "leave schedule_length out");
  }
  for (const auto& [name, optimizer] : train.optimizers) {
    const auto& schedule = optimizer.schedule;
    if (!schedule->needs_end()) continue;
    const std::string what =
        schedule->warmup_ratio ? "the warmup_ratio" : "the schedule '" + schedule.name() + "'";
    refuse(
        what + " of optimizers." + name + " depends on the number of updates",
        schedule->warmup_ratio ? "set `warmup` instead of `warmup_ratio`" : "use another schedule");
  }
}

std::vector<CheckedInput> InputParser::read(const Configured& component, const Node& written,
                                            const SourceLocation& location, InputScope scope,
                                            const std::string& path) {
  std::vector<std::string> names;
  for (const InputDecl& input : component.inputs) names.push_back(input.name);
  for (const Node::Entry& entry : written.entries()) {
    if (contains(names, entry.key)) continue;
    context_.errors.add(entry.key_location,
                        component.component->about.name + " has no input '" + entry.key + "'",
                        names.empty() ? "it has no inputs" : suggestion(entry.key, names));
  }
  std::vector<CheckedInput> all;
  for (const InputDecl& input : component.inputs) {
    const Node* given = written.find(input.name);
    all.push_back(read_input(input, given ? *given : Node(), location, scope, path));
  }
  return all;
}

CheckedInput InputParser::read_input(const InputDecl& input, const Node& written,
                                     const SourceLocation& location, InputScope scope,
                                     const std::string& path) {
  CheckedInput read{.decl = input, .is_written = !written.is_null()};
  const Node value = effective_input(input, written, context_.registries);
  const std::string key_path = path + "." + input.name;
  if (value.is_null()) {
    // Rows may have texts for metrics; `against` has the second scores of a comparison.
    const bool is_filled_later =
        scope.of_row && input.type != ArtifactType::kModel && input.type != ArtifactType::kTensors;
    if (!is_filled_later && input.arity == InputDecl::Arity::kOne) {
      context_.errors.add(location, "missing key " + shown(key_path), input.help);
    }
  } else if (value.is_sequence() && input.takes_list()) {
    for (const Node& each : value.items()) add_value(each, location, scope, key_path, read);
  } else {
    add_value(value, location, scope, key_path, read);
  }
  return read;
}

void InputParser::add_value(const Node& value, const SourceLocation& location, InputScope scope,
                            const std::string& path, CheckedInput& to) {
  const SourceLocation at = value.location().source ? value.location() : location;
  Errors& errors = context_.errors;
  if (value.is_mapping() && (value.find("infer") || value.find("fit"))) {
    if (auto inlined = read_inline(to.decl, value, at, scope, path)) {
      to.fillings.emplace_back(std::move(inlined));
    }
    return;
  }
  if (value.is_mapping() && to.decl.type == ArtifactType::kModel) {
    if (auto model = read_model(to.decl, value, at, scope, path)) {
      to.fillings.emplace_back(std::move(*model));
    }
    return;
  }
  if (value.is_mapping()) {
    return errors.add(at,
                      path + " is " + type_name(to.decl.type) + ", which cannot be an inline model",
                      "a reference such as data.test or row.samples, or {infer: NAME}");
  }
  if (!value.is_scalar()) return errors.add(at, path + " must be a reference or a component");
  // Defaults use the recipe's only data set; with several, the input has no value.
  if (!to.is_written && value.text().starts_with("data.") && !references_.has("data")) {
    if (data_.all().size() != 1) {
      if (!scope.of_row) {
        errors.add(location, path + " is missing: " + data_.ambiguity(), to.decl.help);
      }
      return;
    }
    const Node named = value.with_text(references_.with_only_set(value.text()), true);
    return add_reference(named, at, scope, path, to);
  }
  add_reference(value, at, scope, path, to);
}

void InputParser::add_reference(const Node& written, const SourceLocation& location,
                                InputScope scope, const std::string& path, CheckedInput& to) {
  auto found = references_.find(
      written, location,
      {.type = to.decl.type, .of_row = scope.of_row, .whole_sets = scope.whole_sets}, path);
  if (found.size() > 1 && !to.decl.is_list()) {
    context_.errors.add(location, path + " accepts one value, but " + shown(written.text()) +
                                      " names " + std::to_string(found.size()));
    return;
  }
  for (auto& each : found) {
    const bool is_model = to.decl.type == ArtifactType::kModel && each.removed.empty() &&
                          each.of == KnownReference::Of::kEntry;
    const Component* model = is_model ? references_.components().find(each.id) : nullptr;
    const std::string reason = model ? capability_mismatch(to.decl, *model) : "";
    if (!reason.empty()) {
      context_.errors.add(location, path + ": the model of " + each.id + " " + reason);
      continue;
    }
    to.fillings.emplace_back(std::move(each));
  }
}

std::optional<CheckedModel> InputParser::read_model(const InputDecl& input, const Node& written,
                                                    const SourceLocation& location,
                                                    InputScope scope, const std::string& path) {
  Errors& errors = context_.errors;
  auto inlined =
      read_inline_model(input, written, train_, location, context_.registries, errors, path);
  if (!inlined) return std::nullopt;
  const size_t before = errors.count();
  CheckedModel read{.model = std::move(*inlined), .text = {}, .validate_on = {}};
  const InlineModel& model = read.model;
  const auto text = [&](const std::string& named, const char* key) {
    const SourceLocation given = location_of(written, key);
    return read_text(named, given.source ? given : location, scope, path + "." + key);
  };
  if (model.text) {
    const bool is_own = model.validate_on == kOwnText;
    read.text = text(model.text->from, "data");
    if (!is_own) read.validate_on = text(model.validate_on, "validate_on");
    if (!read.text || (!is_own && !read.validate_on)) return std::nullopt;
  }
  if (errors.count() != before) return std::nullopt;
  if (model.is_imported) return read;
  const Node* train = written.find("train");
  check_stop(model.train, train ? *train : Node::mapping({}), location, path + ".train", errors);
  if (model.data) check_block(*model.data, *written.find("data"), location, path + ".data");
  if (errors.count() == before) {
    check_fields(model.model, model.train, {{"train", training_records(read, data_)}}, location,
                 errors);
  }
  return errors.count() == before ? std::optional(std::move(read)) : std::nullopt;
}

std::optional<KnownReference> InputParser::read_text(const std::string& text,
                                                     const SourceLocation& location,
                                                     InputScope scope, const std::string& path) {
  const std::string named = references_.with_only_set(text);
  auto found =
      references_.find(Node::scalar(named, true), location, {.of_row = scope.of_row}, path);
  if (found.empty()) return std::nullopt;
  check_whole(found[0], named, location, path, context_.errors);
  return std::move(found[0]);
}

void InputParser::check_block(const DataBlock& data, const Node& written,
                              const SourceLocation& location, const std::string& path) {
  for (const DataMistake& mistake : data_mistakes(data.source)) {
    const SourceLocation key = location_of(written, mistake.key);
    context_.errors.add(key.source ? key : location,
                        path + "." + mistake.key + ": " + mistake.message, mistake.hint);
  }
}

std::shared_ptr<const InlineComponent> InputParser::read_inline(
    const InputDecl& input, const Node& written, const SourceLocation& location, InputScope scope,
    const std::string& path, bool any_type) {
  Errors& errors = context_.errors;
  const bool infers = written.find("infer") != nullptr;
  const Node* name = written.find(infers ? "infer" : "fit");
  if (!name) {
    errors.add(location, path + " does not name a component", "{infer: NAME, ...}");
    return nullptr;
  }
  const SourceLocation at = name->location().source ? name->location() : location;
  const auto& registry = infers ? context_.registries.inference : context_.registries.models;
  const Component* component = find_component(registry, name->text(), at, errors);
  if (!component) return nullptr;
  if (!infers && !check_kind(*component, written, at, errors)) return nullptr;
  const ArtifactType gives = infers ? component->gives : ArtifactType::kModel;
  std::string reason = infers ? "" : capability_mismatch(input, *component);
  if (gives != input.type && !(any_type && infers)) {
    reason = "returns " + type_name(gives) + ", but " + input.name + " is " + type_name(input.type);
  }
  if (!reason.empty()) {
    errors.add(at, path + ": " + name->text() + " " + reason);
    return nullptr;
  }
  Node own = written.without("infer").without("fit").without("inputs").without("data");
  if (infers) own = own.without("model");
  const auto configured = component->configure(own, errors, path);
  if (!configured) return nullptr;
  check_fitted(*configured, at, errors);
  return std::make_shared<const InlineComponent>(InlineComponent{
      *configured,
      read(*configured, inputs_of(*configured, written, false), location, scope, path + ".inputs"),
      own});
}

}  // namespace lvtext
