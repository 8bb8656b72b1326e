#include "framework/pipeline/nodes/train_nodes.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/log.h"
#include "framework/core/base/memory.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/data/pack_columns.h"
#include "framework/core/model/dataset_loader.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "framework/core/options/json.h"
#include "framework/core/options/option_error.h"
#include "framework/core/tensor/device.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/shapes_only.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/nodes/joined_rows.h"
#include "framework/pipeline/nodes/kept_weights.h"
#include "framework/pipeline/nodes/loaded_inputs.h"
#include "framework/pipeline/nodes/longer_run.h"
#include "framework/pipeline/nodes/model_weights.h"
#include "framework/pipeline/nodes/unfinished_run.h"
#include "trainers/layout.h"
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
  if (options["device"] == "cpu") options["deterministic"] = false;  // changes nothing on a CPU
  return options;
}

/// Name of the input with the initial parameters of a training.
constexpr const char* kInitialInput = "initial";

/// Data of a training: the joined dataset of each side, by stream.
using StreamData = std::map<std::string, std::vector<Dataset>>;

/// Returns the name of a training's input for a dataset of a side of a stream; `role` is "train" or
/// "valid".
std::string input_name(const std::string& role, const std::string& stream, size_t side,
                       size_t part) {
  std::string name = stream == "train" ? role : role + "." + stream;
  if (side > 0) name += "[" + std::to_string(side) + "]";
  if (part > 0) name += "+" + std::to_string(part);
  return name;
}

void add_inputs(GraphNode& node, const std::string& role, const StreamSources& sources) {
  for (const auto& [stream, source] : sources.streams) {
    for (size_t side = 0; side < source.sides.size(); ++side) {
      for (size_t part = 0; part < source.sides[side].size(); ++part) {
        node.inputs[input_name(role, stream, side, part)] = source.sides[side][part];
      }
    }
  }
}

/// Sets how the parts of each side are joined. Precondition: they can be joined.
void plan_joins(const Graph& graph, StreamSources& sources) {
  for (auto& [stream, source] : sources.streams) {
    source.of_parents.clear();
    for (const auto& parts : source.sides) {
      const JoinedRows joined = joined_rows(graph, {parts.begin(), parts.end()});
      LVT_ASSERT(!joined.unjoinable, "columns of different records in the stream '" + stream + "'");
      source.of_parents.push_back(joined.of_parents);
    }
  }
}

/// Number of records of a dataset whose texts have no token; 0 for generated text, whose empty
/// sentences count.
int64_t records_without_tokens(const std::filesystem::path& folder) {
  const FinishedRun run(folder);
  return run.metadata().is_object() ? run.metadata().value("without_tokens", int64_t{0}) : 0;
}

/// The rows that have a token.
Dataset with_tokens(const Dataset& data) {
  const std::vector<int64_t> lengths = data.lengths();
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < data.size(); ++row) {
    if (lengths[row] > 0) rows.push_back(row);
  }
  return data.select(rows);
}

/// Reads the datasets of `role`. Training examples without a token in any of their joined columns
/// are removed, and added to `removed` if it is not null.
StreamData read_data(const NodeInputs& inputs, const std::string& role,
                     const StreamSources& sources, int64_t* removed = nullptr) {
  StreamData data;
  for (const auto& [stream, source] : sources.streams) {
    for (size_t side = 0; side < source.sides.size(); ++side) {
      std::vector<Dataset> parts;
      int64_t empty = 0;
      for (size_t part = 0; part < source.sides[side].size(); ++part) {
        const auto& folder = inputs.at(input_name(role, stream, side, part));
        parts.push_back(read_dataset(folder));
        empty += records_without_tokens(folder);
      }
      const Dataset joined = Dataset::join(parts, source.of_parents.at(side));
      const bool is_filtered = role == "train" && empty > 0;
      data[stream].push_back(is_filtered ? with_tokens(joined) : joined);
      if (removed) *removed += joined.size() - data[stream].back().size();
    }
  }
  return data;
}

BatchOptions batch_options(const TrainOptions& train, Order order, int64_t seed) {
  const bool is_fixed = order == Order::kBucketed && train.batch.fixed.value_or(false);
  return {.order = is_fixed ? Order::kFixed : order,
          .size = train.batch.size,
          .max_tokens = train.batch.max_tokens,
          .seed = seed,
          .max_length = train.max_length.value_or(0),
          .drop_last = train.batch.drop_last.value_or(false)};
}

/// Returns the datasets of a stream that a model declares. Throws ConfigError if it has no data.
const std::vector<Dataset>& data_of(const StreamDecl& stream, const StreamData& data) {
  const std::string& name = stream.rows_of.empty() ? stream.name : stream.rows_of;
  const auto found = data.find(name);
  if (found != data.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [given, sides] : data) names.push_back(given);
  throw ConfigError("the model reads the stream '" + name + "', which has no data; streams " +
                    "with data: " + join(names));
}

/// Returns the training streams of a model. A stream that uses the rows of another stream is
/// shuffled independently and does not count toward epochs.
DataLoaders training_streams(const Trainable& model, const StreamData& data,
                             const TrainOptions& train) {
  DataLoaders streams;
  for (const StreamDecl& stream : model.streams()) {
    const std::string key =
        stream.rows_of.empty() ? stream.name : stream.rows_of + "/" + stream.name;
    const int64_t seed = key == "train" ? train.seed : train.seed ^ noise_use(key);
    streams[stream.name] = std::make_shared<DatasetLoader>(
        data_of(stream, data), batch_options(train, stream.order, seed));
  }
  return streams;
}

/// Returns the same streams for the validation data, so that every phase is validated, in document
/// order and without max_length, which applies to training only.
DataLoaders validation_streams(const Trainable& model, const StreamData& data,
                               const TrainOptions& train) {
  BatchOptions options = batch_options(train, Order::kSequential, train.seed);
  options.max_length = 0;
  DataLoaders streams;
  if (data.empty()) return streams;  // no validation
  for (const StreamDecl& stream : model.streams()) {
    streams[stream.name] = std::make_shared<DatasetLoader>(data_of(stream, data), options);
  }
  return streams;
}

/// Returns the number of sentences of the stream "train" that exceed max_length.
int64_t left_out(const StreamData& data, const TrainOptions& train) {
  int64_t count = 0;
  for (const Dataset& side : data.at("train")) {
    for (const int64_t length : side.lengths()) {
      count += train.max_length && length > *train.max_length ? 1 : 0;
    }
  }
  return count;
}

/// Returns the inputs for constructing a model that reads these data.
ModelInputs inputs_of(const StreamData& data, int64_t seed,
                      std::map<std::string, LoadedModel> models = {}) {
  ModelInputs inputs{.seed = static_cast<uint64_t>(seed), .models = std::move(models)};
  for (const auto& [stream, sides] : data) inputs.streams[stream] = field_shapes(sides);
  return inputs;
}

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

/// The problem of the fields of a stream from `source` for the model that reads it; without a
/// message if there is none.
FieldMistake field_mistake(const std::string& model, const StreamDecl& stream,
                           const std::vector<ColumnDecl>& fields, const std::string& source) {
  std::map<std::string, ColumnKind> have;
  std::vector<std::string> names, lacking, texts;
  for (const ColumnDecl& field : fields) {
    have[field.name] = field.kind;
    if (field.kind == ColumnKind::kText) texts.push_back(field.name);
  }
  for (const auto& [field, kind] : have) names.push_back(field);
  const std::string reads = "model '" + model + "' reads the field";
  for (const FieldDecl& field : stream.fields) {
    const auto found = have.find(field.name);
    if (found == have.end()) {
      lacking.push_back("'" + field.name + "'");
    } else if (found->second != field.kind) {
      return {reads + " '" + field.name + "' as " + enum_name(field.kind) + "; its kind in " +
                  source + " is " + enum_name(found->second),
              ""};
    }
  }
  if (lacking.empty()) return {};
  const bool is_choice = lacking == std::vector<std::string>{"'text'"} && !texts.empty();
  return {reads + (lacking.size() > 1 ? "s " : " ") + join(lacking) + "; " + source + " has " +
              join(names),
          is_choice
              ? "select one text, such as `columns: [" + texts.front() + "]` of a derived data set"
              : ""};
}

/// Throws ConfigError unless the data of every stream have the fields that the model reads, with
/// the same kinds.
void check_fields(const Trainable& model, const std::string& name, const StreamData& data) {
  for (const StreamDecl& stream : model.streams()) {
    const auto fields = field_shapes(data_of(stream, data));
    const FieldMistake mistake = field_mistake(name, stream, fields, "its data");
    if (!mistake.message.empty()) throw ConfigError(mistake.message);
  }
}

/// The fields of the batches from described records, with a placeholder vocabulary.
std::vector<ColumnDecl> field_shapes(const StreamRecords& records) {
  const Vocabulary stand_in{.size = 5, .bos = 1, .eos = 2, .pad = 0, .unk = 3};
  std::vector<ColumnDecl> fields;
  for (size_t side = 0; side < records.sides.size(); ++side) {
    for (const Records& part : records.sides[side]) {
      for (ColumnDecl field : columns_of(part, stand_in)) {
        field.name = field_name(field.name, side, records.sides.size());
        field.ragged = false;
        fields.push_back(std::move(field));
      }
    }
  }
  return fields;
}

/// Returns the options that the speed of a training depends on.
nlohmann::json cost_options(const Training& training) {
  const nlohmann::json train = outcome_options(training.train);
  return {{"model", canonical_json(training.model.options)},
          {"batch", train.at("batch")},
          {"precision", train.at("precision")},
          {"device", train.at("device")}};
}

/// Estimates the number of target tokens of a whole training on `sentences` sentences like those of
/// the dataset in `folder` (0: on the dataset); none if its length is specified in wall-clock time.
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

/// Returns the number of parameters of a training's model on the dataset in `folder`; none for a
/// model that reads other fields or models.
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

namespace {

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

/// Returns the names of the model inputs of a training.
std::vector<std::string> names_of(const Training& training) {
  std::vector<std::string> names;
  for (const auto& [input, filling] : training.models) names.push_back(input);
  return names;
}

/// Returns the planned updates of a training on its finished inputs; none for a stop in wall-clock
/// time.
std::optional<int64_t> planned_updates(const Training& training, const Registries& registries,
                                       const NodeInputs& inputs,
                                       const std::map<std::string, std::string>& parts) {
  const StreamData data = read_data(inputs, "train", training.train_data);
  auto models = read_given_models(inputs, parts, names_of(training), registries);
  const ShapesOnly shapes;
  const auto model = training.model.model(inputs_of(data, training.train.seed, std::move(models)));
  return run_length(*model, training.train, training_streams(*model, data, training.train)).planned;
}

/// Trains in `folder`, which may be the node's own, or resumes a training there.
TrainResult train_in(RunFolder& folder, NodeRun& run, const Registries& registries,
                     const Training& training) {
  const TrainOptions& options = training.train;
  const StreamData data = read_data(run.inputs, "train", training.train_data);
  const StreamData valid = read_data(run.inputs, "valid", training.valid_data);
  const ModelInputs inputs = inputs_of(
      data, options.seed, read_given_models(run.inputs, run.parts, names_of(training), registries));
  check_memory(training.model, inputs);
  const std::shared_ptr<Trainable> model = training.model.model(inputs);
  check_fields(*model, training.model.component->about.name, data);
  if (training.initial) {
    const LocatedInput at = locate_input(run.inputs, run.parts, kInitialInput);
    run.metadata["initialized"] = load_initial(*model, at.folder, training.mapping, at.step);
  }
  const DataLoaders streams = training_streams(*model, data, options);
  if (!run.same_stem.empty() && &folder == &run.folder) {
    const auto planned = run_length(*model, options, streams).planned;
    const auto shorter =
        planned ? take_over_shorter_run(folder, run.same_stem, *planned) : std::nullopt;
    if (shorter) log_info("resuming from the end of " + shorter->filename().string());
  }
  FolderHost host(folder, Retention{options.keep.last, options.keep.every, {}}, training.config,
                  [&run](const TrainerState& state, const TrainerMetrics& metrics) {
                    run.progress(progress_text(state, metrics));
                  });
  Trainer trainer(model, options, streams, validation_streams(*model, valid, options), host);
  run.metadata.update(layout_metadata(*model, options, streams));
  return trainer.train(&folder == &run.folder ? run.pause_at : std::nullopt);
}

/// Sets the number of threads in a scope, because the rounding of sums depends on it.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(at::get_num_threads()) {
    at::set_num_threads(threads);
  }
  ~ThreadCount() { at::set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

/// Computes weights that a finished training did not keep by retraining from the start in a
/// separate folder; the finished files are not changed. Throws Error (1) if the final weights
/// differ from those of the finished training.
void add_kept_checkpoints(NodeRun& run, const Registries& registries, const Training& training) {
  const Period& every = *training.train.keep.checkpoints;
  const std::filesystem::path own = run.folder.path();
  const std::filesystem::path folder = own / (kAgainPrefix + every.text());
  const auto selected = run.metadata.at("selected_step").get<int64_t>();
  check_kept(own, selected);  // the retrained weights are compared with these
  log_info(training.name + ": retraining for the weights of every " + every.text() +
           ", which were not kept");
  TrainResult result;
  {
    const ThreadCount threads(run.metadata.value("threads", at::get_num_threads()));
    RunFolder again(folder);
    result = train_in(again, run, registries, training);
  }
  const std::string weights = weight_files(selected).back();
  if (result.selected_step != selected ||
      sha256_file(folder / weights) != sha256_file(own / weights)) {
    throw Error(Exit::kSomeFailed,
                "retraining for the weights of every " + every.text() +
                    " ended with different weights: results differ in the last digits on another "
                    "machine or after resuming with another number of threads. '" +
                    own.string() +
                    "' was not changed; remove it with `lvtext runs rm` to train it again");
  }
  for (const int64_t step : result.kept_checkpoints.value()) {
    const std::string name = "snapshots/" + step_folder_name(step);
    const auto& listed = run.outputs;
    if (std::find(listed.begin(), listed.end(), name + "/manifest.json") != listed.end()) continue;
    std::filesystem::remove_all(own / name);  // left by an interrupted training
    std::filesystem::rename(folder / name, own / name);
  }
  list_kept(run, training.train.keep, *result.kept_checkpoints);
  std::filesystem::remove_all(folder);
}

/// Trains, or adds missing kept checkpoints to a finished training.
void run_training(NodeRun& run, const Registries& registries, const Training& training) {
  const TrainOptions& options = training.train;
  if (read_run_manifest(run.folder.path())) {
    reopen_finished(run);
    if (list_kept_again(run, options.keep)) return;
    return add_kept_checkpoints(run, registries, training);
  }
  const ThreadCount own(at::get_num_threads());  // resuming may set that of the checkpoint
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
  const TrainResult result = train_in(run.folder, run, registries, training);
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
  if (!options.keep.checkpoints) return;
  if (!result.kept_checkpoints) {  // the run was started without them
    return add_kept_checkpoints(run, registries, training);
  }
  list_kept(run, options.keep, *result.kept_checkpoints);
}

}  // namespace

std::string add_training(Graph& graph, const Registries& registries, Training training) {
  plan_joins(graph, training.train_data);
  plan_joins(graph, training.valid_data);
  const Component& entry = *training.model.component;
  GraphNode node;
  node.name = training.name;
  node.kind = NodeKind::kTrain;
  node.component = entry.about.name;
  node.revision = entry.revision;
  node.plugin = entry.about.plugin;
  node.seed = training.train.seed;
  node.options = {{"model", canonical_json(training.model.options)},
                  {"train", outcome_options(training.train)}};
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
  node.units = [options = training.train](const NodeInputs& inputs) {
    return planned_tokens(inputs.at("train"), options, 0);
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

std::vector<FieldMistake> field_mistakes(const Configured& model, const TrainOptions& train,
                                         const std::map<std::string, StreamRecords>& streams,
                                         const std::map<std::string, GivenModel>& given) {
  for (const InputDecl& input : model.inputs) {
    if (!given.contains(input.name)) return {};
  }
  const std::string& name = model.component->about.name;
  std::map<std::string, FieldMistake> mistakes;  // by stream with data
  ModelInputs inputs;
  for (const auto& [stream, records] : streams) inputs.streams[stream] = field_shapes(records);
  try {
    const ShapesOnly shapes;
    for (const auto& [input, filling] : given) {
      ModelInputs own;
      for (const auto& [stream, records] : filling.streams) {
        own.streams[stream] = field_shapes(records);
      }
      inputs.models[input] = {.component = filling.model.component->about.name,
                              .model = filling.model.model(own)};
    }
    const auto made = model.model(inputs);
    for (const StreamDecl& stream : made->streams()) {
      const std::string& key = stream.rows_of.empty() ? stream.name : stream.rows_of;
      const auto records = streams.find(key);
      if (records == streams.end()) continue;  // reported by check_streams()
      FieldMistake mistake =
          field_mistake(name, stream, inputs.streams.at(key), records->second.source);
      if (!mistake.message.empty()) mistakes.emplace(key, std::move(mistake));
    }
    if (mistakes.empty()) const Layout layout(*made, train);
  } catch (const MissingField& error) {
    return {{"model '" + name + "': " + error.what(), ""}};
  } catch (const OptionError& error) {
    std::vector<FieldMistake> options;
    for (const OptionMistake& each : error.mistakes) {
      options.push_back({"model '" + name + "': " + each.option + ": " + each.message, ""});
    }
    return options;
  } catch (const std::exception&) {
    // Not caused by missing fields: reported by check_training(), or when the model is trained.
  }
  std::vector<FieldMistake> all;
  for (auto& [stream, mistake] : mistakes) all.push_back(std::move(mistake));
  return all;
}

std::string device_of(const GraphNode& model) {
  const auto train = model.options.find("train");
  return train == model.options.end() ? "cpu" : train->at("device").get<std::string>();
}

}  // namespace lvtext
