// Lists of components, data sets, recipes and rating sheets by kind.
#pragma once

#include <string>
#include <vector>

#include "framework/core/model/component.h"
#include "framework/core/model/registries.h"

namespace lvtext {

class Session;

/// An item that can be named on the command line or in a recipe.
struct CatalogEntry {
  std::string name;
  std::string description;
};

/// "models", "evaluators", "readers", "datasets", "recipes", ...
const std::vector<std::string>& catalog_kinds();
/// The kinds of components: all except "datasets" and "recipes".
std::vector<std::string> component_kinds();
/// "model" for "models".
std::string singular(const std::string& kind);
/// The kind of components that `word` names in the singular or plural; empty for other words.
std::string component_kind(const std::string& word);

/// The registry of "models", "evaluators", "inference", "figures" or "sheets"; nullptr for other
/// kinds.
const Registry<Component>* registry_of(const std::string& kind, const Registries& registries);

/// The components of a family of options ("readers", "tokenizers", "schedules", ...), sorted by
/// name; empty for other kinds.
std::vector<About> family_components(const std::string& kind, Session& session);

/// The entries of a kind, sorted by name. A recipe or manifest that cannot be read is listed with
/// its error. Throws UsageError for an unknown kind.
std::vector<CatalogEntry> catalog(const std::string& kind, Session& session);

}  // namespace lvtext
