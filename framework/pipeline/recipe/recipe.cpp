#include "framework/pipeline/recipe/recipe.h"

#include <algorithm>
#include <set>

#include "framework/core/base/characters.h"
#include "framework/core/base/error.h"
#include "framework/core/base/input_file.h"
#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/json.h"
#include "framework/core/options/mapping.h"
#include "framework/core/options/numbers.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/recipe/overrides.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// Ids with a special meaning in references and tables; not allowed as ids of entries.
constexpr const char* kReserved[] = {"row",  "seed",  "step", "checkpoints",
                                     "data", "table", "index"};

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

// Reports an id that is malformed or reserved.
void check_id(const std::string& id, const SourceLocation& location, Errors& errors) {
  std::string hint;
  const std::string problem = problem_of_id(id, hint);
  if (!problem.empty()) errors.add(location, problem, hint);
  const bool is_reserved =
      std::find(std::begin(kReserved), std::end(kReserved), id) != std::end(kReserved);
  if (is_reserved) {
    errors.add(location, "the id " + shown(id) + " is reserved",
               "it has a special meaning in references");
  }
}

// Checks a profile or one half of the recipe's name, which are joined by '/' and '.' in folder
// names.
void check_name(const std::string& name, const std::string& what, const SourceLocation& location,
                Errors& errors) {
  const auto is_plain = [](char c) {
    return is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
  };
  const bool good = !name.empty() && is_plain(name[0]) &&
                    std::all_of(name.begin(), name.end(),
                                [&](char c) { return is_plain(c) || c == '_' || c == '-'; });
  if (good && name.size() <= kMaxNameLength) return;
  if (good) {
    errors.add(location,
               what + " " + shown(name) + " has " + std::to_string(name.size()) + " characters",
               "used in file names: at most " + std::to_string(kMaxNameLength));
    return;
  }
  errors.add(location, what + " " + shown(name) + " cannot name a folder",
             "letters, digits, '_' and '-', a letter or digit first");
}

void check_recipe_name(const Node& tree, Errors& errors) {
  const Node* name = tree.find("recipe");
  if (!name || !name->is_scalar() || name->text().empty()) return;
  const auto halves = split(name->text(), '/');
  if (halves.size() != 2) {
    errors.add(name->location(),
               "the recipe's name " + shown(name->text()) + " is not <paper>/<table>",
               "such as eval-all/table1");
    return;
  }
  check_name(halves[0], "the paper", name->location(), errors);
  check_name(halves[1], "the table", name->location(), errors);
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

// The top-level keys that profiles and overrides can set.
std::vector<std::string> changeable_keys() {
  std::vector<std::string> keys;
  for (const FieldSchema& field : describe<RecipeOptions>().fields) {
    if (!is_fixed_key(field.key)) keys.push_back(field.key);
  }
  return keys;
}

// Checks the names and the top-level keys of all profiles, including those not selected.
void check_profiles(const Node& profiles, Errors& errors) {
  std::vector<std::string> names = changeable_keys();
  std::erase(names, "default_profile");
  for (const Node::Entry& profile : profiles.entries()) {
    check_name(profile.key, "the profile", profile.key_location, errors);
    if (profile.value.is_null()) continue;
    if (!profile.value.is_mapping()) {
      errors.add(profile.value.location(),
                 "'profiles." + profile.key + "' must be a mapping of keys");
    }
    for (const Node::Entry& entry : profile.value.entries()) {
      if (std::find(names.begin(), names.end(), entry.key) != names.end()) continue;
      errors.add(entry.key_location,
                 "unknown key " + shown("profiles." + profile.key + "." + entry.key),
                 suggestion(entry.key, names));
    }
  }
}

// Parses an integer from 1 to kMaxSeeds; none if the node is something else.
std::optional<int64_t> count_of(const Node& node) {
  if (!node.is_scalar() || node.quoted()) return std::nullopt;
  const auto count = parse_int(node.text());
  return count && *count >= 1 && *count <= kMaxSeeds ? count : std::nullopt;
}

void check_seeds(const Node& train, const std::string& path, Errors& errors) {
  const Node* seeds = train.find("seeds");
  if (!seeds || count_of(*seeds)) return;
  errors.add(seeds->location(), shown(path + ".seeds") + " must be a number of training runs",
             "allowed: 1.." + std::to_string(kMaxSeeds) + ", such as 3");
}

// Whether a row has no model and its texts are given: `{label: "real data", samples: data.train}`.
bool has_fillers_alone(const Node& row) {
  const auto& entries = row.entries();
  const auto is_filler = [](const Node::Entry& entry) {
    return entry.key == "label" ||
           (entry.value.is_scalar() && entry.value.text().find_first_of(".[") != std::string::npos);
  };
  return entries.size() > (row.find("label") ? 1 : 0) && !component_name(row) &&
         std::all_of(entries.begin(), entries.end(), is_filler);
}

// Checks a section whose entries map an id to a mapping with the key `component`.
void check_entries(const Node& section, const std::string& name, const std::string& component,
                   Errors& errors) {
  if (!section.is_mapping()) {
    errors.add(section.location(), "'" + name + "' must be a mapping of ids");
    return;
  }
  const std::string name_of_list = name == "evaluate" ? "evaluators" : name;
  for (const Node::Entry& entry : section.entries()) {
    std::string path = name + "." + entry.key;
    check_id(entry.key, entry.key_location, errors);
    if (!entry.value.is_mapping()) {
      errors.add(entry.value.location(),
                 shown(path) + " must be a mapping with '" + component + "'");
      continue;
    }
    const Node* label = name == "models" ? entry.value.find("label") : nullptr;
    if (label && !label->is_scalar()) {
      const auto& source = label->location().source;
      errors.add(label->location(), shown(path + ".label") + " must be a text",
                 source && source->is_override ? as_text_hint(source->text) : "");
    }
    if (name == "models" && has_fillers_alone(entry.value)) continue;
    const Node* chosen =
        name == "models" ? component_name(entry.value) : entry.value.find(component);
    if (!chosen || !chosen->is_scalar() || chosen->text().empty()) {
      // Also reported by the options of most entries, at the same location: Errors keeps one.
      errors.add(chosen ? chosen->location() : entry.value.location(),
                 "missing key " + shown(path + "." + component),
                 "it names the " + component + " (`lvtext list " + name_of_list + "`)" +
                     (name == "models" ? "; a row without one needs given texts, such as "
                                         "samples: data.train"
                                       : ""));
    }
    if (name != "models") continue;
    for (const std::string key : {"train", "generation", "inputs"}) {
      const Node* block = entry.value.find(key);
      if (block && !block->is_mapping()) {
        errors.add(block->location(), shown(path + "." + key) + " must be a mapping of keys");
      }
    }
    const Node* train = entry.value.find("train");
    check_seeds(train ? *train : Node(), path + ".train", errors);
  }
}

/// Checks that each artifact has a component, given by one of the keys of its operation.
void check_artifacts(const Node& artifacts, Errors& errors) {
  if (!artifacts.is_mapping()) {
    errors.add(artifacts.location(), "'artifacts' must be a mapping of ids");
    return;
  }
  for (const Node::Entry& entry : artifacts.entries()) {
    const std::string path = "artifacts." + entry.key;
    check_id(entry.key, entry.key_location, errors);
    if (!entry.value.is_mapping()) {
      errors.add(entry.value.location(), shown(path) + " must be a mapping of keys");
      continue;
    }
    bool is_named = false;
    for (const char* key : {"fit", "model", "infer", "import", "run"}) {
      const Node* name = entry.value.find(key);
      is_named = is_named || (name && name->is_scalar() && !name->text().empty());
    }
    if (is_named) continue;
    errors.add(entry.key_location, shown(path) + " has no component",
               "specify one of fit, model, infer, import and run");
  }
}

/// Checks that no row is in not_run, too.
void check_not_run(const Recipe& recipe, Errors& errors) {
  const Node* not_run = recipe.tree.find("not_run");
  if (!not_run) return;
  const std::vector<std::string> rows = recipe.rows();
  for (const Node::Entry& entry : not_run->entries()) {
    check_id(entry.key, entry.key_location, errors);
    // Entries of other kinds that a profile removed have no label; rows are a namespace of their
    // own.
    const bool is_row = entry.value.find("label") != nullptr;
    if (!is_row || std::find(rows.begin(), rows.end(), entry.key) == rows.end()) continue;
    const bool in_rows = !recipe.options.rows.entries().empty();
    errors.add(entry.key_location,
               "the row " + shown(entry.key) + " is defined in " + (in_rows ? "rows" : "models") +
                   " and in not_run",
               "remove it from one of the two");
  }
}

/// Checks the ids of tables, figures and sheets, which name files of the report: they share one
/// namespace.
void check_file_ids(const Recipe& recipe, Errors& errors) {
  constexpr const char* kFiles[] = {"checks", "checkpoints", "recipe", "report", "ratings"};
  std::map<std::string, std::string> sections;
  const RecipeOptions& options = recipe.options;
  for (const auto& [section, entries] : {std::pair{"tables", &options.tables},
                                         {"figures", &options.figures},
                                         {"sheets", &options.sheets}}) {
    for (const Node::Entry& entry : entries->entries()) {
      if (section == std::string("tables")) check_id(entry.key, entry.key_location, errors);
      if (std::find(std::begin(kFiles), std::end(kFiles), entry.key) != std::end(kFiles)) {
        errors.add(entry.key_location, "the id " + shown(entry.key) + " is reserved",
                   "the report has a file of this name");
      }
      const auto [known, is_new] = sections.emplace(entry.key, section);
      if (is_new) continue;
      errors.add(
          entry.key_location,
          "the id " + shown(entry.key) + " is used in " + known->second + " and in " + section,
          "both name files of the report; rename one of them");
    }
  }
}

/// Checks the ids of selects, which share a namespace with rows, and of metrics, which are columns.
void check_row_and_column_ids(const Recipe& recipe, Errors& errors) {
  constexpr const char* kColumns[] = {"row", "label", "reason", "chosen"};
  const auto rows = recipe.rows();
  for (const Node::Entry& select : recipe.options.select.entries()) {
    check_id(select.key, select.key_location, errors);
    if (std::find(rows.begin(), rows.end(), select.key) == rows.end()) continue;
    errors.add(select.key_location,
               "the id " + shown(select.key) + " is used in rows and in select",
               "references would be ambiguous; rename one of them");
  }
  for (const Node::Entry& metric : recipe.options.evaluate.entries()) {
    if (std::find(std::begin(kColumns), std::end(kColumns), metric.key) == std::end(kColumns)) {
      continue;
    }
    errors.add(metric.key_location, "the id " + shown(metric.key) + " is reserved",
               "tables have a column of this name");
  }
}

void check_figures(const Recipe& recipe, Errors& errors) {
  for (const Node::Entry& figure : recipe.options.figures.entries()) {
    const Node* rows = figure.value.find("rows");
    if (!rows) continue;
    const std::vector<Node> one = {*rows};  // a scalar is a list of one row
    for (const Node& row : rows->is_sequence() ? rows->items() : one) {
      if (row.is_scalar()) recipe.check_row(row.text(), row.location(), "the figure's row", errors);
    }
  }
}

void check_recipe(const Recipe& recipe, Errors& errors) {
  auto expect_mapping = [&](const Node& node, const std::string& name) {
    if (!node.is_mapping()) errors.add(node.location(), "'" + name + "' must be a mapping of keys");
  };
  expect_mapping(recipe.options.data, "data");
  expect_mapping(recipe.options.train, "train");
  expect_mapping(recipe.options.model_defaults, "model_defaults");
  check_seeds(recipe.options.train, "train", errors);
  check_entries(recipe.options.models, "models", "model", errors);
  check_artifacts(recipe.options.artifacts, errors);
  for (const auto& [name, section] :
       {std::pair{"rows", &recipe.options.rows}, {"generation", &recipe.options.generation}}) {
    expect_mapping(*section, name);
    for (const Node::Entry& entry : section->entries()) {
      check_id(entry.key, entry.key_location, errors);
      expect_mapping(entry.value, std::string(name) + "." + entry.key);
    }
  }
  check_entries(recipe.options.evaluate, "evaluate", "evaluator", errors);
  check_entries(recipe.options.figures, "figures", "figure", errors);
  check_entries(recipe.options.sheets, "sheets", "kind", errors);
  check_recipe_name(recipe.tree, errors);
  check_not_run(recipe, errors);
  check_file_ids(recipe, errors);
  check_row_and_column_ids(recipe, errors);
  check_figures(recipe, errors);
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

EntryNames Recipe::row_names() const {
  EntryNames names;
  for (const auto& id : rows()) names.add(id);
  for (const auto& [id, reason] : removed_rows()) names.add_removed(id, reason);
  return names;
}

void Recipe::check_row(const std::string& id, const SourceLocation& location,
                       const std::string& what, Errors& errors) const {
  const auto reference = parse_reference(id);
  const EntryNames rows = row_names();
  if (reference && reference->part.empty() && reference->at.empty()) {
    const Named named = rows.match(*reference);
    if (named.problem.empty()) return;
    if (!reference->values.empty()) {
      errors.add(location, what + ": " + named.problem, named.hint);
      return;
    }
  }
  std::vector<std::string> known = rows.ids();
  for (const auto& each : options.not_run) known.push_back(each.first);
  std::optional<std::string> near = nearest(id.substr(0, 100), known);
  errors.add(location, what + " " + shown(id) + " is not a row of this recipe",
             near ? "did you mean '" + *near + "'?" : "rows are defined in models and in not_run");
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
  return seeds ? count_of(*seeds).value_or(1) : 1;
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
