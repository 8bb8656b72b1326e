#include "framework/pipeline/check/usual_inputs.h"

#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/check/inline_models.h"

namespace lvtext {

std::vector<InputDecl> usual_inputs(const Component& component) {
  Errors problems;
  const auto configured = component.configure(Node::mapping({}), problems, "");
  return configured ? configured->inputs : std::vector<InputDecl>();
}

std::string model_mismatch(const InputDecl& input, const Component& model) {
  const std::string reason = capability_mismatch(input, model);
  if (reason.empty()) return "";
  return "the model " + shown(model.about.name) + " " + reason + "; it has " +
         (model.capabilities.empty() ? "none" : join(model.capabilities));
}

std::vector<std::string> generated_texts(const Registries& registries) {
  std::vector<std::string> names;
  for (const auto& name : registries.inference.names()) {
    const Component& component = registries.inference.get(name);
    bool reads_row = false, is_filled = true;
    for (const InputDecl& input : usual_inputs(component)) {
      reads_row = reads_row || input.by_default.text().starts_with("row.");
      is_filled = is_filled && !input.by_default.is_null();
    }
    if (component.gives == ArtifactType::kText && reads_row && is_filled) names.push_back(name);
  }
  return names;
}

}  // namespace lvtext
