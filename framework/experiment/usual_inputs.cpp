#include "framework/experiment/usual_inputs.h"

#include "framework/options/errors.h"

namespace lvtext {

std::vector<InputDecl> usual_inputs(const Component& component) {
  Errors flaws;
  const auto configured = component.configure(Node::mapping({}), flaws, "");
  return configured ? configured->inputs : std::vector<InputDecl>();
}

std::vector<std::string> generated_texts(const Registries& registries) {
  std::vector<std::string> names;
  for (const auto& name : registries.inference.names()) {
    if (registries.inference.get(name).gives == ArtifactType::kText) names.push_back(name);
  }
  return names;
}

}  // namespace lvtext
