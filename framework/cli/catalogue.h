// Everything that has a name: models, evaluators, data sets, recipes, rating sheets.
#pragma once

#include <string>
#include <vector>

namespace lvtext {

class Session;

/// One thing that can be named on the command line or in a recipe.
struct CatalogueEntry {
  std::string name;
  std::string description;
};

/// "models", "evaluators", "datasets", "recipes", "sheets".
const std::vector<std::string>& catalogue_kinds();

/// What there is of a kind, sorted by name. A recipe or manifest that cannot be read is listed with
/// its mistake. Throws UsageError for an unknown kind.
std::vector<CatalogueEntry> catalogue(const std::string& kind, Session& session);

}  // namespace lvtext
