#include "trainers/state.h"

#include "framework/core/base/error.h"
#include "framework/core/checkpoint/manifest.h"
#include "framework/core/tensor/torch.h"
#include "trainers/log_means.h"

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

}  // namespace

nlohmann::json to_json(const RunState& state) {
  const Progress& progress = state.progress;
  auto evaluations = nlohmann::json::array();
  for (const auto& each : progress.evaluations) evaluations.push_back(to_json(each));
  auto cursors = nlohmann::json::object();
  for (const auto& [stream, cursor] : state.cursors) {
    cursors[stream] = {{"epoch", cursor.epoch}, {"index", cursor.index}};
  }
  return {{"schema", schema_id(kStateSchema, kStateVersion)},
          {"step", progress.step},
          {"epoch", progress.epoch},
          {"tokens", progress.tokens},
          {"phase_runs", progress.phase_runs},
          {"group_updates", progress.group_updates},
          {"evaluations", evaluations},
          {"cursors", cursors},
          {"means", state.means},
          {"skipped", state.skipped},
          {"skipped_total", state.skipped_total},
          {"validation_due", state.validation_due},
          {"seconds", state.seconds},
          {"kept", state.kept},
          {"kept_every", state.kept_every},
          {"averaged", state.averaged},
          {"threads", state.threads},
          {"device", state.device}};
}

RunState run_state_from_json(const nlohmann::json& json) {
  try {
    check_schema({{"schema", json.at("schema")}}, kStateSchema, kStateVersion, "state.json");
    RunState state;
    Progress& progress = state.progress;
    progress.step = json.at("step");
    progress.epoch = json.at("epoch");
    progress.tokens = json.at("tokens");
    progress.phase_runs = json.at("phase_runs").get<std::map<std::string, int64_t>>();
    progress.group_updates = json.at("group_updates").get<std::map<std::string, int64_t>>();
    for (const auto& each : json.at("evaluations")) {
      progress.evaluations.push_back(evaluation_from(each));
    }
    for (const auto& [stream, cursor] : json.at("cursors").items()) {
      state.cursors[stream] = {cursor.at("epoch").get<int64_t>(),
                               cursor.at("index").get<int64_t>()};
    }
    state.means = json.at("means");
    state.skipped = json.at("skipped").get<std::vector<int64_t>>();
    state.skipped_total = json.at("skipped_total");
    state.validation_due = json.at("validation_due");
    state.seconds = json.at("seconds");
    state.kept = json.at("kept").get<std::vector<int64_t>>();
    state.kept_every = json.value("kept_every", "");
    state.averaged = json.at("averaged").get<std::vector<int64_t>>();
    state.threads = json.at("threads");
    state.device = json.at("device");
    return state;
  } catch (const nlohmann::json::exception&) {
    throw DataError("state.json is not the state of a training run");
  }
}

BorrowedWeights::BorrowedWeights(const NamedTensors& parameters, const TensorMap& values) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, parameter] : parameters) {
    const auto found = values.find(name);
    if (found == values.end()) continue;
    own_.emplace_back(parameter, parameter.detach().clone());
    parameter.copy_(found->second);
  }
}

BorrowedWeights::~BorrowedWeights() {
  const at::NoGradGuard no_grad;
  for (const auto& [parameter, value] : own_) parameter.copy_(value);
}

TensorMap copy_of(const TensorMap& tensors) {
  TensorMap copies;
  for (const auto& [name, tensor] : tensors) copies[name] = tensor.detach().clone();
  return copies;
}

}  // namespace lvtext
