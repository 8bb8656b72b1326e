// `sweep run --executor slurm`: submits the tasks of a stage of a sweep, and runs one in its job.
#pragma once

#include "framework/cli/open_sweep.h"
#include "framework/cli/slurm_executor.h"

namespace lvtext {

/// Submits the runs that are missing and neither queued nor running, of all trials or of a rung;
/// writes the report if none is missing. With `--wait`, follows the jobs of all rungs. `retry`:
/// also runs that failed.
void submit_sweep(const SweepRequest& request, const OpenSweep& opened, const SlurmFile& settings,
                  bool retry, Session& session);
/// Runs the task `--task` in its job. The last one of a submission writes the report and submits
/// the next rung.
void run_sweep_task(const SweepRequest& request, Session& session);

}  // namespace lvtext
