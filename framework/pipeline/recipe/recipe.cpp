#include "framework/pipeline/recipe/recipe.h"

#include <algorithm>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/input_file.h"
#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/json.h"
#include "framework/core/options/mapping.h"
#include "framework/core/options/numbers.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/recipe/overrides.h"
#include "framework/pipeline/recipe/recipe_checks.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// The keys of a data set that specify the source of its records.
constexpr const char* kSources[] = {"set", "train", "from"};

// Must be called before all other checks, whose errors would be misleading for a newer format.
void check_version(const Node& tree) {
  const Node* version = tree.find("lvtext");
  if (!version || version->quoted()) return;
  std::optional<int64_t> number = parse_int(version->text());
  if (!number || *number <= kRecipeVersion) return;
  Errors errors;
  errors.add(version->location(),
             "the recipe has format " + version->text() + ", this lvtext reads formats up to " +
                 std::to_string(kRecipeVersion),
             "use a newer version of lvtext");
  errors.throw_if_any();
}

// `tree` without the entries that are mappings in `below` and null in `tree`, which is `below` with
// a layer merged in: null removes the mapping with its contents.
Node without_nulls_over_mappings(const Node& tree, const Node& below) {
  if (!tree.is_mapping() || !below.is_mapping()) return tree;
  Node result = tree;
  for (const Node::Entry& entry : tree.entries()) {
    const Node* under = below.find(entry.key);
    if (!under || !under->is_mapping()) continue;
    if (entry.value.is_null()) {
      result = result.without(entry.key);
    } else if (Node inner = without_nulls_over_mappings(entry.value, *under);
               !(inner == entry.value)) {
      result = result.with({entry.key, std::move(inner), entry.key_location});
    }
  }
  return result;
}

// The ids of a section's entries that are mappings in `below` and null in `tree`.
std::vector<std::string> removed_entries(const Node& tree, const Node& below,
                                         const std::string& section) {
  std::vector<std::string> removed;
  const Node* now = tree.find(section);
  const Node* before = below.find(section);
  if (!now || !before || (section == "data" && is_one_data_set(*before))) return removed;
  for (const Node::Entry& entry : before->entries()) {
    const Node* value = now->find(entry.key);
    if (entry.value.is_mapping() && value && value->is_null()) removed.push_back(entry.key);
  }
  return removed;
}

// Ids of entries that a base file has and a file merged over it removes: "models.vae".
using RemovedByBase = std::set<std::string>;

// `tree` without null for entries that a file below has removed already.
Node without_repeated_removals(Node tree, const RemovedByBase& removed) {
  for (const std::string& section : entry_sections()) {
    const Node::Entry* entries = tree.find_entry(section);
    if (!entries || !entries->value.is_mapping()) continue;
    Node kept = entries->value;
    for (const Node::Entry& entry : entries->value.entries()) {
      const bool repeats = entry.value.is_null() && removed.contains(section + "." + entry.key);
      if (repeats) kept = kept.without(entry.key);
    }
    tree = tree.with({section, kept, entries->key_location});
  }
  return tree;
}

// Loads a file and merges it with its base files.
class Loader {
 public:
  explicit Loader(Errors& errors) : errors_(errors) {}

  const RemovedByBase& removed() const { return removed_; }

  Node load(const fs::path& file) {
    std::error_code failed;  // ignored: load_yaml() reports unreadable files
    chain_.push_back(fs::weakly_canonical(file, failed));
    Node tree = load_yaml(file, errors_);
    if (tree.is_mapping()) {
      check_version(tree);
      if (const Node* base = tree.find("base")) {
        Node under = load_base(file, *base);
        const Node merged = without_repeated_removals(merge(under, tree.without("base")), removed_);
        for (const std::string& section : entry_sections()) {
          for (const std::string& id : removed_entries(merged, under, section)) {
            removed_.insert(section + "." + id);
          }
        }
        tree = without_nulls_over_mappings(merged, under);
      }
    } else if (errors_.empty()) {
      errors_.add(tree.location(), "a recipe must be a mapping of keys",
                  "its first line: lvtext: 1");
    }
    chain_.pop_back();
    return tree;
  }

 private:
  Node load_base(const fs::path& file, const Node& base) {
    if (!base.is_scalar() || base.text().empty()) {
      errors_.add(base.location(), "'base' must be a file", "relative to this recipe");
      return Node::mapping({});
    }
    fs::path path = (file.parent_path() / base.text()).lexically_normal();
    std::error_code failed;
    const std::string kind = irregular_kind(path);
    if (!kind.empty() || fs::status(path, failed).type() == fs::file_type::not_found) {
      errors_.add(base.location(),
                  "the base file " + shown(path.string()) +
                      (kind.empty() ? " does not exist" : " is " + kind + ", not a regular file"),
                  "the path is relative to this recipe");
      return Node::mapping({});
    }
    fs::path absolute = fs::weakly_canonical(path, failed);
    if (std::find(chain_.begin(), chain_.end(), absolute) != chain_.end()) {
      errors_.add(base.location(), "'base' refers back to " + shown(path.string()),
                  "base files must not be cyclic");
      return Node::mapping({});
    }
    return load(path);
  }

  Errors& errors_;
  std::vector<fs::path> chain_;
  RemovedByBase removed_;
};

std::string choose_profile(const RecipeRequest& request, const Node& tree, Errors& errors) {
  static const Node none;
  const Node* profiles = tree.find("profiles");
  std::vector<std::string> names = keys_of(profiles ? *profiles : none);
  auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  auto known = [&](const std::string& name) {
    return names.empty() ? "the recipe has no profiles" : suggestion(name, names);
  };
  if (!request.profile.empty()) {
    if (has(request.profile)) return request.profile;
    throw UsageError("--profile: unknown profile " + shown(request.profile) + "; " +
                     known(request.profile));
  }
  if (const Node* chosen = tree.find("default_profile"); chosen && chosen->is_scalar()) {
    if (has(chosen->text())) return chosen->text();
    errors.add(chosen->location(), "unknown profile " + shown(chosen->text()),
               known(chosen->text()));
    return "";
  }
  return has(request.fallback_profile) ? request.fallback_profile : "";
}

// `not_run` with an entry that was removed from a section; `label`: of a row, else null. An entry
// that the recipe's author wrote, without sections, is replaced only by a row.
Node with_removed(const Node& not_run, const std::string& section, const std::string& id,
                  const std::string& reason, const Node* label) {
  const Node* known = not_run.find(id);
  const Node* sections = known ? known->find("sections") : nullptr;
  if (known && !sections && !label) return not_run;
  std::vector<Node> all = sections ? sections->items() : std::vector<Node>();
  const bool is_listed =
      std::any_of(all.begin(), all.end(), [&](const Node& each) { return each.text() == section; });
  if (!is_listed) all.push_back(Node::scalar(section, true));
  if (!label && known) label = known->find("label");
  std::vector<Node::Entry> entry;
  if (label) entry.push_back({"label", *label, {}});
  entry.push_back({"reason", Node::scalar(reason, true), {}});
  entry.push_back({"sections", Node::sequence(std::move(all)), {}});
  return not_run.with({id, Node::mapping(std::move(entry)), {}});
}

// Removes the entries that a layer merged into `below` sets to null. They remain known with the
// reason, rows with their labels, as entries of `not_run`, so that references to them are valid.
void settle_removals(Recipe& recipe, const Node& below, const std::string& reason) {
  const Node merged = recipe.tree;
  Node& tree = recipe.tree;
  tree = without_nulls_over_mappings(merged, below);
  const Node* all_rows = below.find("rows");
  const std::string rows = all_rows && !all_rows->entries().empty() ? "rows" : "models";
  const Node* given = tree.find("not_run");
  Node not_run = given && given->is_mapping() ? *given : Node::mapping({});
  for (const char* section : {"data", "artifacts", "models", "rows", "evaluate", "select"}) {
    for (const std::string& id : removed_entries(merged, below, section)) {
      const Node* written = below.find(section)->find(id)->find("label");
      const Node label = written ? *written : Node::scalar(id, true);
      not_run = with_removed(not_run, section, id, reason, section == rows ? &label : nullptr);
    }
  }
  if (!not_run.entries().empty()) tree = tree.with({"not_run", not_run, {}});
}

}  // namespace

const std::vector<EnumName<CheckScale>>& enum_names(CheckScale) {
  static const std::vector<EnumName<CheckScale>> names{
      {"any", CheckScale::kAny, "verified in all profiles"},
      {"absolute", CheckScale::kAbsolute, "verified only at the paper's sizes"}};
  return names;
}

std::vector<std::string> Recipe::rows() const {
  return keys_of(options.rows.entries().empty() ? options.models : options.rows);
}

std::string Recipe::row_section() const {
  return options.rows.entries().empty() ? "models" : "rows";
}

namespace {

std::map<std::string, std::string> removed_from(const RemovedEntries& removed,
                                                const std::vector<std::string>& sections) {
  std::map<std::string, std::string> all;
  for (const auto& section : sections) {
    const auto found = removed.find(section);
    if (found != removed.end()) all.insert(found->second.begin(), found->second.end());
  }
  return all;
}

}  // namespace

std::map<std::string, std::string> Recipe::removed_rows() const {
  return removed_from(removed, {"rows", row_section(), "select"});
}

std::map<std::string, std::string> Recipe::removed_metrics() const {
  return removed_from(removed, {"evaluate"});
}

std::map<std::string, std::string> Recipe::removed_entries() const {
  return removed_from(removed, {"data", "artifacts", "models", "evaluate", "select"});
}

std::vector<std::string> Recipe::known_metrics() const {
  std::vector<std::string> ids = keys_of(options.evaluate);
  for (const auto& [id, reason] : removed_metrics()) ids.push_back(id);
  return ids;
}

const Node& Recipe::row(const std::string& id) const {
  const Node* row = (options.rows.entries().empty() ? options.models : options.rows).find(id);
  LVT_ASSERT(row, "the recipe has no row '" + id + "'");
  return *row;
}

int64_t seeds_of(const RecipeOptions& recipe, const Node& entry) {
  const Node* own = entry.find("train");
  const Node* seeds = own ? own->find("seeds") : nullptr;
  if (!seeds) seeds = recipe.train.find("seeds");
  return seeds ? seed_count(*seeds).value_or(1) : 1;
}

bool is_one_data_set(const Node& data) {
  const auto names_source = [](const Node& mapping) {
    return std::any_of(std::begin(kSources), std::end(kSources), [&](const char* key) {
      const Node* source = mapping.find(key);
      return source && !source->is_mapping();
    });
  };
  const auto& entries = data.entries();
  const auto is_entry = [](const Node::Entry& entry) { return entry.value.is_mapping(); };
  const auto has_source = [&](const Node::Entry& entry) { return names_source(entry.value); };
  return names_source(data) || !std::all_of(entries.begin(), entries.end(), is_entry) ||
         std::none_of(entries.begin(), entries.end(), has_source);
}

Node self_contained(const Recipe& recipe, const Node& tree) {
  Node all = tree.without("base").without("profiles").without("default_profile");
  const Node* given = all.find("not_run");
  Node not_run = given && given->is_mapping() ? *given : Node::mapping({});
  for (const auto& [section, entries] : recipe.removed) {
    for (const auto& [id, reason] : entries) {
      not_run = with_removed(not_run, section, id, reason, nullptr);
    }
  }
  if (!not_run.entries().empty()) all = all.with({"not_run", not_run, {}});
  if (!recipe.options.plugins.empty()) {
    std::vector<Node> files;
    const fs::path folder = fs::path(recipe.file).parent_path();
    for (const std::string& file : recipe.options.plugins) {
      const fs::path path = fs::absolute(folder / file).lexically_normal();
      files.push_back(Node::scalar(path.string(), /*quoted=*/true));
    }
    all = all.with({"plugins", Node::sequence(std::move(files)), {}});
  }
  if (recipe.profile.empty()) return all;
  return all.with({"default_profile", Node::scalar(recipe.profile, /*quoted=*/true), {}})
      .with({"profiles", Node::mapping({{recipe.profile, Node::mapping({}), {}}}), {}});
}

Node expanded_recipe(const Recipe& recipe) {
  return self_contained(recipe, recipe.tree);
}

const Node* component_name(const Node& row) {
  for (const char* key : {"model", "fit"}) {
    const Node* name = row.find(key);
    if (name && !name->is_null()) return name;
  }
  return nullptr;
}

Node model_options(const Node& row) {
  Node options = row;
  for (const std::string& key : kRowKeys) options = options.without(key);
  return options;
}

Recipe load_recipe(const RecipeRequest& request) {
  Errors errors;
  Recipe recipe = load_recipe(request, errors);
  errors.throw_if_any();
  return recipe;
}

Recipe load_recipe(const RecipeRequest& request, Errors& errors) {
  fs::path file = find_recipe(request.name, request.installation);
  Loader loader(errors);
  Node tree = loader.load(file);
  if (tree.is_mapping() && !tree.find("lvtext")) {
    errors.add(tree.location(), "the recipe does not specify its format",
               "its first line: lvtext: 1");
  }
  errors.throw_if_any();  // later errors would only follow from the parse error

  Recipe recipe;
  recipe.file = file.string();
  recipe.overrides = request.overrides;
  recipe.written = tree;
  recipe.tree = tree;
  recipe.profile = choose_profile(request, tree, errors);
  RemovedValues removed;
  if (const Node* profiles = tree.find("profiles"); profiles && profiles->is_mapping()) {
    check_profiles(*profiles, errors);
    const Node* chosen = profiles->find(recipe.profile);
    if (chosen && chosen->is_mapping()) {
      Node layer = chosen->with_layer("profile " + recipe.profile);
      const Node merged = without_repeated_removals(
          merge(tree.without("profiles"), layer.without("profiles")), loader.removed());
      recipe.tree = merged.with(*tree.find_entry("profiles"));
      const std::string reason = "not in this profile";
      add_removed_values(tree, recipe.tree, reason, removed);
      settle_removals(recipe, tree, reason);
    }
  }
  const Node before = recipe.tree;
  recipe.tree = without_repeated_removals(
      apply_values(apply_overrides(before, request.overrides, errors, changeable_keys()),
                   request.values, errors, changeable_keys()),
      loader.removed());
  recipe.is_overridden = canonical_json(recipe.tree) != canonical_json(before);
  add_removed_values(before, recipe.tree, "removed by an override", removed);
  settle_removals(recipe, before, "removed by an override");
  Expansion expansion = expand(recipe.tree, removed, errors);
  recipe.tree = expansion.tree;
  recipe.loops = std::move(expansion.entries);
  recipe.removed = std::move(expansion.removed);
  recipe.options = parse_options<RecipeOptions>(recipe.tree, errors);
  for (const auto& [id, entry] : recipe.options.not_run) {
    const bool is_row = entry.sections.empty();
    for (const auto& section : is_row ? std::vector{recipe.row_section()} : entry.sections) {
      recipe.removed[section][id] = entry.reason;
    }
  }
  std::erase_if(recipe.options.not_run,
                [](const auto& entry) { return entry.second.label.empty(); });
  check_recipe(recipe, errors);
  return recipe;
}

}  // namespace lvtext
