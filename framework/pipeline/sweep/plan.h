// The trials of a sweep as one graph, their results, and what is to be computed next.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/slurm/tasks.h"
#include "framework/pipeline/sweep/trials.h"

namespace lvtext {

/// A row of a trial at a seed.
struct TrialRun {
  size_t trial = 0;  ///< index
  std::string row;
  int64_t seed = 0;
  std::string trained;   ///< node of the training
  std::string score;     ///< node of the metric; empty: the objective is the validation's
  std::string score_id;  ///< score of the evaluator
  std::optional<int64_t> line = {};  ///< index of the row, for nodes with one score per row
  bool reads_test = false;           ///< the score is computed from a split `test`

  const std::string& last() const { return score.empty() ? trained : score; }
};

/// All trials in one graph, in which equal nodes are shared.
struct SweepPlan {
  Sweep sweep;
  std::vector<Trial> trials;
  Graph graph{"", ""};
  std::string profile;         ///< that of the recipe
  std::vector<TrialRun> runs;  ///< in the order of the trials

  std::vector<const TrialRun*> runs_of(size_t trial) const;
};

/// Reads the recipe with overrides; throws what Session::recipe() throws.
using ReadRecipe = std::function<CheckedRecipe(const std::vector<std::string>& overrides)>;

/// Builds the graph. `registries` must outlive it. Throws ConfigError for settings that the recipe
/// does not take, naming the trial, for an unknown metric, and for one that reads a split `test`
/// without `allow_test`.
SweepPlan plan_sweep(const SweepFolder& folder, const Registries& registries,
                     const DataLocations& locations, const ReadRecipe& read);

/// The states of all nodes. Nodes whose last attempt failed are failed, unless `retry`.
GraphStatus sweep_status(const Graph& graph, const RunsFolder& runs, bool retry);

/// What is computed next: all trials without halving; with it, the trials that are left, up to a
/// rung.
struct SweepStage {
  std::vector<size_t> trials;       ///< indices
  std::optional<int64_t> pause_at;  ///< the rung; none: to the end
  /// Of trials that a rung did not continue: its step and their value there.
  std::map<size_t, std::pair<int64_t, std::optional<double>>> ended;
  /// The values of its trials at each rung that is decided.
  std::map<int64_t, std::map<size_t, std::optional<double>>> rungs;
};

/// A function of the results on disk, so that a sweep that was killed decides as it would have.
SweepStage stage_of(const SweepPlan& plan, const GraphStatus& status);
/// Throws ConfigError if trials have reached the first rung, but none of them has a value there: a
/// choice among them would be arbitrary.
void check_first_rung(const SweepPlan& plan, const SweepStage& stage, const GraphStatus& status);
/// The runs of a stage that are not finished (or paused at its rung) and have not failed.
std::vector<const TrialRun*> missing_runs(const SweepPlan& plan, const SweepStage& stage,
                                          const GraphStatus& status);
/// The trainings of these runs that pause at a rung: those that no other one of them needs. A
/// training that another one starts from or takes as an input runs to its end.
std::set<std::string> pausing_trainings(const SweepPlan& plan,
                                        const std::vector<const TrialRun*>& runs);
/// The nodes that these runs need, for run_graph().
std::vector<std::string> targets_of(const SweepPlan& plan, const SweepStage& stage,
                                    const std::vector<const TrialRun*>& runs);
/// These runs as rows of Slurm tasks; the row of trial 3 is "3/ROW".
std::vector<RowSeed> rows_of(const std::vector<const TrialRun*>& runs);

/// The objective of a trial: the mean over rows at each seed.
struct TrialResult {
  std::map<int64_t, double> by_seed;
  std::optional<double> mean, lo, hi;  ///< 95 % interval of the mean over seeds
  NodeState state = NodeState::kMissing;
  std::string reason;  ///< reason of a failure, or why seeds are missing
};
TrialResult result_of(const SweepPlan& plan, size_t trial, const GraphStatus& status);
/// Indices of trials with a mean, best first; equal ones in order.
std::vector<size_t> ranked(const SweepPlan& plan, const std::vector<TrialResult>& results);

}  // namespace lvtext
