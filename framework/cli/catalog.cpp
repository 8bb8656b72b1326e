#include "framework/cli/catalog.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "framework/cli/session.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/data/manifest.h"
#include "framework/core/data/packer.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/yaml.h"
#include "framework/core/text/tokenizer_fit.h"
#include "trainers/lr_schedule.h"
#include "trainers/stop_condition.h"
#include "trainers/trigger.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

template <class Entry>
std::vector<CatalogEntry> components(const Registry<Entry>& registry) {
  std::vector<CatalogEntry> entries;
  for (const auto& name : registry.names()) {
    entries.push_back({name, registry.get(name).about.description});
  }
  return entries;
}

/// The components of a family of options.
template <class Family>
std::vector<CatalogEntry> choices() {
  std::vector<CatalogEntry> entries;
  for (const auto& name : Family::components().names()) {
    entries.push_back({name, Family::components().get(name).help});
  }
  return entries;
}

std::vector<CatalogEntry> datasets() {
  std::vector<CatalogEntry> entries;
  for (const auto& name : manifest_names(manifest_folders())) {
    try {
      entries.push_back({name, load_manifest(name, manifest_folders()).title});
    } catch (const Error& error) {
      entries.push_back({name, error.what()});
    }
  }
  return entries;
}

// Description of a recipe from its own text, without resolving it.
std::string describe_recipe(const fs::path& file) {
  Errors errors;
  const Node tree = load_yaml(file, errors);
  if (!errors.empty()) return "cannot be read; see `lvtext config`";
  const Node* paper = tree.find("paper");
  if (!paper) return "";
  std::vector<std::string> parts;
  for (const char* key : {"item", "title"}) {
    const Node* value = paper->find(key);
    if (value && value->is_scalar()) parts.push_back(value->text());
  }
  return join(parts);
}

std::vector<CatalogEntry> recipes(const fs::path& installation) {
  std::vector<CatalogEntry> entries;
  std::set<std::string> seen;  // recipes of the working directory hide those of the installation
  for (const fs::path& root : {fs::path("recipes"), installation / "recipes"}) {
    std::error_code failed;
    for (const auto& paper : fs::directory_iterator(root, failed)) {
      for (const auto& file : fs::directory_iterator(paper.path(), failed)) {
        if (file.path().extension() != ".yaml" && file.path().extension() != ".yml") continue;
        const std::string name =
            paper.path().filename().string() + "/" + file.path().stem().string();
        if (seen.insert(name).second) entries.push_back({name, describe_recipe(file.path())});
      }
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return entries;
}

}  // namespace

const std::vector<std::string>& catalog_kinds() {
  static const std::vector<std::string> kinds{
      "models",    "evaluators", "inference", "figures",  "readers", "tokenizers", "packers",
      "schedules", "stops",      "triggers",  "datasets", "recipes", "sheets"};
  return kinds;
}

std::vector<CatalogEntry> catalog(const std::string& kind, Session& session) {
  if (kind == "models") return components(session.registries().models);
  if (kind == "evaluators") return components(session.registries().evaluators);
  if (kind == "inference") return components(session.registries().inference);
  if (kind == "figures") return components(session.registries().figures);
  if (kind == "sheets") return components(session.registries().sheets);
  // Plug-ins add to the families when the session loads them.
  session.registries();
  if (kind == "readers") return choices<RecordReader>();
  if (kind == "tokenizers") return choices<TokenizerFit>();
  if (kind == "packers") return choices<Packer>();
  if (kind == "schedules") return choices<LrSchedule>();
  if (kind == "stops") return choices<StopCondition>();
  if (kind == "triggers") return choices<Trigger>();
  if (kind == "datasets") return datasets();
  if (kind == "recipes") return recipes(session.installation);
  throw UsageError("unknown kind " + shown(kind) + "; " + suggestion(kind, catalog_kinds()));
}

}  // namespace lvtext
