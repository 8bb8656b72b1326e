// What a profile changes against the paper's sizes, found by comparing two graphs.
#pragma once

#include <vector>

#include "framework/pipeline/experiment/experiment.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// Rows with another number of seeds, and one entry per option that decides an outcome and differs
/// between nodes of the same name: the value of `paper` and of `here`, and the nodes that it
/// concerns. Computed, so no cut of a profile or an override can be forgotten in the report.
std::vector<Substitution> profile_cuts(const Experiment& here, const Experiment& paper);

}  // namespace lvtext
