// Metrics of a recipe, and selects, which choose rows or checkpoints by a metric.
#pragma once

#include <vector>

#include "framework/pipeline/experiment/checked_inputs.h"

namespace lvtext {

/// Reads `evaluate`. `rows`: the recipe's rows.
std::vector<CheckedMetric> read_metrics(const CheckContext& context, const References& references,
                                        InputReader& inputs, const std::vector<CheckedRow>& rows);

/// Reads `select`.
std::vector<CheckedSelect> read_selects(const CheckContext& context, const References& references,
                                        const std::vector<CheckedRow>& rows,
                                        const std::vector<CheckedMetric>& metrics);

}  // namespace lvtext
