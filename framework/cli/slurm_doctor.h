// `lvtext doctor --slurm`: what jobs of this cluster do and see.
#pragma once

#include <string>

namespace lvtext {

class Session;

/// Submits an array of two tasks on two nodes, waits for it (a few minutes), and prints whether the
/// warning before the time limit, saving, the requeue of one task alone, `scontrol` on compute
/// nodes, CUDA and locks across nodes work, each with the setting to change. Throws DeviceError
/// without Slurm.
void check_cluster(Session& session);

/// One of the tasks, in its job: "FOLDER/tasks.jsonl:N".
void run_cluster_probe(const std::string& task, Session& session);

}  // namespace lvtext
