// A recipe: one YAML file per table or figure of a paper, with its profiles and overrides resolved.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/options/figure.h"
#include "framework/options/generation.h"
#include "framework/options/node.h"
#include "framework/options/options.h"

namespace lvtext {

/// The version of the recipe format that this program writes and at most reads.
inline constexpr int64_t kRecipeVersion = 1;

/// The longest id, profile and half of a recipe's name: names of folders are made of several of
/// these, and have 255 bytes at most.
inline constexpr size_t kLongestName = 40;

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

/// What the report's table shows.
struct TableOptions {
  std::vector<std::string> columns;
  std::map<std::string, std::map<std::string, double>> paper;
  template <class V>
  void visit(V& v) {
    v.field("columns", columns, "metric ids, in the order of the table");
    v.field("paper", paper, "the paper's numbers: row id, metric id, value");
  }
};

/// Whether a check means something at every size.
enum class CheckScale { kAny, kAbsolute };
const std::vector<EnumName<CheckScale>>& enum_names(CheckScale);

/// A statement of the paper that the report judges.
struct CheckOptions {
  std::string id, says, expr;
  CheckScale scale = CheckScale::kAny;
  template <class V>
  void visit(V& v) {
    v.field("id", id, "name of the check, lower_snake", required(), not_empty());
    v.field("says", says, "the statement in words", required(), not_empty());
    v.field("expr", expr, "a comparison of row.metric terms", required(), not_empty());
    v.field("scale", scale, "absolute: only means something at the paper's sizes");
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
  std::string what, paper, here, reason;
  template <class V>
  void visit(V& v) {
    v.field("what", what, "what was replaced or cut", required(), not_empty());
    v.field("paper", paper, "the paper's");
    v.field("here", here, "ours", required(), not_empty());
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
  Node data = Node::mapping({});
  Node train = Node::mapping({});
  Node models = Node::mapping({});
  GenerationOptions generation;
  Node evaluate = Node::mapping({});
  TableOptions table;
  Node figures = Node::mapping({});
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
    v.field("paper", paper, "the table or figure that is reproduced");
    v.field("data", data, "the data set and its options");
    v.field("train", train, "training options, the default of every row");
    v.field("models", models, "row id: the model and its options");
    v.field("generation", generation, "how text is generated, the default of every row");
    v.field("evaluate", evaluate, "metric id: the evaluator and its options");
    v.field("table", table, "the report's table");
    v.field("figures", figures, "figure id: a kind of figure, its rows and its options");
    v.field("latent_space", latent_space, "what the report shows of rows with latent codes");
    v.field("checks", checks, "statements of the paper that are judged");
    v.field("ratings", ratings,
            "rating sheet (`lvtext list sheets`): the paper's human evaluation");
    v.field("default_profile", default_profile, "the profile without --profile");
    v.field("plugins", plugins, "shared libraries to load, relative to this file");
    v.field("not_run", not_run, "rows of the paper that are shown but not run");
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
  Node tree;                   // everything resolved, with origins; the profiles unchanged
  bool is_overridden = false;  // the overrides changed something
  /// Metrics that a profile or an override removes with null, and why they have no numbers. Checks
  /// and columns may name them. Removed rows are in `options.not_run`.
  std::map<std::string, std::string> removed_metrics;
  RecipeOptions options;

  /// The row ids in the order of the file.
  std::vector<std::string> rows() const;
  /// The metric ids in the order of the file, then the removed ones.
  std::vector<std::string> known_metrics() const;
  /// A row as it is written. The row must exist.
  const Node& row(const std::string& id) const;
  /// A row's training options: the recipe's `train` with the row's own laid on it.
  Node row_train(const std::string& id) const;
  /// How often a row is trained where the command line does not say; 1 where `seeds` is wrong.
  int64_t row_seeds(const std::string& id) const;
};

/// The most trainings of a row, one for each seed.
inline constexpr int64_t kMostSeeds = 1000;
/// The keys of a row that are the recipe's; the others are its model's.
inline const std::vector<std::string> kRowKeys = {"model", "fit",       "label",       "seeds",
                                                  "train", "data",      "validate_on", "inputs",
                                                  "init",  "generation"};

/// The name of a row's model: its `model`, which is trained, or its `fit`; null: its texts are
/// given.
const Node* component_name(const Node& row);

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
