// Metrics of a recipe.
#pragma once

#include <string>
#include <vector>

#include "framework/core/model/component.h"
#include "framework/pipeline/check/checked_inputs.h"
#include "framework/pipeline/check/names.h"

namespace lvtext {

struct CheckedRow;

struct CheckedMetric {
  std::string id;
  Configured evaluator;
  std::string score;              ///< score of the evaluator that tables show; empty: the first
  std::vector<std::string> rows;  ///< rows that it is computed for; empty: all applicable rows
  std::vector<std::string> across, against;  ///< rows that it combines
  bool across_checkpoints = false;           ///< combines the kept checkpoints of each row
  bool pools_checkpoints = false;            ///< combines rows at each of their kept checkpoints
  std::vector<CheckedInput> inputs;
};

/// True if a metric has scores of single rows: its inputs, of which `rows` may fill some, or the
/// scores that it combines depend on the row, or it has one score for each row of `across`.
bool uses_row(const CheckedMetric& metric, const std::vector<CheckedRow>& rows);

/// Reads `evaluate`.
std::vector<CheckedMetric> read_metrics(const CheckContext& context, const Names& names,
                                        InputParser& inputs);

}  // namespace lvtext
