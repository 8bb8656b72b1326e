// Selects of a recipe, which choose rows or checkpoints by a metric.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"
#include "framework/pipeline/nodes/selection.h"

namespace lvtext {

struct CheckContext;
struct CheckedMetric;
struct CheckedRow;
class Names;

/// A choice among rows, or among the kept checkpoints of each row.
struct CheckedSelect {
  struct Candidate {
    std::string key, row;  ///< key: the text matched by `*`, else the row's id
  };
  std::string id;
  SelectionRule rule;
  std::vector<Candidate> among;
  std::string metric, score;       ///< score of the evaluator; empty: the metric's default
  bool among_checkpoints = false;  ///< if true, `among` is empty
};

/// Reads `select`.
std::vector<CheckedSelect> read_selects(const CheckContext& context, const Names& names,
                                        const std::vector<CheckedRow>& rows,
                                        const std::vector<CheckedMetric>& metrics);

/// Checks `choose` of a table, figure or sheet, or of a block of columns: empty, or a select among
/// kept checkpoints. `written` has the key.
void check_choose(const std::string& select, const Node& written, const std::string& path,
                  const std::vector<CheckedSelect>& selects, Errors& errors);

}  // namespace lvtext
