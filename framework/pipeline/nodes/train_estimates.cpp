#include "framework/pipeline/nodes/train_estimates.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "framework/core/base/error.h"
#include "framework/core/base/memory.h"
#include "framework/core/tensor/shapes_only.h"
#include "framework/pipeline/nodes/training_data.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "trainers/run_length.h"
#include "trainers/trainer.h"
#include "trainers/weights.h"

namespace lvtext {

std::optional<double> planned_tokens(const std::filesystem::path& folder, const TrainOptions& train,
                                     int64_t sentences) {
  const Dataset rows = read_dataset(folder);
  const auto texts = std::count_if(
      rows.columns().begin(), rows.columns().end(),
      [](const DatasetColumn& column) { return column.decl().kind == ColumnKind::kText; });
  // Including one EOS per sentence.
  const auto whole =
      static_cast<double>(rows.total_tokens() + rows.size() * std::max<int64_t>(texts, 1));
  double epoch = whole;
  if (sentences > 0) epoch *= static_cast<double>(sentences) / static_cast<double>(rows.size());
  std::optional<double> planned;
  for (const auto& period : train.stop.any) {
    double tokens = period.amount;
    if (period.unit == Period::Unit::kSeconds) continue;
    if (period.unit == Period::Unit::kEpochs) tokens *= epoch;
    if (period.unit == Period::Unit::kUpdates) {
      BatchPlan plan(rows.lengths(), batch_options(train, Order::kBucketed, train.seed));
      tokens *= whole / static_cast<double>(plan.batch_count(0));
    }
    planned = std::min(planned.value_or(tokens), tokens);
  }
  return planned;
}

std::optional<double> parameter_count(const Training& training,
                                      const std::filesystem::path& folder) {
  if (!training.models.empty()) return std::nullopt;
  try {
    const StreamData data = {{"train", {read_dataset(folder)}}};
    const ShapesOnly shapes;
    double count = 0;
    const auto model = training.model.model(inputs_of(data, training.train.seed));
    for (const auto& [name, tensor] : model_tensors(*model)) {
      count += static_cast<double>(tensor.numel());
    }
    return count;
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

Measure measure_steps(const Training& training, const NodeInputs& inputs) {
  constexpr int kSteps = 5;
  const StreamData data = read_data(inputs, "train", training.train_data);
  const std::shared_ptr<Trainable> model =
      training.model.model(inputs_of(data, training.train.seed));
  TrainOptions options = training.train;
  options.stop = StopRule{{Period::updates(kSteps + 1)}};
  options.schedule_length.reset();
  reset_peak_memory();
  MemoryHost host;
  Trainer trainer(model, options, training_streams(*model, data, options), {}, host);
  trainer.resume();
  trainer.step();  // warm-up: the first step allocates memory
  std::vector<Measure> steps(kSteps);
  for (auto& step : steps) {
    const int64_t before = trainer.state().tokens;
    const auto begin = std::chrono::steady_clock::now();
    trainer.step();
    step.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    step.units = static_cast<double>(trainer.state().tokens - before);
  }
  // Use the median, which ignores single steps delayed by other processes.
  std::nth_element(
      steps.begin(), steps.begin() + kSteps / 2, steps.end(),
      [](const Measure& a, const Measure& b) { return a.seconds * b.units < b.seconds * a.units; });
  Measure typical = steps[kSteps / 2];
  double weights = 0;
  for (const auto& [name, tensor] : model_tensors(*model))
    weights += static_cast<double>(tensor.nbytes());
  typical.memory = static_cast<double>(peak_memory());
  typical.disk = 8 * weights;  // two checkpoints with two moments each, best and last weights
  return typical;
}

std::optional<int64_t> planned_updates(const Training& training, const Registries& registries,
                                       const NodeInputs& inputs,
                                       const std::map<std::string, std::string>& parts) {
  const StreamData data = read_data(inputs, "train", training.train_data);
  auto models = read_given_models(inputs, parts, training.model_inputs(), registries);
  const ShapesOnly shapes;
  const auto model = training.model.model(inputs_of(data, training.train.seed, std::move(models)));
  return run_length(*model, training.train, training_streams(*model, data, training.train)).planned;
}

}  // namespace lvtext
