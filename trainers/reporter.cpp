#include "trainers/reporter.h"

#include <algorithm>

#include "framework/core/base/clock.h"
#include "framework/core/base/log.h"
#include "framework/core/base/memory.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

void Reporter::restart(const TrainerState& state) {
  process_ = last_log_ = {state.step, state.tokens, state.seconds};
}

void Reporter::log_training(const TrainerState& state, const TrainerMetrics& metrics,
                            const TrainingMeans& period, int64_t skipped) {
  nlohmann::ordered_json line = {
      {"step", state.step}, {"epoch", state.epoch}, {"tokens", state.tokens}};
  for (const auto& [name, value] : period) {
    line["train"][name] = number_to_json(value);
    host_.scalar("train/" + name, state.step, value);
  }
  // Before the first validation, every model would trigger the collapse warnings.
  const bool is_young = state.evaluations.empty();
  for (const auto& warning : is_young ? std::vector<Warning>() : model_.warnings(period)) {
    line["warnings"].push_back({{"id", warning.id}, {"text", warning.text}});
    // Logged each time, but printed only once.
    if (!warned_.insert(warning.id).second) continue;
    log_warning("step " + std::to_string(state.step) + ": " + warning.text);
  }
  for (const auto& [name, value] : metrics.lr) {
    line["lr"][name] = value;
    host_.scalar("lr/" + name, state.step, value);
  }
  if (skipped > 0) line["skipped"] = skipped;
  host_.log(line);

  const double passed = std::max(state.seconds - last_log_.seconds, 1e-9);
  host_.timing(
      {{"step", state.step},
       {"time", utc_time(current_time())},
       {"seconds", state.seconds},
       {"steps_per_second", static_cast<double>(state.step - last_log_.step) / passed},
       {"tokens_per_second", static_cast<double>(state.tokens - last_log_.tokens) / passed},
       {"peak_memory_bytes", peak_memory()}});
  last_log_ = {state.step, state.tokens, state.seconds};
}

void Reporter::log_validation(const TrainerState& state, const Evaluation& evaluation,
                              bool is_best) {
  nlohmann::ordered_json line = {{"step", evaluation.step}, {"epoch", state.epoch}};
  auto& validation = line["validation"];
  validation["objective"] = number_to_json(evaluation.objective);
  validation["best"] = is_best;
  host_.scalar("validation/objective", evaluation.step, evaluation.objective);
  for (const auto& [name, value] : evaluation.terms) {
    validation["terms"][name] = number_to_json(value);
    host_.scalar("validation/" + name, evaluation.step, value);
  }
  host_.log(line);
}

void Reporter::show_progress(const TrainerState& state, TrainerMetrics& metrics) {
  const auto now = Clock::now();
  const bool at_end = metrics.planned && state.step >= *metrics.planned;
  if (!at_end && now - shown_ < std::chrono::milliseconds(100)) return;
  shown_ = now;
  metrics.memory_bytes = peak_memory();
  const double passed = state.seconds - process_.seconds;
  const auto steps = static_cast<double>(state.step - process_.step);
  if (passed > 0 && steps > 0) {
    metrics.tokens_per_second = static_cast<double>(state.tokens - process_.tokens) / passed;
    if (metrics.planned) {
      metrics.seconds_left = static_cast<double>(*metrics.planned - state.step) * passed / steps;
    }
  }
  host_.progress(state, metrics);
}

}  // namespace lvtext
