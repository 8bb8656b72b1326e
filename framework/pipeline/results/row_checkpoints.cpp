#include "framework/pipeline/results/row_checkpoints.h"

#include "framework/core/datasets/batches.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/input_reader.h"
#include "framework/pipeline/plan/resolver.h"
#include "framework/pipeline/store/finished_data.h"

namespace lvtext {
namespace {

constexpr const char* kNone = "the row keeps no checkpoints";

/// Updates per epoch of a training; 0 if its data do not determine it.
double updates_per_epoch(const FinishedResults& results, const ExperimentRow& row) {
  const CheckedEntry& entry = *row.checked.entry;
  const auto& inputs = results.experiment.graph.at(row.trained.begin()->second).inputs;
  std::vector<std::vector<int64_t>> lengths;  // by side of zipped data
  for (auto side = inputs.find("train"); side != inputs.end();
       side = inputs.find("train[" + std::to_string(lengths.size()) + "]")) {
    const NodeStatus& pack = results.status.at(side->second);
    if (pack.state != NodeState::kFinished) return 0;
    lengths.push_back(read_dataset(pack.folder).lengths());
  }
  if (lengths.empty()) return 0;
  const TrainOptions& train = entry.train;
  BatchPlan plan(std::move(lengths), {.size = train.batch.size,
                                      .max_tokens = train.batch.max_tokens,
                                      .seed = train.seed,
                                      .max_length = train.max_length.value_or(0),
                                      .drop_last = train.batch.drop_last.value_or(false)});
  return static_cast<double>(plan.batch_count(0));
}

/// The score of a metric at a checkpoint, or why there is none.
FigureValue value_at(const FinishedResults& results, const ExperimentRow& row,
                     const FigureMetric& metric, int64_t step) {
  if (!metric.reason.empty()) return {std::nullopt, metric.reason};
  const auto planned = row.at_checkpoints.find(metric.metric);
  if (planned == row.at_checkpoints.end()) {
    return {std::nullopt, metric.name + " does not depend on checkpoints"};
  }
  const std::string& node = planned->second.begin()->second;
  const auto finished = results.scores.at_checkpoints.find(node);
  if (finished == results.scores.at_checkpoints.end()) {
    return {std::nullopt, results.scores.reasons.at(node)};
  }
  std::string reason;
  const Score* score =
      figure_score(results.experiment, metric, finished->second.at(step), std::nullopt, reason);
  return score ? FigureValue{score->value, ""} : FigureValue{std::nullopt, reason};
}

}  // namespace

RowCheckpoints row_checkpoints(const FinishedResults& results, const ExperimentPanel& panel,
                               const CheckedFigure& figure) {
  const ExperimentRow* row = results.experiment.row(panel.row);
  if (!row || !keeps_checkpoints(row->checked)) return {{}, kNone};
  if (!row->reason.empty()) return {{}, row->reason};
  const std::string& training = row->trained.begin()->second;
  const NodeStatus& trained = results.status.at(training);
  if (trained.state != NodeState::kFinished) return {{}, failure_of(results.status, training)};
  for (const auto& node : panel.nodes()) {
    if (results.status.at(node).state != NodeState::kFinished) {
      return {{}, failure_of(results.status, node)};
    }
  }
  RowCheckpoints all;
  const Period& period = *row->checked.entry->train.keep.checkpoints;
  const bool by_epochs = period.unit == Period::Unit::kEpochs;
  const double updates = by_epochs ? 0 : updates_per_epoch(results, *row);
  const auto steps = kept_steps(trained.folder, period.text());
  for (size_t i = 0; i < steps.size(); ++i) {
    FigureCheckpoint checkpoint{.step = steps[i]};
    checkpoint.epoch = by_epochs     ? static_cast<double>(i + 1) * period.amount
                       : updates > 0 ? static_cast<double>(steps[i]) / updates
                                     : std::nan("");
    for (const FigureMetric& metric : figure.named.metrics) {
      checkpoint.values.push_back(value_at(results, *row, metric, steps[i]));
    }
    try {
      checkpoint.inputs = read_filled(results.experiment.graph, results.status, results.registries,
                                      figure.kind.inputs, panel.inputs, {}, steps[i]);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      return {{}, error.what()};
    }
    all.checkpoints.push_back(std::move(checkpoint));
  }
  return all;
}

}  // namespace lvtext
