// Differences between a profile and the paper's sizes, found by comparing two graphs.
#pragma once

#include <vector>

#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// Rows with another number of seeds, and one entry per option that is part of an identity and
/// differs between nodes of the same name: its values in `ours` and `paper`, and the nodes. Because
/// the differences are computed, the report lists all reductions of a profile or override.
std::vector<Substitution> profile_cuts(const Experiment& ours, const Experiment& paper);

}  // namespace lvtext
