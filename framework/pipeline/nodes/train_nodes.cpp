#include "framework/pipeline/nodes/train_nodes.h"

#include <ATen/Parallel.h>

#include <cstdio>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/log.h"
#include "framework/core/base/memory.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/model/trainable.h"
#include "framework/core/options/json.h"
#include "framework/core/tensor/device.h"
#include "framework/core/tensor/shapes_only.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/field_mistake.h"
#include "framework/pipeline/nodes/train_estimates.h"
#include "framework/pipeline/nodes/training_data.h"
#include "framework/pipeline/store/kept_weights.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/longer_run.h"
#include "framework/pipeline/store/model_weights.h"
#include "framework/pipeline/store/unfinished_run.h"
#include "trainers/run_length.h"
#include "trainers/trainer.h"
#include "trainers/weights.h"

namespace lvtext {
namespace {

/// Returns the training options that affect the result, without those for saving and keeping state.
nlohmann::json outcome_options(const TrainOptions& train) {
  nlohmann::json options = canonical_json(to_node(train));
  options.erase("save_every");
  options.erase("keep");
  options["device"] = device_class(train.device);
  if (options["device"] == "cpu") options["deterministic"] = false;  // an option of CUDA
  return options;
}

/// Name of the input with the initial parameters of a training.
constexpr const char* kInitialInput = "initial";

/// Throws Error (71) if the parameters of the model and their gradients alone exceed the available
/// memory, because the operating system would kill the process without a message.
void check_memory(const Configured& model, const ModelInputs& inputs) {
  const ShapesOnly shapes;
  uint64_t bytes = 0;
  for (const auto& [name, tensor] : model_tensors(*model.model(inputs))) {
    bytes += tensor.nbytes();
  }
  const uint64_t there = available_memory();
  if (2 * bytes <= there) return;
  throw Error(Exit::kOutOfResources,
              "out of memory: the parameters of '" + model.component->about.name + "' require " +
                  format_bytes(bytes) + ", twice that with gradients, but only " +
                  format_bytes(there) + " are available; reduce the layer sizes or the vocabulary");
}

/// Returns the options that the speed of a training depends on.
nlohmann::json cost_options(const Training& training) {
  const nlohmann::json train = outcome_options(training.train);
  return {{"model", canonical_json(training.model.options)},
          {"batch", train.at("batch")},
          {"precision", train.at("precision")},
          {"device", train.at("device")}};
}

/// Returns the unit of a loss term's mean, for reports.
std::string unit_of(Denominator denominator, bool reads_text) {
  switch (denominator) {
    case Denominator::kExamples: return reads_text ? "per sentence" : "per example";
    case Denominator::kTokens:
    case Denominator::kTargets:
    case Denominator::kTransitions: return "per token";
    case Denominator::kElements: return "per element";
    case Denominator::kOnce: break;
  }
  return "per batch";
}

/// Returns metadata of a training that reports show without building the model: the number of
/// updates that its schedules are scaled to (null if its length is specified in wall-clock time),
/// and the unit of each loss term.
nlohmann::ordered_json layout_metadata(const Trainable& model, const TrainOptions& options,
                                       const DataLoaders& streams) {
  nlohmann::ordered_json metadata = {{"planned_updates", nullptr},
                                     {"terms", nlohmann::ordered_json::object()}};
  if (const auto planned = run_length(model, options, streams).planned) {
    metadata["planned_updates"] = *planned;
  }
  bool reads_text = false;
  for (const StreamDecl& stream : model.streams()) {
    for (const FieldDecl& field : stream.fields) {
      reads_text = reads_text || field.kind == ColumnKind::kText;
    }
  }
  for (const Phase& phase : model.phases()) {
    for (const LossTerm& term : phase.terms) {
      metadata["terms"][phase.name + "/" + term.name] = unit_of(term.denominator, reads_text);
    }
  }
  return metadata;
}

/// The period of the kept checkpoints; empty: none are kept.
std::string kept_period(const TrainOptions& options) {
  return options.keep.checkpoints ? options.keep.checkpoints->text() : "";
}

/// Trains, or resumes a training.
TrainResult train(NodeRun& run, const Registries& registries, const Training& training) {
  const TrainOptions& options = training.train;
  const StreamData data = read_data(run.inputs, "train", training.train_data);
  const StreamData valid = read_data(run.inputs, "valid", training.valid_data);
  const ModelInputs inputs =
      inputs_of(data, options.seed,
                read_given_models(run.inputs, run.parts, training.model_inputs(), registries));
  check_memory(training.model, inputs);
  const std::shared_ptr<Trainable> model = training.model.model(inputs);
  check_fields(*model, training.model.component->about.name, data);
  if (training.initial) {
    const LocatedInput at = locate_input(run.inputs, run.parts, kInitialInput);
    run.metadata["initialized"] = load_initial(*model, at.folder, training.mapping, at.step);
  }
  const DataLoaders streams = training_streams(*model, data, options);
  if (!run.same_stem.empty()) {
    const auto planned = run_length(*model, options, streams).planned;
    const auto shorter =
        planned ? take_over_shorter_run(run.folder, run.same_stem, *planned, kept_period(options))
                : std::nullopt;
    if (shorter) log_info("resuming from the end of " + shorter->filename().string());
  }
  FolderHost host(run.folder, Retention{options.keep.last, options.keep.every, {}}, training.config,
                  [&run](const TrainerState& state, const TrainerMetrics& metrics) {
                    run.progress(progress_text(state, metrics));
                  });
  Trainer trainer(model, options, streams, validation_streams(*model, valid, options), host);
  run.metadata.update(layout_metadata(*model, options, streams));
  return trainer.train(run.pause_at);
}

/// Restores the number of threads, on which the rounding of sums depends: a resumed training sets
/// that of its checkpoint.
class ThreadCount {
 public:
  ThreadCount() = default;
  ~ThreadCount() { at::set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_ = at::get_num_threads();
};

/// Throws MissingError: the weights of past steps cannot be kept any more.
[[noreturn]] void refuse_kept(const NodeRun& run, const KeepOptions& keep) {
  const std::string folder = run.folder.path().string();
  throw MissingError("'" + folder + "' does not keep the weights of every " +
                     keep.checkpoints->text() +
                     ", which must be requested before a training begins; remove it with `lvtext "
                     "runs rm " +
                     folder +
                     " --yes --force` to train it again, or use it as it is without "
                     "train.keep.checkpoints");
}

/// Trains, or lists the kept checkpoints of a finished training.
void run_training(NodeRun& run, const Registries& registries, const Training& training) {
  const TrainOptions& options = training.train;
  if (read_run_manifest(run.folder.path())) {
    reopen_finished(run);
    if (list_kept_again(run, options.keep)) return;
    const std::filesystem::path& folder = run.folder.path();
    check_kept(folder, run.metadata.at("selected_step"));
    const std::string period = options.keep.checkpoints->text();
    if (run.metadata.value(kCheckpointsKey, nlohmann::ordered_json::object()).contains(period)) {
      for (const int64_t step : kept_steps(folder, period)) check_kept(folder, step);
    }
    refuse_kept(run, options.keep);
  }
  const std::string period = kept_period(options);
  if (!period.empty() && !keeps_from_start(run.folder.checkpoints(), period)) {
    refuse_kept(run, options.keep);
  }
  const ThreadCount own;
  int64_t without_tokens = 0;
  const StreamData data = read_data(run.inputs, "train", training.train_data, &without_tokens);
  const int64_t too_long = left_out(data, options);
  if (too_long > 0) {
    log_info(training.name + ": excluded from training: " + format_count(too_long, "sentence") +
             " of more than " + format_count(*options.max_length, "token"));
  }
  if (without_tokens > 0) {
    log_info(training.name + ": excluded from training: " +
             format_count(without_tokens, "sentence") + " without a token");
  }
  const nlohmann::ordered_json description = {
      {"model", training.model.component->about.name},
      {"options", canonical_json(training.model.options)},
      {"streams", to_json(inputs_of(data, options.seed).streams)},
      {"seed", options.seed}};
  write_model_file(run.folder.path(), description);
  const TrainResult result = train(run, registries, training);
  run.outputs = weight_files(result.selected_step);
  run.outputs.emplace_back(kLogFile);
  run.metadata.update(description);
  run.metadata.update({{"steps", result.steps},
                       {"stopped_by", result.stopped_by},
                       {"selected_step", result.selected_step},
                       {"threads", at::get_num_threads()}});
  if (result.skipped > 0) run.metadata["skipped_steps"] = result.skipped;
  if (result.undefined_validations > 0) {
    run.metadata["undefined_validations"] = result.undefined_validations;
  }
  run.metadata["sentences"] = data.at("train").front().size() - too_long;
  if (too_long > 0) run.metadata["too_long"] = too_long;
  if (without_tokens > 0) run.metadata["without_tokens"] = without_tokens;
  if (result.best_step) {
    run.metadata["best_step"] = *result.best_step;
    run.metadata["best_objective"] = result.best_objective;
  }
  if (!period.empty()) list_kept(run, options.keep, result.kept_checkpoints.value());
}

}  // namespace

std::string progress_text(const TrainerState& state, const TrainerMetrics& metrics) {
  std::string text;
  if (metrics.seconds_left) text += "ETA " + format_seconds(*metrics.seconds_left) + " | ";
  text += "step " + format_count(state.step);
  if (metrics.planned) text += "/" + format_count(*metrics.planned);
  char number[64];
  for (const auto& [name, value] : metrics.terms) {
    std::snprintf(number, sizeof number, " %.3f", value);
    text += " | " + name + number;
  }
  for (const auto& [name, value] : metrics.lr) text += " | lr " + format_number(value);
  for (const auto& [name, value] : metrics.gradient_norm) {
    std::snprintf(number, sizeof number, " | gnorm %.2f", value);
    text += number;
  }
  text += " | " + format_count(static_cast<int64_t>(metrics.tokens_per_second)) + " tok/s";
  text += " | " + format_bytes(metrics.memory_bytes);
  return text;
}

std::string add_training(Graph& graph, const Registries& registries, Training training) {
  plan_joins(graph, training.train_data);
  plan_joins(graph, training.valid_data);
  GraphNode node = component_node(training.model, NodeKind::kTrain, training.name);
  node.seed = training.train.seed;
  node.options = {{"model", node.options}, {"train", outcome_options(training.train)}};
  add_inputs(node, "train", training.train_data);
  add_inputs(node, "valid", training.valid_data);
  const bool one_dataset = node.inputs.size() == 2;  // one for training, one for validation
  if (training.initial) add_input(graph, node, kInitialInput, *training.initial);
  if (!training.mapping.rename.empty()) node.options["init"]["rename"] = training.mapping.rename;
  if (training.mapping.extend_rows) node.options["init"]["rows"] = "extend";
  for (const auto& [input, filling] : training.models) {
    add_input(graph, node, given_input(input), filling);
    add_tokenizers(graph, node, given_input(input), filling);
  }
  LVT_ASSERT(node.checkpoints.empty(), "a training cannot read all checkpoints of another");
  if (!depends_on_end(training.train)) {
    node.stem_options = node.options;
    node.stem_options.at("train").erase("stop");
  }
  node.cost = cost_options(training);
  node.units = [options = training.train](const NodeInputs& inputs) -> std::optional<double> {
    const auto data = inputs.find("train");
    if (data == inputs.end()) return std::nullopt;
    return planned_tokens(data->second, options, 0);
  };
  if (training.sentences > 0) {
    node.units_before = [options = training.train,
                         sentences = training.sentences](const NodeInputs& packs) {
      return planned_tokens(packs.at("train"), options, sentences);
    };
  }
  node.size = [training](const NodeInputs& inputs) {
    return parameter_count(training, inputs.at("train"));
  };
  node.planned_updates = [&registries, training, parts = node.parts](const NodeInputs& inputs) {
    return planned_updates(training, registries, inputs, parts);
  };
  if (!training.own_data && one_dataset && training.models.empty()) {
    node.measure = [training](const NodeInputs& packs) { return measure_steps(training, packs); };
  }
  if (const KeepOptions& keep = training.train.keep; keep.checkpoints) {
    node.checkpoints = keep.checkpoints->text();
    node.has_parts = [keep](const nlohmann::ordered_json& manifest) {
      return has_kept(manifest, keep);
    };
  }
  node.run = [&registries, training](NodeRun& run) { run_training(run, registries, training); };
  return graph.add(std::move(node));
}

std::string device_of(const GraphNode& model) {
  const auto train = model.options.find("train");
  return train == model.options.end() ? "cpu" : train->at("device").get<std::string>();
}

}  // namespace lvtext
