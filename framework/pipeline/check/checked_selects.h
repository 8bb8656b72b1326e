// Selects of a recipe, which choose rows or checkpoints by a metric.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/check/checked_inputs.h"

namespace lvtext {

/// Reads `select`.
std::vector<CheckedSelect> read_selects(const CheckContext& context, const Names& names,
                                        const std::vector<CheckedRow>& rows,
                                        const std::vector<CheckedMetric>& metrics);

/// Checks `choose` of a table, figure or sheet, or of a block of columns: empty, or a select among
/// kept checkpoints. `written` has the key.
void check_choose(const std::string& select, const Node& written, const std::string& path,
                  const std::vector<CheckedSelect>& selects, Errors& errors);

}  // namespace lvtext
