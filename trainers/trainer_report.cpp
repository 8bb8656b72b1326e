#include <chrono>
#include <ctime>

#include "framework/core/base/log.h"
#include "framework/core/base/memory.h"
#include "framework/core/tensor/torch.h"
#include "trainers/trainer_impl.h"

namespace lvtext {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

void Trainer::Impl::log_training() {
  nlohmann::ordered_json line = {
      {"step", progress.step}, {"epoch", progress.epoch}, {"tokens", progress.tokens}};
  const TrainingMeans period = means.take();
  for (const auto& [name, value] : period) {
    line["train"][name] = number_to_json(value);
    host.scalar("train/" + name, progress.step, value);
  }
  // Before the first validation, every model would trigger the collapse warnings.
  const bool is_young = progress.evaluations.empty();
  for (const auto& warning : is_young ? std::vector<Warning>() : model->warnings(period)) {
    line["warnings"].push_back({{"id", warning.id}, {"text", warning.text}});
    // Logged each time, but printed only once.
    if (!warned.insert(warning.id).second) continue;
    log_warning("step " + std::to_string(progress.step) + ": " + warning.text);
  }
  for (const auto& [name, value] : runner->report().lr) {
    line["lr"][name] = value;
    host.scalar("lr/" + name, progress.step, value);
  }
  if (skips.total() > 0) line["skipped"] = skips.total();
  host.log(line);

  const Mark now = {progress.step, progress.tokens, seconds()};
  const double passed = std::max(now.seconds - logged.seconds, 1e-9);
  host.timing({{"step", progress.step},
               {"time", utc_now()},
               {"seconds", now.seconds},
               {"steps_per_second", static_cast<double>(now.step - logged.step) / passed},
               {"tokens_per_second", static_cast<double>(now.tokens - logged.tokens) / passed},
               {"peak_memory_bytes", peak_memory()}});
  logged = now;
}

void Trainer::Impl::log_validation(const Evaluation& evaluation, bool best) {
  nlohmann::ordered_json line = {{"step", evaluation.step}, {"epoch", progress.epoch}};
  auto& validation_line = line["validation"];
  validation_line["objective"] = number_to_json(evaluation.objective);
  validation_line["best"] = best;
  host.scalar("validation/objective", evaluation.step, evaluation.objective);
  for (const auto& [name, value] : evaluation.terms) {
    validation_line["terms"][name] = number_to_json(value);
    host.scalar("validation/" + name, evaluation.step, value);
  }
  host.log(line);
}

void Trainer::Impl::report_progress() {
  // The callback updates a display; limit it to ten calls per second.
  const auto now = Clock::now();
  const bool at_end = length.planned && progress.step >= *length.planned;
  if (!at_end && now - reported < std::chrono::milliseconds(100)) return;
  reported = now;
  TrainProgress report;
  report.step = progress.step;
  report.planned = length.planned;
  report.epoch = progress.epoch;
  report.terms = runner->report().terms;
  report.lr = runner->report().lr;
  report.gradient_norm = runner->report().gradient_norm;
  if (!progress.evaluations.empty()) report.objective = progress.evaluations.back().objective;
  report.seconds = seconds();
  report.memory_bytes = peak_memory();
  const double here = report.seconds - begun.seconds;
  const auto steps = static_cast<double>(progress.step - begun.step);
  if (here > 0 && steps > 0) {
    report.tokens_per_second = static_cast<double>(progress.tokens - begun.tokens) / here;
    if (length.planned) {
      report.seconds_left = static_cast<double>(*length.planned - progress.step) * here / steps;
    }
  }
  host.progress(report);
}

}  // namespace lvtext
