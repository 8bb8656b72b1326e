// From finished nodes to a report.
#pragma once

#include <string>

#include "framework/graph/executor.h"
#include "framework/graph/experiment.h"
#include "framework/report/report.h"

namespace lvtext {

/// Reads every finished score of the experiment and judges the checks. `version` is shown at the
/// report's end. Throws DataError if a finished node's files are damaged.
ReportData collect_results(const Experiment& experiment, const GraphStatus& status,
                           const std::string& version);

}  // namespace lvtext
