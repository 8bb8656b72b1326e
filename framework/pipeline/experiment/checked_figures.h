// What the figures of a recipe name: rows and metrics.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/pipeline/figures/figure_kind.h"

namespace lvtext {

struct CheckedRecipe;

/// Rows that a figure shows together: of one item of `rows`, or of one name of the kind's options.
struct FigureRowIds {
  struct Row {
    std::string id;
    std::string matched;      ///< what `*` matched in the pattern
    std::string reason = {};  ///< why there is no such row here (a profile removed it)
  };
  std::string name;
  std::vector<Row> rows;
};

/// A metric that a figure names.
struct FigureMetric {
  std::string name;  ///< as it is shown: "rep[wt2].wrep"
  std::string metric;
  std::string score;                 ///< empty: the one that the metric shows
  std::vector<std::string> matched;  ///< what each `*` matched
  std::string reason = {};           ///< why it is not computed (a profile removed it)
};

struct FigureReferences {
  std::vector<FigureRowIds> rows;
  std::vector<FigureMetric> metrics;   ///< in the order of FigureNeeds::metrics
  std::vector<FigureMetric> row_free;  ///< the members of FigureNeeds::row_free
};

/// Looks up what the needs of each figure name; every mistake goes to the errors, at its place.
void check_figures(CheckedRecipe& recipe, Errors& errors);

}  // namespace lvtext
