// From finished nodes to a report.
#pragma once

#include <string>

#include "framework/pipeline/experiment/experiment.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// Reads every finished score of the experiment and judges the checks. A finished node of which a
/// file that is read is damaged becomes a failed one in `status`, and the report shows it as that.
/// `paper` is the same recipe at its paper profile, nullptr where there is none or it is the one
/// that runs: what differs is listed. `version` is shown at the report's end.
ReportData collect_results(const Experiment& experiment, const Experiment* paper,
                           GraphStatus& status, const Registries& registries,
                           const std::string& version);

}  // namespace lvtext
