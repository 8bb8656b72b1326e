// Figures of a recipe: their options, inputs, and the rows and metrics that they refer to.
#pragma once

#include <string>
#include <vector>

#include "framework/core/model/component.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/check/checked_inputs.h"
#include "framework/pipeline/check/names.h"
#include "framework/pipeline/figures/figure_kind.h"
#include "framework/pipeline/recipe/figure_options.h"

namespace lvtext {

struct CheckedRecipe;

/// Rows that a figure shows as a group: those of one item of `rows`, or of one name in the options
/// of its kind.
struct FigureRowIds {
  struct Row {
    std::string id;
    std::string matched;      ///< what `*` matched in the pattern
    std::string reason = {};  ///< why the row is missing (removed by a profile)
  };
  std::string name;
  std::vector<Row> rows;
};

/// A metric that a figure refers to.
struct FigureMetric {
  std::string name;  ///< displayed name: "rep[wt2].wrep"
  std::string metric;
  std::string score;                 ///< score of the metric; empty: its default
  std::vector<std::string> matched;  ///< what each `*` matched
  std::string reason = {};           ///< why it is not computed (removed by a profile)
};

struct FigureReferences {
  std::vector<FigureRowIds> rows;
  /// In the order of FigureNeeds::metrics, of patterns all members.
  std::vector<FigureMetric> metrics;
  /// With FigureNeeds::members: for each of its metrics, the numbers that `*` matched.
  std::vector<std::vector<double>> members = {};
  std::vector<FigureMetric> row_free;  ///< the members of FigureNeeds::row_free
};

struct CheckedFigure {
  std::string id;
  FigureOptions options;
  Configured kind;
  std::vector<CheckedInput> inputs;  ///< inputs, filled for each row, or once without rows
  FigureNeeds needs;
  FigureReferences named = {};  ///< rows and metrics of `needs`, set by check_figures()
};

/// Reads the options and inputs of the figures.
std::vector<CheckedFigure> read_figures(const CheckContext& context, const Names& names,
                                        InputParser& inputs);

/// Looks up the rows and metrics that each figure refers to. Adds mistakes to `errors` with their
/// locations.
void check_figures(CheckedRecipe& recipe, const Names& names, Errors& errors);

}  // namespace lvtext
