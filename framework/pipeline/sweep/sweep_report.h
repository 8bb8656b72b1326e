// The report of a sweep.
#pragma once

#include <string>

#include "framework/core/model/registries.h"
#include "framework/pipeline/report/report.h"
#include "framework/pipeline/sweep/plan.h"

namespace lvtext {

/// The command line that trains a trial.
std::string training_command(const SweepPlan& plan, size_t trial);

/// A table of the trials, best first, with their settings, mean over seeds, interval and n, or the
/// reason why there is none; the figures `parallel_coordinates` and `slices`. The first trial is
/// marked as best only if the 95 % interval of its paired difference to the second one over seeds
/// excludes 0.
ReportData sweep_report(const SweepPlan& plan, const GraphStatus& status,
                        const Registries& registries, const std::string& version);

}  // namespace lvtext
