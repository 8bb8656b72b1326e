// Collects the content of a report from finished nodes.
#pragma once

#include <string>

#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// Reads all finished scores of the experiment and evaluates the checks. A finished node with a
/// damaged file is marked as failed in `status` and shown as failed in the report. `paper`: the
/// same recipe at profile `paper`, whose differences are listed; null if there is none or it is the
/// current one. `version` is shown at the end of the report.
ReportData collect_results(const Experiment& experiment, const Experiment* paper,
                           GraphStatus& status, const Registries& registries,
                           const std::string& version);

}  // namespace lvtext
