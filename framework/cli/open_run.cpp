#include "framework/cli/open_run.h"
#include "framework/cli/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "framework/cli/run_argument.h"
#include "framework/cli/session.h"
#include "framework/cli/values.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/decoding/policy_text.h"
#include "framework/core/options/generation.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/runs/run_name.h"
#include "framework/pipeline/store/exported_model.h"

namespace lvtext {

void add_run_arguments(CLI::App& command, RunArguments& arguments, Session& session,
                       bool required) {
  command.add_option("RUN", arguments.words, kRunHelp)->type_name("")->required(required);
  add_runs_folder(command, session);
  command
      .add_option(
          "--checkpoint", arguments.checkpoint,
          "kept weights: last, best:METRIC or step:N (default: those selected by the recipe)")
      ->type_name("WHICH");
  command.add_option("--device", arguments.device, "device to compute on (default: cpu)")
      ->check(name_among({"auto", "cpu", "cuda"}));
  command
      .add_option("--precision", arguments.precision,
                  "precision of matrix products, independent of the training's (default: fp32)")
      ->check(name_of_enum<Precision>());
}

PrecisionScope RunArguments::precision_scope() const {
  const auto& names = enum_names(Precision());
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const auto& each) { return each.name == precision; });
  return PrecisionScope(found->value);
}

namespace {

/// The folder or file of an exported or imported model; the newest checkpoint of a folder of
/// imports.
std::optional<std::filesystem::path> exported_folder(const RunWords& words) {
  if (!words.overrides.empty()) return std::nullopt;
  // "DIR/" and "DIR" name the same folder.
  auto path = (std::filesystem::path(words.name) / ".").lexically_normal().parent_path();
  if (is_exported_model(path)) return path;
  const auto imported = list_checkpoints(path);
  if (imported.empty() || !is_exported_model(imported.back().second)) return std::nullopt;
  return imported.back().second;
}

TrainedRun open(const FoundRun& found, const RunArguments& arguments, Session& session) {
  session.add_plugins_of_run(found.folder);
  const Component* model = session.registries().models.find(found.component);
  if (model != nullptr && model->about.plugin) {
    session.plugin_component = "the component '" + found.component + "' of the plug-in '" +
                               model->about.plugin->name + "'";
  }
  TrainedRun run =
      read_trained_run(found.folder, session.registries(), arguments.checkpoint, arguments.device);
  if (!run.finished) {
    log_warning("run is not finished; using step " + std::to_string(run.model.step));
  }
  return run;
}

}  // namespace

std::vector<TrainedRun> open_runs(const RunArguments& arguments, Session& session) {
  check_threads();
  std::vector<TrainedRun> runs;
  for (const RunWords& words : split_runs(arguments.words, session)) {
    if (const auto exported = exported_folder(words)) {
      runs.push_back(read_trained_run(*exported, session.registries(), arguments.checkpoint,
                                      arguments.device));
      continue;
    }
    for (const FoundRun& found : find_models(words, session.runs, session)) {
      runs.push_back(open(found, arguments, session));
    }
  }
  return runs;
}

TrainedRun open_run(const RunArguments& arguments, Session& session) {
  check_threads();
  const auto words = split_runs(arguments.words, session);
  if (words.size() != 1) {
    throw UsageError("expected one RUN, got " + std::to_string(words.size()) + ": " +
                     join(arguments.words));
  }
  if (const auto exported = exported_folder(words.front())) {
    return read_trained_run(*exported, session.registries(), arguments.checkpoint,
                            arguments.device);
  }
  return open(find_model(words.front(), session.runs, session), arguments, session);
}

void log_run(const TrainedRun& run) {
  const std::string data =
      is_exported_model(run.folder) ? std::string() : read_run(run.folder).data_text();
  log_info(run.folder.filename().string() + ": model " + run.model.component +
           (data.empty() ? "" : ", data " + data) + ", step " + format_count(run.model.step));
}

VerbOptions DecodingArguments::options(const TrainedRun& run) const {
  VerbOptions options;
  options.seed = seed.value_or(run.seed);
  options.max_length = max_length;
  if (!policy.empty()) options.policy = parse_policy(policy);
  return options;
}

void add_max_length(CLI::App& command, int64_t& max_length) {
  command
      .add_option(
          "--max-length", max_length,
          "maximum number of new tokens, without those of a text that is continued (default: " +
              std::to_string(max_length) + ", as in recipes)")
      ->check(whole_number(1, kMaxGeneratedLength));
}

void add_seed(CLI::App& command, DecodingArguments& arguments) {
  command.add_option("--seed", arguments.seed, "random seed (default: the run's)")
      ->check(whole_number(0));
}

void add_decoding_arguments(CLI::App& command, DecodingArguments& arguments) {
  add_seed(command, arguments);
  command.add_option("--policy", arguments.policy, kPolicyHelp)->type_name("POLICY");
  add_max_length(command, arguments.max_length);
}

}  // namespace lvtext
