#include "trainers/learning_rate.h"

#include <algorithm>
#include <cmath>

namespace lvtext {

double Position::in(Period::Unit unit) const {
  switch (unit) {
    case Period::Unit::kUpdates: return updates;
    case Period::Unit::kEpochs: return epochs;
    case Period::Unit::kTokens: return tokens;
    case Period::Unit::kSeconds: return seconds;
  }
  return 0;
}

bool reached(const Period& period, const Position& position) {
  return position.in(period.unit) >= period.amount;
}

bool crossed(const Period& period, const Position& before, const Position& after) {
  return std::floor(after.in(period.unit) / period.amount) >
         std::floor(before.in(period.unit) / period.amount);
}

double LrState::left() const {
  return end > warmup ? std::clamp((end - at) / (end - warmup), 0.0, 1.0) : 0.0;
}

namespace {

/// The input of a schedule, in updates on the scale of schedule_length.
LrState state_of(const OptimizerOptions& options, const Progress& progress,
                 const RunLength& length) {
  const LrSchedule& schedule = *options.schedule;
  LrState state{.lr = options.rate(),
                .at = progress.scheduled(progress.step),
                .updates_per_epoch = length.updates_per_epoch,
                .evaluations = progress.evaluations};
  const double planned = length.planned ? progress.scheduled(*length.planned) : 0;
  if (schedule.warmup) state.warmup = state.updates(*schedule.warmup);
  if (schedule.warmup_ratio) state.warmup = *schedule.warmup_ratio * planned;
  state.end = length.planned ? planned : state.warmup;
  return state;
}

}  // namespace

double learning_rate(const OptimizerOptions& options, const Progress& progress,
                     const RunLength& length) {
  const LrState state = state_of(options, progress, length);
  if (state.at >= state.warmup) return options.schedule->rate(state);
  const double one = progress.schedule_rate;
  return state.lr * (state.at + one) / (state.warmup + one);
}

bool is_warming_up(const OptimizerOptions& options, const Progress& progress,
                   const RunLength& length) {
  const LrState state = state_of(options, progress, length);
  return state.at < state.warmup;
}

const Evaluation* best_evaluation(const std::vector<Evaluation>& evaluations) {
  const Evaluation* best = nullptr;
  for (const auto& each : evaluations) {
    if (!std::isnan(each.objective) && (!best || each.objective < best->objective)) best = &each;
  }
  return best;
}

int64_t validations_without_gain(const std::vector<Evaluation>& evaluations) {
  const Evaluation* best = best_evaluation(evaluations);
  const auto count = static_cast<int64_t>(evaluations.size());
  return best ? count - 1 - (best - evaluations.data()) : count;
}

}  // namespace lvtext
