// Metrics of a recipe.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/check/checked_inputs.h"

namespace lvtext {

/// Reads `evaluate`.
std::vector<CheckedMetric> read_metrics(const CheckContext& context, const Names& names,
                                        InputParser& inputs);

}  // namespace lvtext
