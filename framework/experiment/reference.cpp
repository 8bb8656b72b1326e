#include "framework/experiment/reference.h"

#include <algorithm>

#include "framework/base/strings.h"
#include "framework/options/errors.h"

namespace lvtext {

std::optional<Reference> parse_reference(const std::string& text) {
  constexpr std::string_view kData = "data.", kRow = "row.";
  if (text.starts_with(kData)) return Reference{Reference::Of::kData, text.substr(kData.size())};
  if (text.starts_with(kRow)) return Reference{Reference::Of::kRow, text.substr(kRow.size())};
  return std::nullopt;
}

std::vector<std::string> text_references(const std::vector<std::string>& splits,
                                         const std::vector<std::string>& fillers) {
  std::vector<std::string> all;
  for (const auto& split : splits) all.push_back("data." + split);
  for (const auto& filler : fillers) all.push_back("row." + filler);
  return all;
}

std::string KnownReferences::problem(const std::string& text, ArtifactType type) const {
  const auto& all = type == ArtifactType::kModel ? models : texts;
  if (std::find(all.begin(), all.end(), text) != all.end()) return "";
  return shown(text) + " is no " + (type == ArtifactType::kModel ? "model" : "text") +
         " that can be named here; " + (all.empty() ? "there is none" : suggestion(text, all));
}

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
