#include "trainers/checkpointer.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/base/log.h"
#include "framework/core/base/parallel.h"
#include "framework/core/checkpoint/checkpoint_files.h"
#include "framework/core/checkpoint/manifest.h"
#include "framework/core/tensor/torch.h"
#include "trainers/weights.h"

namespace lvtext {
namespace {

constexpr const char* kStateSchema = "state";
constexpr int kStateVersion = 1;

nlohmann::json to_json(const Evaluation& evaluation) {
  auto terms = nlohmann::json::object();
  for (const auto& [name, value] : evaluation.terms) terms[name] = number_to_json(value);
  return {{"step", evaluation.step},
          {"objective", number_to_json(evaluation.objective)},
          {"terms", terms}};
}

Evaluation evaluation_from(const nlohmann::json& json) {
  Evaluation evaluation;
  evaluation.step = json.at("step");
  evaluation.objective = number_from_json(json.at("objective"));
  for (const auto& [name, value] : json.at("terms").items()) {
    evaluation.terms[name] = number_from_json(value);
  }
  return evaluation;
}

/// The fields of `state` that are stored; the others follow from the streams and the options.
nlohmann::json to_json(const TrainerState& state) {
  auto evaluations = nlohmann::json::array();
  for (const auto& each : state.evaluations) evaluations.push_back(to_json(each));
  return {{"schema", schema_id(kStateSchema, kStateVersion)},
          {"step", state.step},
          {"epoch", state.epoch},
          {"tokens", state.tokens},
          {"seconds", state.seconds},
          {"phase_runs", state.phase_runs},
          {"group_updates", state.group_updates},
          {"evaluations", evaluations},
          {"validation_due", state.validation_due}};
}

void read_state(const nlohmann::json& json, TrainerState& state) {
  state.step = json.at("step");
  state.epoch = json.at("epoch");
  state.tokens = json.at("tokens");
  state.seconds = json.at("seconds");
  state.phase_runs = json.at("phase_runs").get<std::map<std::string, int64_t>>();
  state.group_updates = json.at("group_updates").get<std::map<std::string, int64_t>>();
  state.evaluations.clear();
  for (const auto& each : json.at("evaluations")) {
    state.evaluations.push_back(evaluation_from(each));
  }
  state.validation_due = json.at("validation_due");
}

nlohmann::json to_json(const std::map<std::string, BatchPrefetcher>& prefetchers) {
  auto cursors = nlohmann::json::object();
  for (const auto& [stream, prefetcher] : prefetchers) {
    cursors[stream] = {{"epoch", prefetcher.cursor().epoch}, {"index", prefetcher.cursor().index}};
  }
  return cursors;
}

std::map<std::string, Cursor> cursors_from(const nlohmann::json& json) {
  std::map<std::string, Cursor> cursors;
  for (const auto& [stream, cursor] : json.items()) {
    cursors[stream] = {cursor.at("epoch").get<int64_t>(), cursor.at("index").get<int64_t>()};
  }
  return cursors;
}

std::string device_name(const at::Device& device) {
  return device.is_cuda() ? "cuda" : "cpu";
}

/// Continues with the number of threads of the checkpoint, on which the rounding of sums depends.
/// Warns if that is not possible or the device differs.
void continue_on(const nlohmann::json& json, const at::Device& device) {
  const int64_t threads = json.at("threads");
  const std::string name = json.at("device");
  const bool is_possible = threads <= usable_processors();
  if (name == device_name(device) && is_possible) {
    if (threads != at::get_num_threads()) at::set_num_threads(static_cast<int>(threads));
    return;
  }
  log_warning("the checkpoint was written on " + name + " with " + std::to_string(threads) +
              " threads; resuming on " + device_name(device) + " with " +
              std::to_string(at::get_num_threads()) +
              ": results may differ in the last digits from an uninterrupted run");
}

}  // namespace

std::map<std::string, BatchPrefetcher> start_prefetchers(
    const DataLoaders& streams, const std::map<std::string, Cursor>& cursors) {
  std::map<std::string, BatchPrefetcher> prefetchers;
  for (const auto& [name, stream] : streams) {
    const auto at = cursors.find(name);
    prefetchers.emplace(name, BatchPrefetcher(stream, at == cursors.end() ? Cursor{} : at->second));
  }
  return prefetchers;
}

Checkpointer::Checkpointer(const CheckpointedParts& parts, Host& host)
    : parts_(parts), host_(host), event_(parts.options.save_every) {}

void Checkpointer::restore(TrainerState& state) {
  saved_ = Clock::now();
  const auto found = host_.resume();
  if (!found) return;
  load(*found, state);
  event_.restart(state);
  saved_state_ = {state.step, state.validation_due};
}

void Checkpointer::load(const Checkpoint& checkpoint, TrainerState& state) {
  const CheckpointContents& contents = checkpoint.contents;
  const std::string name =
      checkpoint.folder.empty() ? "the checkpoint" : checkpoint.folder.string();
  try {
    const nlohmann::json& json = contents.state;
    check_schema({{"schema", json.at("schema")}}, kStateSchema, kStateVersion, "state.json");
    read_state(json, state);
    parts_.prefetchers = start_prefetchers(parts_.streams, cursors_from(json.at("cursors")));
    state.passes = parts_.prefetchers.at(leading_stream(parts_.layout.phases())).epochs();
    parts_.means.load(json.at("means"));
    parts_.skips.load(json);
    parts_.weights.load(json, state.evaluations);
    continue_on(json, parts_.device);
  } catch (const nlohmann::json::exception&) {
    throw DataError("state.json is not the state of a training run");
  }
  load_into(model_tensors(parts_.model), contents.model, name + "/model.safetensors");
  if (parts_.options.ema) {
    if (!contents.ema) {
      throw DataError(name + ": missing ema.safetensors, which train.ema requires");
    }
    load_into(parts_.weights.ema(), *contents.ema, name + "/ema.safetensors");
  }
  for (auto& [optimizer_name, optimizer] : parts_.optimizers) {
    const auto moments = contents.optimizers.find(optimizer_name);
    if (moments == contents.optimizers.end()) {
      throw DataError(name + ": missing the moments of optimizer '" + optimizer_name + "'");
    }
    optimizer.load(moments->second, parts_.layout.parameters());
  }
}

void Checkpointer::save(const TrainerState& state) {
  CheckpointContents contents;
  contents.model = model_tensors(parts_.model);
  for (const auto& [name, tensor] : contents.model) {
    if (tensor.is_floating_point() && !at::isfinite(tensor.detach()).all().item<bool>()) {
      throw Error(Exit::kSomeFailed,
                  "step " + std::to_string(state.step) + ": '" + name +
                      "' is not finite, so no checkpoint was written; the previous "
                      "one is intact. Lower the learning rate (train.optimizers.default.lr)");
    }
  }
  if (!parts_.weights.ema().empty()) contents.ema = parts_.weights.ema();
  for (const auto& [name, optimizer] : parts_.optimizers) {
    contents.optimizers[name] = optimizer.state();
  }
  contents.state = to_json(state);
  contents.state.update(parts_.skips.save());
  contents.state.update(parts_.weights.save());
  contents.state["cursors"] = to_json(parts_.prefetchers);
  contents.state["means"] = parts_.means.save();
  contents.state["threads"] = at::get_num_threads();
  contents.state["device"] = device_name(parts_.device);
  host_.save(state.step, contents);
  saved_ = Clock::now();
  saved_state_ = {state.step, state.validation_due};
  parts_.weights.remove_unneeded(state.evaluations);
}

void Checkpointer::save_if_new(const TrainerState& state) {
  if (saved_state_ != std::pair(state.step, state.validation_due)) save(state);
}

bool Checkpointer::due(const TrainerState& state) {
  const Period& period = parts_.options.save_every;
  // Wall-clock time since the latest checkpoint, whichever event wrote it.
  if (period.unit == Period::Unit::kSeconds) {
    return std::chrono::duration<double>(Clock::now() - saved_).count() >= period.amount;
  }
  return event_.due(state);
}

std::optional<int64_t> completed_steps(const std::filesystem::path& checkpoints) {
  const auto saved = list_checkpoints(checkpoints);
  if (saved.empty()) return std::nullopt;
  const auto& [step, folder] = saved.back();
  const nlohmann::json state = parse_json<nlohmann::json>(read_file(folder / kStateFile));
  return state.is_object() && state.value("validation_due", false) ? step - 1 : step;
}

}  // namespace lvtext
