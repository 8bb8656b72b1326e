// A recipe: one YAML file per table or figure of a paper, with its profiles and overrides resolved.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/options/node.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/recipe/expand.h"
#include "framework/pipeline/recipe/figure.h"
#include "framework/pipeline/recipe/reference.h"
#include "framework/pipeline/recipe/sheet.h"

namespace lvtext {

/// The version of the recipe format that this program writes and at most reads.
inline constexpr int64_t kRecipeVersion = 1;

/// The paper's table or figure that a recipe reproduces.
struct PaperItem {
  std::string title, id, item;
  template <class V>
  void visit(V& v) {
    v.field("title", title, "title of the paper");
    v.field("id", id, "its identifier, such as arXiv:1804.07972");
    v.field("item", item, "the table or figure, such as Table 1");
  }
};

/// Whether a check means something at every size.
enum class CheckScale { kAny, kAbsolute };
const std::vector<EnumName<CheckScale>>& enum_names(CheckScale);

/// A statement of the paper that the report judges.
struct CheckOptions {
  std::string id, claim, expr;
  CheckScale scale = CheckScale::kAny;
  bool guard = false;
  template <class V>
  void visit(V& v) {
    v.field("id", id, "name of the check, lower_snake", required(), not_empty());
    v.field("claim", claim, "the statement in words", required(), not_empty());
    v.field("expr", expr, "a comparison of row.metric terms", required(), not_empty());
    v.field("scale", scale, "absolute: only means something at the paper's sizes");
    v.field("guard", guard,
            "a condition on what judges, such as a classifier's accuracy; shown above the table");
  }
};

/// Runs that are left out of a line, by their scores.
struct DropOptions {
  double mad = 5;
  int64_t most = 2;
  std::string flag;
  template <class V>
  void visit(V& v) {
    v.field("mad", mad, "runs farther than this from the median are dropped", above(0),
            unit("1.4826 median absolute deviations"));
    v.field("most", most, "at most so many runs of a line", at_least(1));
    v.field("flag", flag,
            "a metric that flags runs by a value above 0.5: one that is flagged and has the "
            "largest value is dropped too");
  }
};

/// How runs of several seeds become one number.
struct AggregateOptions {
  std::string by;
  DropOptions drop;
  template <class V>
  void visit(V& v) {
    v.field("by", by, "the metric by which runs are dropped from all columns of a line", required(),
            not_empty());
    v.field("drop", drop, "which runs are dropped; a line `<id>_all` keeps all");
  }
};

/// A table of the report.
struct TableOptions {
  std::string item;
  Node rows, columns;
  std::optional<std::string> choose;
  std::optional<AggregateOptions> aggregate;
  std::map<std::string, std::map<std::string, double>> paper;
  std::vector<CheckOptions> checks;
  bool transpose = false;
  template <class V>
  void visit(V& v) {
    v.field("item", item, "the paper's table, such as Table 7; unset: the recipe's");
    v.field(
        "rows", rows,
        "row ids and patterns, or line id: row; unset: all rows, or one line where no column uses "
        "a row");
    v.field("columns", columns,
            "metric ids, metric.score and patterns, in order, or column id: metric; blocks are "
            "{each: axis, of: ...} and {choose: select, of: ...}");
    v.field("choose", choose,
            "a select among checkpoints: each row is shown at the one that it chose; unset: at the "
            "weights that its training selected");
    v.field("aggregate", aggregate, "which runs count where a row has several seeds");
    v.field("paper", paper, "the paper's numbers: line id, column id, value");
    v.field("checks", checks, "statements of the paper that are judged on this table");
    v.field("transpose", transpose, "lines and columns change places where people read");
  }
};

/// A row of the paper's table that is shown but not run.
struct NotRun {
  std::string label, reason;
  template <class V>
  void visit(V& v) {
    v.field("label", label, "the row's label in the table", required(), not_empty());
    v.field("reason", reason, "why it is not run", required(), not_empty());
  }
};

/// Something in which a recipe differs from the paper; the report names it.
struct SubstitutionOptions {
  std::string what, paper, ours, reason;
  template <class V>
  void visit(V& v) {
    v.field("what", what, "what was replaced or cut", required(), not_empty());
    v.field("paper", paper, "the paper's");
    v.field("ours", ours, "what lvtext does instead", required(), not_empty());
    v.field("reason", reason, "why");
  }
};

/// A table of the paper that people's ratings fill.
struct RatingOptions {
  std::string item;
  std::map<std::string, std::map<std::string, double>> paper;
  template <class V>
  void visit(V& v) {
    v.field("item", item, "the paper's table, such as Table 3");
    v.field("paper", paper, "the paper's numbers: row id, aspect, value");
  }
};

/// The fixed part of a recipe; what belongs to components stays a Node with its places.
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
  std::map<std::string, std::string> removed;
  std::vector<SubstitutionOptions> substitutions;
  std::string base;
  std::map<std::string, Node> profiles;
  template <class V>
  void visit(V& v) {
    v.field("lvtext", lvtext, "version of the recipe format", required(), at_least(1));
    v.field("recipe", recipe, "name of the recipe: paper/table", required(), not_empty());
    v.field("paper", paper, "the table or figure that is reproduced");
    v.field("axes", axes,
            "id: values, or value: fields; an entry with `over` is written once for each value");
    v.field("data", data, "the data set and its options, or several of them by id");
    v.field("train", train,
            "training options, the default of `models`; `seeds` is how often each is trained");
    v.field("model_defaults", model_defaults,
            "options that every entry of `models` having them takes");
    v.field(
        "artifacts", artifacts,
        "id: what several rows and metrics share (fit, model, infer or import) and its options");
    v.field("models", models, "id: the model and its options; without `rows`, a row for each");
    v.field("rows", rows, "row id: label, model, and what stands for its texts");
    v.field("generation", generation,
            "what is generated for a row where something asks for it: samples: {max_length: 30}");
    v.field("evaluate", evaluate, "metric id: the evaluator and its options");
    v.field("select", select,
            "id: a choice by a metric, among rows, where it then stands for the row that it chose, "
            "or among the kept checkpoints of each row");
    v.field("table", table, "the report's table; its checks may stand beside it");
    v.field("tables", tables, "table id: a table; the first one is the report's");
    v.field("figures", figures, "figure id: a kind of figure, its rows and its options");
    v.field("sheets", sheets,
            "sheet id: a kind of rating sheet (`lvtext list sheets`), its rows and what it shows");
    v.field("latent_space", latent_space, "what the report shows of models with a latent variable");
    v.field("checks", checks, "statements of the paper that are judged");
    v.field("ratings", ratings,
            "kind of rating sheet: the paper's human evaluation; the simple form of `sheets`");
    v.field("default_profile", default_profile, "the profile without --profile");
    v.field("plugins", plugins, "shared libraries to load, relative to this file");
    v.field("not_run", not_run, "rows of the paper that are shown but not run");
    v.field(
        "removed", removed,
        "members that are not there, and why; `config --expanded` writes what a profile removed");
    v.field("substitutions", substitutions, "differences from the paper that the report names");
    v.field("base", base, "a recipe that this one is laid on, relative to this file");
    v.field("profiles", profiles, "profile name: changes, in the shape of the recipe");
  }
};

/// A recipe as it will run: base file, profile and overrides merged.
struct Recipe {
  std::string file;     // as the user would write it
  std::string profile;  // "" where none was chosen
  std::vector<std::string> overrides;
  Node written;                // its files merged, without profile and overrides
  Node tree;                   // everything resolved and expanded, with origins; profiles unchanged
  bool is_overridden = false;  // the overrides changed something
  std::vector<ExpandedEntry> loops;            // entries that had `over`
  std::map<std::string, std::string> removed;  // members that are not there: id -> reason
  /// Metrics that a profile or an override removes with null, and why they have no numbers. Checks
  /// and columns may name them. Removed rows are in `options.not_run`.
  std::map<std::string, std::string> removed_metrics;
  RecipeOptions options;

  /// The row ids in the order of the file: of `rows`, else of `models`.
  std::vector<std::string> rows() const;
  /// The same to look references up; what is not run counts as removed.
  EntryNames row_names() const;
  /// The metric ids in the order of the file, then the removed ones.
  std::vector<std::string> known_metrics() const;
  /// A row as it is written. The row must exist.
  const Node& row(const std::string& id) const;
};

/// A tree made from the recipe's as a recipe of its own: plug-ins by absolute paths, of the
/// profiles the chosen one alone, empty, for its name.
Node self_contained(const Recipe& recipe, const Node& tree);

/// The recipe without axes and loops: profile, overrides and base in it, each entry written out.
Node expanded_recipe(const Recipe& recipe);

/// The most trainings of a row, one for each seed.
inline constexpr int64_t kMostSeeds = 1000;
/// The keys of a row that are the recipe's; the others are its model's.
inline const std::vector<std::string> kRowKeys = {
    "model", "fit", "label", "train", "data", "inputs", "init", "generation", "validate_on"};

/// The name of a row's model: its `model`, which is trained, or its `fit`; null: its texts are
/// given.
const Node* component_name(const Node& row);

/// How often an entry of `models` is trained where the command line does not say: `train.seeds` of
/// its own, else of the recipe; 1 where that is wrong.
int64_t seeds_of(const RecipeOptions& recipe, const Node& entry);

/// Whether `data` is one data set, which is then called "data", and not several by their ids.
bool is_one_data_set(const Node& data);

/// A row's options that belong to its model: without kRowKeys.
Node model_options(const Node& row);

/// What the command line asks for.
struct RecipeRequest {
  std::string name;                    // a file, a folder, or <paper>/<table>
  std::string profile;                 // "" for the recipe's default
  std::string fallback_profile;        // without either: used if the recipe has it ("gpu" or "cpu")
  std::vector<std::string> overrides;  // "key.path=value"
  std::filesystem::path installation;  // holds recipes/; may be empty
};

/// The file of a recipe. Throws MissingError with the nearest name.
std::filesystem::path find_recipe(const std::string& name,
                                  const std::filesystem::path& installation);

/// Loads and merges a recipe and checks its shape; mistakes in it go to the errors, so that those
/// of its components can be added. Throws UsageError or MissingError, and ConfigError for a file
/// that is no YAML or an unknown profile.
Recipe load_recipe(const RecipeRequest& request, Errors& errors);
/// The same, throwing ConfigError with all mistakes of shape.
Recipe load_recipe(const RecipeRequest& request);

}  // namespace lvtext
