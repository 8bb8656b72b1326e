// Options and loading of recipes: YAML files that reproduce tables or figures of a paper.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/options/node.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/recipe/expand.h"
#include "framework/pipeline/recipe/figure_options.h"
#include "framework/pipeline/recipe/overrides.h"
#include "framework/pipeline/recipe/reference.h"
#include "framework/pipeline/recipe/sheet_options.h"
#include "framework/pipeline/recipe/table_options.h"

namespace lvtext {

/// The recipe format version that this program writes, and the newest that it reads.
inline constexpr int64_t kRecipeVersion = 1;

/// The table or figure of a paper that a recipe reproduces.
struct PaperItem {
  std::string title, id, item;
  template <class V>
  void visit(V& v) {
    v.field("title", title, "title of the paper");
    v.field("id", id, "identifier of the paper, such as arXiv:1804.07972");
    v.field("item", item, "table or figure, such as Table 1");
  }
};

/// An entry that is not computed: a row of the paper's table, or an entry that a profile removed.
struct NotRun {
  std::string label, reason;
  std::vector<std::string> sections;
  template <class V>
  void visit(V& v) {
    v.field("label", label,
            "label of a row, which is shown in tables; unset: another entry, whose references, "
            "columns and numbers remain valid");
    v.field("reason", reason, "why it is not run", required(), not_empty());
    v.field("sections", sections,
            "sections of the recipe from which the profile removed the entry; unset: a row",
            one_of(entry_sections()));
  }
};

/// A difference between a recipe and the paper, listed in the report.
struct SubstitutionOptions {
  std::string what, paper, ours, reason;
  template <class V>
  void visit(V& v) {
    v.field("what", what, "replaced or reduced part", required(), not_empty());
    v.field("paper", paper, "the paper's choice");
    v.field("ours", ours, "the choice of this recipe", required(), not_empty());
    v.field("reason", reason, "reason for the difference");
  }
};

/// A table of the paper with human ratings.
struct RatingOptions {
  std::string item;
  std::map<std::string, std::map<std::string, double>> paper;
  template <class V>
  void visit(V& v) {
    v.field("item", item, "table of the paper, such as Table 3");
    v.field("paper", paper, "numbers of the paper: row id, column, value");
  }
};

/// Samples of the latent space for every row whose model encodes and decodes.
struct LatentSpaceOptions {
  int64_t interpolations = 2;
  int64_t steps = 7;
  int64_t neighbors_of = 3;
  int64_t neighbors = 5;

  template <class V>
  void visit(V& v) {
    v.field("interpolations", interpolations,
            "number of pairs of test sentences to interpolate between; 0: none", in_range(0, 100));
    v.field("steps", steps, "latent vectors per interpolation, both ends included",
            in_range(2, 100));
    v.field("neighbors_of", neighbors_of,
            "number of test sentences, from the first, whose nearest neighbors are shown; 0: none",
            in_range(0, 100));
    v.field("neighbors", neighbors, "number of nearest test sentences in latent space",
            in_range(1, 100));
  }
};

/// The fixed part of a recipe; options of components remain Nodes with their source locations.
struct RecipeOptions {
  int64_t lvtext = 0;
  std::string recipe;
  std::optional<PaperItem> paper;
  Node axes = Node::mapping({});
  Node data = Node::mapping({});
  Node train = Node::mapping({});
  Node model_defaults = Node::mapping({});
  Node artifacts = Node::mapping({});
  Node models = Node::mapping({});
  Node rows = Node::mapping({});
  Node generation = Node::mapping({});
  Node evaluate = Node::mapping({});
  Node select = Node::mapping({});
  TableOptions table;
  Node tables = Node::mapping({});
  Node figures = Node::mapping({});
  Node sheets = Node::mapping({});
  LatentSpaceOptions latent_space;
  std::vector<CheckOptions> checks;
  std::map<std::string, RatingOptions> ratings;
  std::string default_profile;
  std::vector<std::string> plugins;
  std::map<std::string, NotRun> not_run;
  std::vector<SubstitutionOptions> substitutions;
  std::string base;
  std::map<std::string, Node> profiles;
  template <class V>
  void visit(V& v) {
    v.field("lvtext", lvtext, "version of the recipe format", required(), at_least(1));
    v.field("recipe", recipe, "name of the recipe: paper/table", required(), not_empty());
    v.field("paper", paper, "reproduced table or figure");
    v.field("axes", axes,
            "id: values, or value: fields; an entry with `over` is expanded for each value");
    v.field("data", data, "data set with its options, or several data sets by id");
    v.field("train", train,
            "training options, the default for `models`; `seeds`: number of trainings of each");
    v.field("model_defaults", model_defaults,
            "default options for all entries of `models` that have them");
    v.field(
        "artifacts", artifacts,
        "id: a component (fit, model, infer or import) shared by rows and metrics, with its options");
    v.field("models", models, "id: model with its options; without `rows`, each is a row");
    v.field("rows", rows, "row id: label, model, and given texts");
    v.field("generation", generation,
            "texts generated for a row on demand: samples: {max_length: 30}");
    v.field("evaluate", evaluate, "metric id: evaluator with its options");
    v.field(
        "select", select,
        "id: choice by a metric, among rows, which then means the chosen row, or among the kept "
        "checkpoints of each row");
    v.field("table", table, "table of the report; its checks may be given by the key `checks`");
    v.field("tables", tables, "table id: table; the first one is that of the report");
    v.field("figures", figures, "figure id: kind of figure, rows and options");
    v.field("sheets", sheets,
            "sheet id: kind of rating sheet (`lvtext list sheets`), rows and shown texts");
    v.field("latent_space", latent_space, "samples of the latent space in the report");
    v.field("checks", checks, "statements of the paper to verify");
    v.field("ratings", ratings,
            "kind of rating sheet: human evaluation of the paper; the simple form of `sheets`");
    v.field("default_profile", default_profile, "profile without --profile");
    v.field("plugins", plugins, "shared libraries to load, relative to this file");
    v.field("not_run", not_run,
            "rows of the paper that are shown but not computed, and, as printed by `config`, "
            "entries that the profile removed");
    v.field("substitutions", substitutions, "differences from the paper, listed in the report");
    v.field("base", base, "recipe that this one is merged into, relative to this file");
    v.field("profiles", profiles, "profile name: changes in the form of a recipe");
  }
};

/// A recipe with base file, profile and overrides merged.
struct Recipe {
  std::string file;     // file as written on the command line
  std::string profile;  // selected profile; "": none
  std::vector<std::string> overrides;
  Node written;                      // merged files, without profile and overrides
  Node tree;                         // merged and expanded tree, with origins; profiles unchanged
  bool is_overridden = false;        // the overrides changed something
  std::vector<ExpandedEntry> loops;  // entries with `over`
  /// Entries that do not exist, by section: those removed by a profile or an override, and those of
  /// `not_run`. References, columns, numbers and checks may name them.
  RemovedEntries removed;
  RecipeOptions options;  // `not_run` has rows only

  /// The row ids in file order: those of `rows` if it has entries, otherwise those of `models`.
  std::vector<std::string> rows() const;
  /// The section that has the rows: `rows` if it has entries, otherwise `models`.
  std::string row_section() const;
  /// Removed entries by id with their reasons, in each namespace of ids: rows and selects; metrics;
  /// data sets, artifacts, models, metrics and selects.
  std::map<std::string, std::string> removed_rows() const;
  std::map<std::string, std::string> removed_metrics() const;
  std::map<std::string, std::string> removed_entries() const;
  /// Metric ids in the order of the file, then the removed ones.
  std::vector<std::string> known_metrics() const;
  /// The entry of an existing row. Asserts that the row exists.
  const Node& row(const std::string& id) const;
};

/// Makes a tree derived from the recipe's a self-contained recipe: absolute plug-in paths, removed
/// entries in `not_run`, no base, and only the selected profile, empty, to preserve its name.
Node self_contained(const Recipe& recipe, const Node& tree);

/// The recipe without axes and loops: base, profile and overrides merged, each entry expanded.
Node expanded_recipe(const Recipe& recipe);

/// Maximum number of seeds, and thus of training runs, of a row.
inline constexpr int64_t kMaxSeeds = 1000;
/// The keys of a row that belong to the recipe; all others are options of its model.
inline const std::vector<std::string> kRowKeys = {
    "model", "fit", "label", "train", "data", "inputs", "init", "generation", "validate_on"};

/// The value of a row's `model` (trained) or `fit`; null for a row whose texts are given.
const Node* component_name(const Node& row);

/// The number of training runs of an entry of `models` unless the command line sets it: its own
/// `train.seeds`, otherwise the recipe's; 1 if that is invalid.
int64_t seeds_of(const RecipeOptions& recipe, const Node& entry);

/// Whether `data` is a single data set, whose id is then "data", and not a mapping of several.
bool is_one_data_set(const Node& data);

/// The options of a row's model: the row without kRowKeys.
Node model_options(const Node& row);

/// The recipe, profile and overrides given on the command line.
struct RecipeRequest {
  std::string name;              // a file, a folder, or <paper>/<table>
  std::string profile;           // profile; "": the recipe's default
  std::string fallback_profile;  // profile used without both, "gpu" or "cpu", if the recipe has it
  std::vector<std::string> overrides;  // "key.path=value"
  std::filesystem::path installation;  // contains recipes/; may be empty
  std::vector<PathValue> values = {};  // values applied after the overrides
};

/// Finds the file of a recipe. Throws MissingError with the nearest name.
std::filesystem::path find_recipe(const std::string& name,
                                  const std::filesystem::path& installation);

/// Loads and merges a recipe and checks its structure. Structural errors are added to `errors`, so
/// that the caller can add those of components. Throws UsageError for an unknown --profile,
/// MissingError, and ConfigError for a file that is not a valid recipe in YAML.
Recipe load_recipe(const RecipeRequest& request, Errors& errors);
/// As above, but throws ConfigError with all structural errors.
Recipe load_recipe(const RecipeRequest& request);

}  // namespace lvtext
