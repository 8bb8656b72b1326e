// Everything that has a name: components of every kind, data sets, recipes, rating sheets.
#pragma once

#include <string>
#include <vector>

namespace lvtext {

class Session;

/// One thing that can be named on the command line or in a recipe.
struct CatalogEntry {
  std::string name;
  std::string description;
};

/// "models", "evaluators", "readers", "datasets", "recipes", ...
const std::vector<std::string>& catalog_kinds();

/// What there is of a kind, sorted by name. A recipe or manifest that cannot be read is listed with
/// its mistake. Throws UsageError for an unknown kind.
std::vector<CatalogEntry> catalog(const std::string& kind, Session& session);

}  // namespace lvtext
