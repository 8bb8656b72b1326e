#include "framework/pipeline/check/entry_components.h"

#include "framework/core/options/errors.h"
#include "framework/pipeline/check/row_values.h"
#include "framework/pipeline/recipe/reference.h"

namespace lvtext {

EntryComponents::EntryComponents(const Recipe& recipe, const Registries& registries,
                                 const DataSets& data)
    : recipe_(recipe), data_(data) {
  for (const char* section : {"artifacts", "models"}) {
    const Node* entries = recipe.tree.find(section);
    if (!entries) continue;
    for (const Node::Entry& entry : entries->entries()) {
      const Node::Entry* key = component_key(entry.value);
      if (!key || fits_tokenizer(recipe.options, entry.key)) continue;
      const auto& registry = key->key == "infer" ? registries.inference : registries.models;
      components_[entry.key] = registry.find(key->value.text());
    }
  }
}

const Component* EntryComponents::find(const std::string& id) const {
  const auto found = components_.find(id);
  return found == components_.end() ? nullptr : found->second;
}

std::vector<std::string> EntryComponents::models() const {
  std::vector<std::string> all;
  for (const auto& [id, component] : components_) {
    if (component && !is_inference(id)) all.push_back(id);
  }
  return all;
}

const Node* EntryComponents::entry_node(const std::string& id) const {
  const Node::Entry* entry = written_entry(recipe_, {"artifacts", "models"}, id);
  return entry ? &entry->value : nullptr;
}

bool EntryComponents::is_inference(const std::string& id) const {
  const Node* entry = entry_node(id);
  return entry && entry->find("infer");
}

ArtifactType EntryComponents::result_type(const std::string& id) const {
  const Component* found = find(id);
  return found ? found->gives : ArtifactType::kText;
}

std::vector<NamedPart> EntryComponents::parts(const std::string& id) const {
  const Component* named = find(id);
  if (!named || named->parts_option.empty()) return {};
  Errors reported_elsewhere;
  const auto configured =
      named->configure(model_options(entry_node(id)->without("infer")), reported_elsewhere, "");
  return configured ? configured->parts : std::vector<NamedPart>();
}

std::vector<std::string> EntryComponents::whole_splits(const std::string& id) const {
  std::set<std::string> open;
  return whole_splits(id, open);
}

std::vector<std::string> EntryComponents::whole_splits(const std::string& id,
                                                       std::set<std::string>& open) const {
  if (!open.insert(id).second) return {};  // in a cycle, which the resolver reports
  std::vector<std::string> splits;
  const auto add = [&](const Node& scalar) {
    const auto reference = parse_reference(scalar.text());
    if (!reference || !reference->part.empty() || !splits.empty()) return scalar;
    const std::string named = reference->entry();
    if (const CheckedData* data = data_.find(named)) {
      if (data->splits.size() > 1) splits = data->splits;
    } else if (is_inference(named)) {
      splits = whole_splits(named, open);
    }
    return scalar;
  };
  const Node* entry = entry_node(id);
  if (!entry) return splits;
  for (const char* key : {"data", "inputs"}) {
    const Node* written = entry->find(key);
    if (!written) continue;
    const std::vector<Node::Entry> inputs =
        written->is_mapping() ? written->entries() : std::vector<Node::Entry>{{key, *written, {}}};
    for (const Node::Entry& input : inputs) {
      // Values in an inline component belong to that component.
      if (!input.value.is_mapping()) input.value.with_scalars(add);
    }
  }
  open.erase(id);
  return splits;
}

}  // namespace lvtext
