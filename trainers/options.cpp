#include "trainers/options.h"

namespace lvtext {

const std::vector<EnumName<OptimizerType>>& enum_names(OptimizerType) {
  static const std::vector<EnumName<OptimizerType>> names = {
      {"adam", OptimizerType::kAdam, "Kingma and Ba 2015"},
      {"adamw", OptimizerType::kAdamW, "Adam with decoupled weight decay"},
      {"sgd", OptimizerType::kSgd, "gradient descent, with momentum if set"},
      {"rmsprop", OptimizerType::kRmsprop, "gradient divided by its root mean square"},
      {"asgd", OptimizerType::kAsgd, "averaged gradient descent (Polyak and Juditsky 1992)"}};
  return names;
}

const std::vector<EnumName<AdamwForm>>& enum_names(AdamwForm) {
  static const std::vector<EnumName<AdamwForm>> names = {
      {"torch", AdamwForm::kTorch,
       "w -= lr wd w, then w -= lr / (1 - b1^t) m / (sqrt(v / (1 - b2^t)) + eps)"},
      {"transformers", AdamwForm::kTransformers,
       "w -= lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps), then w -= lr wd w"}};
  return names;
}

const std::vector<EnumName<NonFinite>>& enum_names(NonFinite) {
  static const std::vector<EnumName<NonFinite>> names = {
      {"halt", NonFinite::kHalt, "stop the run and report the first non-finite tensor"},
      {"skip", NonFinite::kSkip, "skip the rest of the step, within a budget"}};
  return names;
}

const std::vector<EnumName<SelectWeights>>& enum_names(SelectWeights) {
  static const std::vector<EnumName<SelectWeights>> names = {
      {"best", SelectWeights::kBest, "weights of the lowest validation objective"},
      {"last", SelectWeights::kLast, "weights of the last step"}};
  return names;
}

const std::vector<EnumName<KeepUntil>>& enum_names(KeepUntil) {
  static const std::vector<EnumName<KeepUntil>> names = {
      {"scored", KeepUntil::kScored, "after all inference and evaluation of them has finished"}};
  return names;
}

namespace {

/// The component name in an optimizer's option; empty: unset.
std::string chosen(const Node& optimizer, const char* option) {
  const Node* value = optimizer.find(option);
  if (!value) return "";
  const Node* type = value->is_mapping() ? value->find("type") : value;
  return type ? type->text() : "";
}

/// Overrides `defaults` with `own`, also if `own` names a type. Drops the options of a component of
/// another type.
Node merged_over(Node defaults, const Node& own) {
  for (const char* option : {"schedule", "t0"}) {
    const std::string name = chosen(own, option);
    if (!name.empty() && name != chosen(defaults, option)) defaults = defaults.without(option);
  }
  for (const Node::Entry& entry : own.entries()) {
    const Node* value = defaults.find(entry.key);
    defaults = defaults.with(
        {entry.key, value ? merge(*value, entry.value) : entry.value, entry.key_location});
  }
  return defaults;
}

}  // namespace

TrainOptions parse_train_options(const Node& train, Errors& errors, const std::string& path) {
  const Node* optimizers = train.find("optimizers");
  const Node* defaults = optimizers ? optimizers->find("default") : nullptr;
  if (!defaults || !defaults->is_mapping()) {
    return parse_options<TrainOptions>(train, errors, {}, path);
  }
  Node whole = *optimizers;
  for (const auto& entry : optimizers->entries()) {
    if (entry.key == "default" || !entry.value.is_mapping()) continue;
    whole = whole.with({entry.key, merged_over(*defaults, entry.value), entry.key_location});
  }
  const Node laid = train.with({"optimizers", whole, train.find_entry("optimizers")->key_location});
  Errors problems;
  auto options = parse_options<TrainOptions>(laid, problems, {}, path);
  if (problems.empty()) return options;
  // Parse the unmerged block first, so that a mistake in `default` is reported once.
  const size_t before = errors.count();
  parse_options<TrainOptions>(train, errors, {}, path);
  if (errors.count() == before) parse_options<TrainOptions>(laid, errors, {}, path);
  return options;
}

TrainOptions read_train_options(const Node& train) {
  Errors errors;
  TrainOptions options = parse_train_options(train, errors, "");
  errors.throw_if_any();
  return options;
}

const OptimizerOptions& optim_options(const TrainOptions& options, const std::string& optimizer) {
  for (const auto& name : {optimizer, std::string("default")}) {
    const auto found = options.optimizers.find(name);
    if (found != options.optimizers.end()) return found->second;
  }
  static const OptimizerOptions defaults;
  return defaults;
}

}  // namespace lvtext
