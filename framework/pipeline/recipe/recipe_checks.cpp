#include "framework/pipeline/recipe/recipe_checks.h"

#include <algorithm>
#include <map>

#include "framework/core/base/characters.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/core/options/numbers.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/recipe/entry_id.h"
#include "framework/pipeline/recipe/overrides.h"

namespace lvtext {
namespace {

/// Ids with a special meaning in references and tables; not allowed as ids of entries.
constexpr const char* kReserved[] = {"row",  "seed",  "step", "checkpoints",
                                     "data", "table", "index"};

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

void check_seeds(const Node& train, const std::string& path, Errors& errors) {
  const Node* seeds = train.find("seeds");
  if (!seeds || seed_count(*seeds)) return;
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

}  // namespace

std::vector<std::string> changeable_keys() {
  std::vector<std::string> keys;
  for (const FieldSchema& field : describe<RecipeOptions>().fields) {
    if (!is_fixed_key(field.key)) keys.push_back(field.key);
  }
  return keys;
}

std::optional<int64_t> seed_count(const Node& node) {
  if (!node.is_scalar() || node.quoted()) return std::nullopt;
  const auto count = parse_int(node.text());
  return count && *count >= 1 && *count <= kMaxSeeds ? count : std::nullopt;
}

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
}

}  // namespace lvtext
