#include "framework/cli/check_recipe.h"

#include "framework/options/errors.h"
#include "trainers/options.h"

namespace lvtext {
namespace {

// Checks one entry of `models` or `evaluate`: the component that `kind` names, and its own options.
template <class Entry>
void check_entry(const Node& entry, const std::string& kind, const std::string& path,
                 const Registry<Entry>& registry, Errors& errors) {
  const Node* name = entry.find(kind);
  if (!name) return;
  const Entry* component = registry.find(name->text());
  if (!component) {
    errors.add(name->mark(), registry.unknown_message(name->text()),
               registry.known_message(name->text()));
    return;
  }
  component->check(entry.without(kind).without("label"), errors, path);
}

}  // namespace

void check_components(const Recipe& recipe, const Registries& registries) {
  Errors errors;
  parse_options<TrainOptions>(recipe.options.train, errors, {}, "train");
  for (const Node::Entry& row : recipe.options.models.entries()) {
    const std::string path = "models." + row.key;
    check_entry(row.value.without("train"), "model", path, registries.models, errors);
    if (const Node* train = row.value.find("train")) {
      // Alone, so that a mistake in the recipe's `train` is reported once and not for every row.
      parse_options<TrainOptions>(*train, errors, {}, path + ".train");
    }
  }
  for (const Node::Entry& metric : recipe.options.evaluate.entries()) {
    check_entry(metric.value, "evaluator", "evaluate." + metric.key, registries.evaluators, errors);
  }
  errors.throw_if_any();
}

}  // namespace lvtext
