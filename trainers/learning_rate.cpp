#include "trainers/learning_rate.h"

#include <algorithm>
#include <cmath>

namespace lvtext {

double LrState::left() const {
  return end > warmup ? std::clamp((end - at) / (end - warmup), 0.0, 1.0) : 0.0;
}

namespace {

/// The input of a schedule, in updates on the scale of schedule_length.
LrState input_of(const OptimizerOptions& options, const TrainerState& state,
                 const RunLength& length) {
  const LrSchedule& schedule = *options.schedule;
  LrState input{.lr = options.rate(),
                .at = state.scheduled(state.step),
                .updates_per_epoch = length.updates_per_epoch,
                .evaluations = state.evaluations};
  const double planned = length.planned ? state.scheduled(*length.planned) : 0;
  if (schedule.warmup) input.warmup = input.updates(*schedule.warmup);
  if (schedule.warmup_ratio) input.warmup = *schedule.warmup_ratio * planned;
  input.end = length.planned ? planned : input.warmup;
  return input;
}

}  // namespace

double learning_rate(const OptimizerOptions& options, const TrainerState& state,
                     const RunLength& length) {
  const LrState input = input_of(options, state, length);
  if (input.at >= input.warmup) return options.schedule->rate(input);
  const double one = state.schedule_rate;
  return input.lr * (input.at + one) / (input.warmup + one);
}

bool is_warming_up(const OptimizerOptions& options, const TrainerState& state,
                   const RunLength& length) {
  const LrState input = input_of(options, state, length);
  return input.at < input.warmup;
}

const Evaluation* best_evaluation(const std::vector<Evaluation>& evaluations) {
  const Evaluation* best = nullptr;
  for (const auto& each : evaluations) {
    if (std::isfinite(each.objective) && (!best || each.objective < best->objective)) best = &each;
  }
  return best;
}

int64_t validations_without_gain(const std::vector<Evaluation>& evaluations) {
  const Evaluation* best = best_evaluation(evaluations);
  const auto count = static_cast<int64_t>(evaluations.size());
  return best ? count - 1 - (best - evaluations.data()) : count;
}

}  // namespace lvtext
