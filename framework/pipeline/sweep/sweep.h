// The format of a sweep file: a recipe, a space of overrides, how to search it, an objective.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

enum class SearchType { kGrid, kRandom, kHalving };
const std::vector<EnumName<SearchType>>& enum_names(SearchType);
enum class ObjectiveMode { kMin, kMax };
const std::vector<EnumName<ObjectiveMode>>& enum_names(ObjectiveMode);

struct SearchOptions {
  SearchType type = SearchType::kGrid;
  int64_t trials = 0, seed = 1;
  std::vector<int64_t> rungs;
  double keep = 0.5;

  template <class V>
  void visit(V& v) {
    v.field("type", type, "how trials are chosen");
    v.field("trials", trials,
            "random, halving: number of trials; 0: only those of `lvtext sweep add`",
            in_range(0, 10'000));
    v.field("seed", seed, "random, halving: seed of the settings", at_least(0));
    v.field("rungs", rungs, "halving: updates after which only the best trials are continued",
            at_least(1), unit("updates"));
    v.field("keep", keep, "halving: fraction of the trials that each rung continues, at least one",
            above(0), below(1));
    const bool is_halving = type == SearchType::kHalving;
    v.check(is_halving == !rungs.empty(), is_halving ? "halving needs `rungs`, such as [500, 1000]"
                                                     : "`rungs` is only for halving");
    for (size_t i = 1; i < rungs.size(); ++i) {
      v.check(rungs[i - 1] < rungs[i], "rungs must increase: " + std::to_string(rungs[i]) +
                                           " follows " + std::to_string(rungs[i - 1]));
    }
    v.check(!is_halving || trials > 1, "halving needs `trials`, at least 2");
    v.check(type != SearchType::kGrid || trials == 0,
            "`trials` is for random and halving; a grid has all combinations");
  }
};

struct ObjectiveOptions {
  std::string metric;
  bool validation = false;
  std::optional<ObjectiveMode> mode;
  bool allow_test = false;

  template <class V>
  void visit(V& v) {
    v.field("metric", metric, "metric of the recipe, or metric.score");
    v.field("validation", validation, "true: the validation objective of the selected weights");
    v.field("mode", mode, "which values are better; validation: min");
    v.field("allow_test", allow_test,
            "allows a metric that reads a split `test`; the report counts how often it was read");
    v.check(metric.empty() == validation, "set either `metric` or `validation: true`");
    v.check(metric.empty() || mode.has_value(), "`mode` is required for a metric: min or max");
    v.check(!validation || is_min(), "the validation objective has `mode: min`");
  }

  bool is_min() const { return mode.value_or(ObjectiveMode::kMin) == ObjectiveMode::kMin; }
};

/// A path of the recipe and its values. Exactly one of `values` and `range` is set.
struct Dimension {
  std::string path;
  std::vector<Node> values;
  std::vector<Node> range;  ///< two numbers
  bool log = false, integer = false;
  /// Other paths with the values for which this one is set; empty: always.
  std::vector<std::pair<std::string, std::vector<Node>>> when;
  SourceLocation location = {};  ///< location of the path

  double low() const;
  double high() const;
};

struct Sweep {
  std::string sweep, recipe, profile;
  std::vector<std::string> rows;
  std::optional<int64_t> seeds;
  Node space = Node::mapping({});
  SearchOptions search;
  ObjectiveOptions objective;
  std::vector<Dimension> dimensions = {};  ///< the parsed `space`

  template <class V>
  void visit(V& v) {
    v.field("sweep", sweep, "name of the sweep, which is that of its folder", required(),
            not_empty());
    v.field("recipe", recipe, "a file, a folder, or <paper>/<table>", required(), not_empty());
    v.field("profile", profile, "profile of the recipe; unset: its default");
    v.field("rows", rows, "rows to train; unset: all");
    v.field("seeds", seeds, "trainings per row; unset: that of the recipe", in_range(1, 1000));
    v.field("space", space,
            "path of an override: a list of values, or {values or range, log, integer, when}",
            required());
    v.field("search", search, "how the space is searched");
    v.field("objective", objective, "what makes a trial good", required());
  }
};

/// The text of a value in an override; YAML reads it as the same value.
std::string override_text(const Node& value);

/// Parses a sweep file and checks all of it but the paths, which need the recipe. Throws
/// ConfigError with all mistakes, MissingError.
Sweep read_sweep(const std::filesystem::path& file);

}  // namespace lvtext
