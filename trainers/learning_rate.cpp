#include "trainers/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

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

double learning_rate(const OptimOptions& options, const Progress& progress,
                     const RunLength& length) {
  const LrScheduleOptions& schedule = options.schedule;
  const double rate = options.rate();
  // Everything is measured in the units that schedules are written in.
  const double at = progress.scheduled(progress.step);
  double warmup = 0;
  if (schedule.warmup) {
    warmup = schedule.warmup->amount;
    if (schedule.warmup->unit == Period::Unit::kEpochs) warmup *= length.updates_per_epoch;
  }
  if (at < warmup) return rate * (at + progress.schedule_rate) / (warmup + progress.schedule_rate);
  const double end = length.planned ? progress.scheduled(*length.planned) : warmup;
  const double left = end > warmup ? std::clamp((end - at) / (end - warmup), 0.0, 1.0) : 0.0;
  switch (schedule.type) {
    case LrType::kConstant: return rate;
    case LrType::kLinear: return rate * left;
    case LrType::kCosine: return rate * 0.5 * (1 + std::cos(std::numbers::pi * (1 - left)));
    case LrType::kInverseSqrt: {
      const double start = std::max(warmup, 1.0);
      return rate * std::sqrt(start / std::max(at, start));
    }
    case LrType::kHalveOnStall:
      return rate * std::pow(schedule.factor,
                             static_cast<double>(stalls(progress.evaluations, schedule.stall)));
  }
  return rate;
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

int64_t stalls(const std::vector<Evaluation>& evaluations, int64_t patience) {
  double best = std::numeric_limits<double>::infinity();
  int64_t waited = 0;
  int64_t result = 0;
  for (const auto& each : evaluations) {
    if (each.objective < best) {
      best = each.objective;
      waited = 0;
    } else if (++waited == patience) {
      ++result;
      waited = 0;
    }
  }
  return result;
}

}  // namespace lvtext
