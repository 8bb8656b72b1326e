#include "framework/pipeline/check/row_values.h"

#include "framework/core/base/strings.h"
#include "framework/pipeline/check/usual_inputs.h"

namespace lvtext {

const Node::Entry* component_key(const Node& entry) {
  for (const char* key : {"infer", "import", "run", "model", "fit"}) {
    const Node::Entry* found = entry.find_entry(key);
    if (found && !found->value.is_null()) return found;
  }
  return nullptr;
}

const Node::Entry* written_entry(const Recipe& recipe, std::initializer_list<const char*> sections,
                                 const std::string& id) {
  for (const char* section : sections) {
    const Node* entries = recipe.tree.find(section);
    const Node::Entry* entry = entries ? entries->find_entry(id) : nullptr;
    if (entry) return entry;
  }
  return nullptr;
}

void add_fillers(const Node& row, std::vector<std::string>& names) {
  for (const Node::Entry& filler : row.entries()) {
    const std::string& key = filler.key;
    if (key != "label" && key != "model" && key != "generation") add_new(names, key);
  }
}

std::vector<std::string> row_value_names(const Recipe& recipe, const Registries& registries) {
  std::vector<std::string> names = generated_texts(registries);
  for (const auto* registry : {&registries.evaluators, &registries.figures}) {
    for (const auto& name : registry->names()) {
      for (const InputDecl& input : usual_inputs(registry->get(name))) {
        if (input.type != ArtifactType::kModel) add_new(names, input.name);
      }
    }
  }
  for (const Node::Entry& entry : recipe.options.generation.entries()) add_new(names, entry.key);
  return names;
}

std::vector<std::string> values_of_rows(const Recipe& recipe, const Registries& registries) {
  std::vector<std::string> names = generated_texts(registries);
  for (const Node::Entry& entry : recipe.options.generation.entries()) add_new(names, entry.key);
  for (const Node* rows : {&recipe.options.rows, &recipe.options.models}) {
    for (const Node::Entry& row : rows->entries()) {
      if (rows == &recipe.options.models && component_key(row.value)) continue;
      add_fillers(row.value, names);
    }
  }
  return names;
}

}  // namespace lvtext
