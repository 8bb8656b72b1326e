#include "trainers/run_length.h"

#include <algorithm>
#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/tensor/torch.h"
#include "trainers/layout.h"

namespace lvtext {
namespace {

/// Number of batches that one step draws from the leading stream, per the plan of the first step.
int64_t draws_per_step(const Trainable& model, const std::vector<Phase>& phases, int64_t seed) {
  const std::string& leading = leading_stream(phases);
  int64_t count = 0;
  for (const auto& name :
       model.plan(TrainerState{}, NoiseKey{static_cast<uint64_t>(seed), 0, 0, 0})) {
    for (const auto& phase : phases) {
      if (phase.name != name) continue;
      for (const auto& draw : phase.draws) {
        count += draw.stream == leading && draw.what == Draw::kNext ? 1 : 0;
      }
    }
  }
  return std::max<int64_t>(count, 1);
}

/// Number of target tokens in one pass over a stream.
double tokens_of(const DataLoader& stream) {
  int64_t tokens = 0;
  for (int64_t index = 0; index < stream.batches(0); ++index) {
    tokens += target_tokens(stream.batch(0, index));
  }
  return static_cast<double>(tokens);
}

}  // namespace

bool depends_on_end(const TrainOptions& options) {
  if (options.schedule_length) return true;
  for (const auto& [name, optimizer] : options.optimizers) {
    if (optimizer.schedule->needs_end()) return true;
  }
  return false;
}

RunLength run_length(const Trainable& model, const TrainOptions& options,
                     const DataLoaders& streams) {
  const auto phases = model.phases();
  const DataLoader& leading = *streams.at(leading_stream(phases));
  RunLength length;
  length.updates_per_epoch = static_cast<double>(leading.batches(0)) /
                             static_cast<double>(draws_per_step(model, phases, options.seed));
  for (const auto& period : options.stop.any) {
    double updates = period.amount;
    if (period.unit == Period::Unit::kSeconds) {
      if (depends_on_end(options)) {
        throw ConfigError(
            "train.stop: " + period.text() +
            " does not determine the number of updates, which schedule_length, warmup_ratio and "
            "the schedules linear and cosine require; stop after updates, epochs or tokens "
            "instead");
      }
      continue;
    }
    if (period.unit == Period::Unit::kEpochs) updates *= length.updates_per_epoch;
    if (period.unit == Period::Unit::kTokens) {
      updates *= length.updates_per_epoch / tokens_of(leading);
    }
    const auto whole = static_cast<int64_t>(std::ceil(updates));
    length.planned = std::min(length.planned.value_or(whole), whole);
  }
  return length;
}

}  // namespace lvtext
