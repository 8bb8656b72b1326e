#include "framework/pipeline/store/unfinished_run.h"

#include <algorithm>
#include <optional>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint_files.h"
#include "framework/core/checkpoint/manifest.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/store/node_parts.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kDescriptionSchema = "training-model";

struct Weights {
  int64_t step = 0;
  fs::path folder;
  TensorMap tensors;
};

/// The weights of a checkpoint for inference: their mean, if the training averages weights.
TensorMap read_checkpoint(const fs::path& folder) {
  TensorMap model, mean;
  visit_checkpoint(
      folder, read_checkpoint_manifest(folder),
      [&](const std::string& file, TensorMap tensors) {
        if (file == kModelFile) {
          model = std::move(tensors);
        } else if (file == kEmaFile) {
          mean = std::move(tensors);
        }
      },
      [](const std::string&, const std::string&) {});
  for (auto& [name, tensor] : mean) model.insert_or_assign(name, tensor);
  return model;
}

/// The newest readable checkpoint of `found`, or that of `step`; otherwise none, with the reason.
std::optional<Weights> first_whole(const std::vector<std::pair<int64_t, fs::path>>& found,
                                   std::optional<int64_t> step, std::string& reason) {
  for (auto each = found.rbegin(); each != found.rend(); ++each) {
    if (step && each->first != *step) continue;
    try {
      return Weights{each->first, each->second, read_checkpoint(each->second)};
    } catch (const Error& error) {  // replaced while it was read, or damaged
      if (reason.empty()) reason = error.what();
    }
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const fs::path& training, std::optional<int64_t> step,
                         const std::vector<std::pair<int64_t, fs::path>>& found,
                         const std::string& reason) {
  const std::string start = "'" + training.string() + "' is not finished and ";
  if (found.empty()) {
    throw MissingError(
        start + "has no checkpoint yet; train.save_every sets how often checkpoints are written");
  }
  if (!reason.empty()) throw DataError(start + "none of its checkpoints is valid: " + reason);
  std::vector<std::string> steps;
  for (const auto& [each, folder] : found) steps.push_back(std::to_string(each));
  throw MissingError(start + "has no checkpoint of step " + std::to_string(*step) +
                     "; there are: " + join(steps));
}

Weights read_weights(const fs::path& training, std::optional<int64_t> step) {
  const fs::path parent = training / "checkpoints";
  auto found = list_checkpoints(parent);
  std::string reason;
  // Try only the newest one first: an older one is used only if it is damaged.
  if (!found.empty()) {
    const auto newest = step ? found : decltype(found){found.back()};
    if (auto weights = first_whole(newest, step, reason)) return std::move(*weights);
  }
  found = list_checkpoints(parent);
  reason.clear();
  if (auto weights = first_whole(found, step, reason)) return std::move(*weights);
  refuse(training, step, found, reason);
}

std::optional<int64_t> requested_step(const std::string& checkpoint) {
  if (checkpoint.empty() || checkpoint == "last") return std::nullopt;
  if (const auto step = parse_step(checkpoint)) return step;
  throw UsageError("--checkpoint: " + shown(checkpoint) +
                   " is not valid for an unfinished run; allowed: last and step:N");
}

}  // namespace

void write_model_file(const fs::path& training, const Json& description) {
  Json file = {{"schema", schema_id(kDescriptionSchema, 1)}};
  file.update(description);
  write_file_atomic(training / kModelDescription, file.dump(1) + "\n");
}

Json read_model_file(const fs::path& training) {
  const fs::path file = training / kModelDescription;
  std::error_code failed;
  if (!fs::exists(file, failed)) {
    throw MissingError(
        "'" + training.string() +
        "' is not finished and has no checkpoint yet; run its recipe again to finish "
        "it, or see `lvtext runs ls`");
  }
  Json description = parse_json(read_file(file));
  check_schema(description, kDescriptionSchema, 1, file.string());
  return description;
}

UnfinishedRun read_unfinished_run(const fs::path& training, const Registries& registries,
                                  const std::string& checkpoint, const std::string& device) {
  const auto step = requested_step(checkpoint);
  const Json description = read_model_file(training);
  const Weights weights = read_weights(training, step);
  UnfinishedRun run;
  try {
    run.identity = read_run_description(training).value().at("identity").get<std::string>();
    run.seed = description.at("seed").get<int64_t>();
    run.model =
        build_model(description, training, registries, weights.tensors, weights.folder, device);
  } catch (const nlohmann::json::exception& error) {
    throw DataError("'" + (training / kModelDescription).string() +
                    "' does not describe a model: " + json_reason(error));
  }
  run.model.step = weights.step;
  run.model.identity = run.identity.substr(0, 8) + "@" + std::to_string(weights.step);
  return run;
}

}  // namespace lvtext
