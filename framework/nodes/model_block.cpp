#include "framework/nodes/model_block.h"

#include "framework/base/strings.h"

namespace lvtext {

Node shared_train(const Node& recipe) {
  Node shared = Node::mapping({});
  for (const char* key : {"seed", "device"}) {
    if (const auto* entry = recipe.find_entry(key)) shared = shared.with(*entry);
  }
  return shared;
}

void check_model_block(const Node& block, const std::string& model, const Node& own,
                       const ModelPurpose& purpose, const Registries& registries, Errors& errors,
                       const std::string& path) {
  const Node* written = block.find("model");
  const Mark mark = written ? written->mark() : block.mark();
  const ModelEntry* entry = registries.models.find(model);
  if (!entry) {
    errors.add(mark, registries.models.unknown_message(model),
               registries.models.known_message(model));
    return;
  }
  if (purpose.fits(*entry)) return entry->check(own, errors, path);
  std::vector<std::string> fitting;
  for (const auto& name : registries.models.names()) {
    if (purpose.fits(registries.models.get(name))) fitting.push_back(name);
  }
  errors.add(mark, "the model '" + model + "' " + purpose.misfit,
             "models that do: " + join(fitting));
}

}  // namespace lvtext
