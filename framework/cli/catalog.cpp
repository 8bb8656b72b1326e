#include "framework/cli/catalog.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "framework/cli/session.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/datasets/packer.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/yaml.h"
#include "framework/core/sources/manifest.h"
#include "framework/core/text/tokenizer_fit.h"
#include "trainers/lr_schedule.h"
#include "trainers/stop_condition.h"
#include "trainers/trigger.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

std::vector<CatalogEntry> components(const Registry<Component>& registry) {
  std::vector<CatalogEntry> entries;
  for (const auto& name : registry.names()) {
    entries.push_back({name, registry.get(name).about.description});
  }
  return entries;
}

template <class Family>
std::vector<About> family() {
  std::vector<About> all;
  for (const auto& name : Family::components().names()) {
    const auto& component = Family::components().get(name);
    all.push_back({name, component.help, {}, component.schema, component.plugin});
  }
  return all;
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

/// The value of `paper.KEY` in a recipe or, without it, in its base; empty if there is none.
std::string paper_text(const fs::path& file, const char* key, Errors& errors) {
  const Node tree = load_yaml(file, errors);
  const Node* paper = tree.find("paper");
  const Node* value = paper ? paper->find(key) : nullptr;
  if (value && value->is_scalar()) return value->text();
  const Node* base = tree.find("base");
  return base && base->is_scalar() ? paper_text(file.parent_path() / base->text(), key, errors)
                                   : "";
}

/// Description of a recipe from its own text and that of its base, without resolving it.
std::string describe_recipe(const fs::path& file) {
  Errors errors;
  std::vector<std::string> parts;
  for (const char* key : {"item", "title"}) {
    const std::string text = paper_text(file, key, errors);
    if (!text.empty()) parts.push_back(text);
  }
  return errors.empty() ? join(parts) : "cannot be read; see `lvtext config`";
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

std::vector<std::string> component_kinds() {
  std::vector<std::string> kinds = catalog_kinds();
  std::erase(kinds, "datasets");
  std::erase(kinds, "recipes");
  return kinds;
}

std::string singular(const std::string& kind) {
  return kind.ends_with('s') ? kind.substr(0, kind.size() - 1) : kind;
}

std::string component_kind(const std::string& word) {
  for (const std::string& kind : component_kinds()) {
    if (word == kind || word == singular(kind)) return kind;
  }
  return "";
}

const Registry<Component>* registry_of(const std::string& kind, const Registries& registries) {
  if (kind == "models") return &registries.models;
  if (kind == "evaluators") return &registries.evaluators;
  if (kind == "figures") return &registries.figures;
  if (kind == "sheets") return &registries.sheets;
  return kind == "inference" ? &registries.inference : nullptr;
}

std::vector<About> family_components(const std::string& kind, Session& session) {
  session.registries();  // loads the plug-ins, which add to the families
  if (kind == "readers") return family<RecordReader>();
  if (kind == "tokenizers") return family<TokenizerFit>();
  if (kind == "packers") return family<Packer>();
  if (kind == "schedules") return family<LrSchedule>();
  if (kind == "stops") return family<StopCondition>();
  if (kind == "triggers") return family<Trigger>();
  return {};
}

std::vector<CatalogEntry> catalog(const std::string& kind, Session& session) {
  if (const auto* registry = registry_of(kind, session.registries())) return components(*registry);
  if (kind == "datasets") return datasets();
  if (kind == "recipes") return recipes(session.installation);
  std::vector<CatalogEntry> entries;
  for (const About& about : family_components(kind, session)) {
    entries.push_back({about.name, about.description});
  }
  if (!entries.empty()) return entries;
  throw UsageError("unknown kind " + shown(kind) + "; " + suggestion(kind, catalog_kinds()));
}

}  // namespace lvtext
