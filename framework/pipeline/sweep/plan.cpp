#include "framework/pipeline/sweep/plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/base/lock.h"
#include "framework/core/base/strings.h"
#include "framework/core/statistics/statistics.h"
#include "framework/pipeline/recipe/reference.h"
#include "framework/pipeline/runs/run_scan.h"
#include "framework/pipeline/store/node_tokenizer.h"
#include "framework/pipeline/store/score_file.h"
#include "trainers/checkpointer.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// True if a node reads the records of all splits of a data set as an input of its own, not as the
/// records of a split that it reads.
bool reads_all_splits(const Graph& graph, const GraphNode& node) {
  if (node.kind != NodeKind::kScore && node.kind != NodeKind::kProduce) return false;
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const auto& input) {
    return graph.at(input.second).kind == NodeKind::kSource && !input.first.ends_with(kRecordsOf);
  });
}

/// True if a score is computed from a split `test` that the training does not read.
bool reads_test(const Graph& graph, const std::string& score, const std::string& trained) {
  std::set<std::string> of_training;
  for (const GraphNode* node : graph.needed_for({trained})) of_training.insert(node->name);
  const auto nodes = graph.needed_for({score});
  return std::any_of(nodes.begin(), nodes.end(), [&](const GraphNode* node) {
    if (of_training.contains(node->name)) return false;
    const bool has_split = node->kind == NodeKind::kPack && node->options.contains("split");
    return (has_split && node->options.at("split") == "test") ||
           (node->rows && node->rows->split == "test") || reads_all_splits(graph, *node);
  });
}

/// The metric of the objective, with the score that it names. Throws ConfigError.
ExperimentMetric objective_metric(const Sweep& sweep, const CheckedRecipe& recipe,
                                  const Experiment& experiment) {
  const std::string& text = sweep.objective.metric;
  const auto named = parse_reference(text);
  const std::string id = named && named->at.empty() ? named->entry() : text;
  const ExperimentMetric* metric = find_entry(experiment.metrics, id);
  if (!metric) {
    std::vector<std::string> known;
    for (const auto& each : experiment.metrics) known.push_back(each.id);
    throw ConfigError("objective: '" + id + "' is not a metric of the recipe; " +
                      suggestion(id, known));
  }
  ExperimentMetric found = *metric;
  if (!named || named->part.empty()) return found;
  const auto known = find_entry(recipe.metrics, id)->evaluator.component->score_ids();
  if (!contains(known, named->part)) {
    throw ConfigError("objective: " + missing_score_reason(found.evaluator, named->part) + "; " +
                      suggestion(named->part, known));
  }
  found.score = named->part;
  return found;
}

/// Sets the scoring node of a run.
void set_score(const ExperimentMetric& metric, const ExperimentRow& row, TrialRun& run) {
  const ExperimentCell cell = row.cell(metric.id, "");
  const auto found = cell.scores.size() == 1 && !cell.scores.begin()->first
                         ? cell.scores.begin()
                         : cell.scores.find(run.seed);
  if (found == cell.scores.end()) {
    throw ConfigError("objective: row '" + row.id + "' has no score of '" + metric.id + "'" +
                      (cell.reason.empty() ? "" : ": " + cell.reason));
  }
  run.score = found->second;
  run.score_id = metric.score;
  run.line = cell.line;
}

bool is_finished(const GraphStatus& status, const std::string& node) {
  return status.at(node).state == NodeState::kFinished;
}

bool has_failed(const GraphStatus& status, const std::string& node) {
  const NodeState state = status.at(node).state;
  return state == NodeState::kFailed || state == NodeState::kBlocked ||
         state == NodeState::kSkipped;
}

/// The newest checkpoint of a training is that of this step, validated if that is due, or of a
/// later one.
bool has_reached(const GraphStatus& status, const std::string& training, int64_t step) {
  if (is_finished(status, training)) return true;
  const auto steps = completed_steps(status.at(training).folder / "checkpoints");
  return steps && *steps >= step;
}

/// Mean of the runs' validation objectives at a rung; none if one is missing.
std::optional<double> rung_value(const std::vector<const TrialRun*>& runs,
                                 const GraphStatus& status, int64_t step) {
  std::vector<double> values;
  for (const TrialRun* run : runs) {
    if (has_failed(status, run->trained)) return std::nullopt;
    const auto value = last_objective(status.at(run->trained).folder, step);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return mean(values);
}

/// The objective of a run, or why there is none.
std::optional<double> run_value(const TrialRun& run, const GraphStatus& status,
                                std::string& reason) {
  const NodeStatus& last = status.at(run.last());
  if (last.state != NodeState::kFinished) {
    reason = failure_of(status, has_failed(status, run.trained) ? run.trained : run.last());
    return std::nullopt;
  }
  std::optional<double> value;
  if (run.score.empty()) {
    value = read_run(last.folder).objective;
    if (!value) reason = "the training has no validation";
  } else {
    const auto scores = read_scores(last.folder);
    const Score* score = find_score(scores, run.score_id, run.line);
    if (score) value = score->value;
    if (!score) reason = missing_score_reason("the metric", run.score_id);
  }
  if (!value || std::isfinite(*value)) return value;
  reason = "the objective is not finite";
  return std::nullopt;
}

}  // namespace

std::vector<const TrialRun*> SweepPlan::runs_of(size_t trial) const {
  std::vector<const TrialRun*> found;
  for (const TrialRun& run : runs) {
    if (run.trial == trial) found.push_back(&run);
  }
  return found;
}

SweepPlan plan_sweep(const SweepFolder& folder, const Registries& registries,
                     const DataLocations& locations, const ReadRecipe& read) {
  SweepPlan plan{folder.sweep, folder.trials, {"", ""}, {}, {}};
  const Sweep& sweep = plan.sweep;
  bool is_first = true;
  for (size_t trial = 0; trial < plan.trials.size(); ++trial) {
    try {
      const CheckedRecipe recipe = read(overrides_of(plan.trials[trial].setting));
      if (std::exchange(is_first, false)) {
        plan.profile = recipe.recipe.profile.empty() ? "default" : recipe.recipe.profile;
        plan.graph = Graph(recipe.recipe.options.recipe, plan.profile);
      }
      Experiment experiment = build_experiment(
          recipe, registries, {.rows = sweep.rows, .seeds = sweep.seeds, .locations = locations},
          std::move(plan.graph));
      ExperimentMetric metric;
      if (!sweep.objective.validation) metric = objective_metric(sweep, recipe, experiment);
      for (const ExperimentRow& row : experiment.rows) {
        if (!row.is_trained()) continue;
        for (const auto& [seed, node] : row.trained) {
          TrialRun run{trial, row.id, seed, node, "", ""};
          if (!sweep.objective.validation) {
            set_score(metric, row, run);
            run.reads_test = reads_test(experiment.graph, run.score, run.trained);
          }
          plan.runs.push_back(std::move(run));
        }
      }
      plan.graph = std::move(experiment.graph);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      const Exit code = error.code() == Exit::kUsage ? Exit::kBadConfig : error.code();
      throw Error(code, described_trial(trial, plan.trials[trial]) + ": " + error.what());
    }
  }
  if (plan.runs.empty() && !plan.trials.empty()) {
    throw ConfigError("the sweep trains no row of '" + sweep.recipe + "'");
  }
  const bool has_test = std::any_of(plan.runs.begin(), plan.runs.end(),
                                    [](const TrialRun& run) { return run.reads_test; });
  if (has_test && !sweep.objective.allow_test) {
    throw ConfigError("objective: '" + sweep.objective.metric +
                      "' reads the split `test`, which would then be used to choose settings; use "
                      "`validation: true` or a metric on another split, or set allow_test: true");
  }
  return plan;
}

GraphStatus sweep_status(const Graph& graph, const RunsFolder& runs, bool retry) {
  GraphStatus status = graph_status(graph, runs);
  std::error_code failed;
  for (auto& [name, entry] : status) {
    if (retry || entry.state != NodeState::kBegun) continue;
    const fs::path file = entry.folder / kFailureFile;
    if (!fs::exists(file, failed) || is_owned(entry.folder)) continue;
    const auto failure = parse_json(read_file(file));
    entry.state = NodeState::kFailed;
    entry.reason = failure.is_object() ? failure.value("reason", "") : "";
  }
  // What depends on a failed node cannot be computed either.
  for (const GraphNode& node : graph.nodes()) {
    NodeStatus& entry = status.at(node.name);
    if (entry.state != NodeState::kMissing && entry.state != NodeState::kBegun) continue;
    for (const auto& [input, name] : node.inputs) {
      if (!has_failed(status, name)) continue;
      entry.state = NodeState::kBlocked;
      entry.reason = failure_of(status, name);
    }
  }
  return status;
}

SweepStage stage_of(const SweepPlan& plan, const GraphStatus& status) {
  SweepStage stage;
  for (size_t trial = 0; trial < plan.trials.size(); ++trial) stage.trials.push_back(trial);
  for (const int64_t rung : plan.sweep.search.rungs) {
    std::vector<std::optional<double>> values;
    for (const size_t trial : stage.trials) {
      const auto runs = plan.runs_of(trial);
      const bool is_known = std::all_of(runs.begin(), runs.end(), [&](const TrialRun* run) {
        return has_failed(status, run->trained) || has_reached(status, run->trained, rung);
      });
      if (!is_known) {
        stage.pause_at = rung;
        return stage;
      }
      values.push_back(rung_value(runs, status, rung));
    }
    const auto kept = survivors(values, plan.sweep.search.keep);
    std::vector<size_t> next;
    for (size_t i = 0; i < stage.trials.size(); ++i) {
      stage.rungs[rung][stage.trials[i]] = values[i];
      const bool is_kept = std::binary_search(kept.begin(), kept.end(), i);
      if (is_kept) next.push_back(stage.trials[i]);
      if (!is_kept) stage.ended[stage.trials[i]] = {rung, values[i]};
    }
    stage.trials = std::move(next);
  }
  return stage;
}

void check_first_rung(const SweepPlan& plan, const SweepStage& stage, const GraphStatus& status) {
  if (stage.rungs.empty()) return;
  const auto& [rung, values] = *stage.rungs.begin();
  bool has_reached_it = false;
  for (const auto& [trial, value] : values) {
    if (value) return;
    for (const TrialRun* run : plan.runs_of(trial)) {
      has_reached_it = has_reached_it || !has_failed(status, run->trained);
    }
  }
  if (!has_reached_it) return;
  throw ConfigError("search: no trial has a finite validation objective up to rung " +
                    std::to_string(rung) +
                    ": the recipe's train.validate_every must be shorter than the first rung; "
                    "give the sweep another name and other rungs, or a profile that validates "
                    "more often");
}

std::vector<const TrialRun*> missing_runs(const SweepPlan& plan, const SweepStage& stage,
                                          const GraphStatus& status) {
  std::vector<const TrialRun*> missing;
  for (const size_t trial : stage.trials) {
    for (const TrialRun* run : plan.runs_of(trial)) {
      if (has_failed(status, run->trained) || has_failed(status, run->last())) continue;
      const bool is_done = stage.pause_at ? has_reached(status, run->trained, *stage.pause_at)
                                          : is_finished(status, run->last());
      if (!is_done) missing.push_back(run);
    }
  }
  return missing;
}

std::set<std::string> pausing_trainings(const SweepPlan& plan,
                                        const std::vector<const TrialRun*>& runs) {
  std::set<std::string> pausing, needed;
  for (const TrialRun* run : runs) {
    if (!pausing.insert(run->trained).second) continue;
    for (const GraphNode* node : plan.graph.needed_for({run->trained})) {
      if (node->name != run->trained) needed.insert(node->name);
    }
  }
  std::erase_if(pausing, [&](const std::string& node) { return needed.contains(node); });
  return pausing;
}

std::vector<std::string> targets_of(const SweepPlan& plan, const SweepStage& stage,
                                    const std::vector<const TrialRun*>& runs) {
  std::set<std::string> pausing;
  if (stage.pause_at) pausing = pausing_trainings(plan, runs);
  std::vector<std::string> targets;
  for (const TrialRun* run : runs) {
    if (!stage.pause_at || pausing.contains(run->trained)) {
      targets.push_back(stage.pause_at ? run->trained : run->last());
    }
  }
  return targets;
}

std::vector<RowSeed> rows_of(const std::vector<const TrialRun*>& runs) {
  std::vector<RowSeed> rows;
  for (const TrialRun* run : runs) {
    rows.push_back({std::to_string(run->trial + 1) + "/" + run->row, run->seed, run->trained, {}});
  }
  return rows;
}

TrialResult result_of(const SweepPlan& plan, size_t trial, const GraphStatus& status) {
  TrialResult result;
  std::map<int64_t, std::vector<double>> by_seed;
  std::set<int64_t> incomplete;
  std::set<std::string> reasons;
  bool has_begun = false, is_complete = true;
  for (const TrialRun* run : plan.runs_of(trial)) {
    std::string reason;
    const auto value = run_value(*run, status, reason);
    has_begun = has_begun || status.at(run->trained).state != NodeState::kMissing;
    if (value) {
      by_seed[run->seed].push_back(*value);
      continue;
    }
    incomplete.insert(run->seed);
    reasons.insert(reason);
    is_complete = false;
    if (has_failed(status, run->trained) || has_failed(status, run->last()) ||
        is_finished(status, run->last())) {
      result.state = NodeState::kFailed;
    }
  }
  for (const auto& [seed, values] : by_seed) {
    if (!incomplete.contains(seed)) result.by_seed[seed] = mean(values);
  }
  if (is_complete) {
    result.state = NodeState::kFinished;
  } else if (result.state != NodeState::kFailed && has_begun) {
    result.state = NodeState::kBegun;
  }
  result.reason = join({reasons.begin(), reasons.end()}, "; ");
  std::vector<double> values;
  for (const auto& [seed, value] : result.by_seed) values.push_back(value);
  if (values.empty()) return result;
  result.mean = mean(values);
  if (const auto interval = t_interval(values)) {
    result.lo = interval->lo;
    result.hi = interval->hi;
  }
  return result;
}

std::vector<size_t> ranked(const SweepPlan& plan, const std::vector<TrialResult>& results) {
  std::vector<size_t> order;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].mean) order.push_back(i);
  }
  const bool is_min = plan.sweep.objective.is_min();
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return is_min ? *results[a].mean < *results[b].mean : *results[a].mean > *results[b].mean;
  });
  return order;
}

}  // namespace lvtext
