#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <utility>

#include "framework/cli/commands/checkpoint_location.h"
#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/exchange.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/options/dump.h"
#include "framework/core/options/json.h"
#include "framework/pipeline/store/exported_model.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/published_folder.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct ExportArguments {
  std::vector<std::string> source;
  std::string output;
  bool published = false;
};

struct ImportArguments {
  std::string source, output;
};

/// Reads a checkpoint written by import, which contains its configuration.
ExchangeFolder from_imported(const fs::path& weights) {
  if (is_exported_model(weights)) return read_exported(weights);
  verify_checkpoint(weights);
  throw MissingError("'" + weights.string() + "' is not in the folder of a run, so its model is " +
                     "unknown; give a run's folder, or .../snapshots/step-N within it");
}

void export_weights(const ExportArguments& arguments, Session& session) {
  const fs::path weights = checkpoint_of(arguments.source, session);
  // Two levels up from .../snapshots/step-N.
  const fs::path run = fs::weakly_canonical(weights).parent_path().parent_path();
  std::error_code failed;
  ExchangeFolder contents =
      fs::exists(run / kNodeFile, failed) ? exported_model(run, weights) : from_imported(weights);
  if (arguments.published) {
    contents = in_published_form(std::move(contents), session.registries());
  }
  write_exchange(arguments.output, contents);
  print_text(arguments.output + ": " + std::to_string(contents.tensors.size()) + " tensors of " +
             contents.config.at(kOwnConfig).at("model").get<std::string>() + ", step " +
             contents.config.at(kOwnConfig).at("step").dump());
}

/// The model of a folder and its weights in lvtext's form.
std::pair<LoadedModel, ExchangeFolder> read_folder(const fs::path& source,
                                                   const Registries& registries) {
  if (!is_exported_model(source) || !is_published_folder(source)) {
    LoadedModel model = load_exported(source, registries);
    ExchangeFolder contents = in_own_form(read_exported(source), model);
    return {std::move(model), std::move(contents)};
  }
  ExchangeFolder contents = read_published_folder(source, registries);
  LoadedModel model =
      build_model(contents.config.at(kOwnConfig), std::map<std::string, LoadedModel>(), registries,
                  contents.tensors, source, "cpu");
  contents = in_own_form(std::move(contents), model);
  return {std::move(model), std::move(contents)};
}

void import_weights(const ImportArguments& arguments, Session& session) {
  const auto [model, given] = read_folder(arguments.source, session.registries());
  const fs::path folder = fs::path(arguments.output) / step_folder_name(model.step);
  std::error_code failed;
  if (fs::exists(folder, failed)) {
    throw Error(Exit::kCannotWrite, "'" + folder.string() + "' already exists; give a folder " +
                                        "without a checkpoint of this step");
  }
  const fs::path inputs = fs::path(arguments.output) / kExchangeInputs / folder.filename();
  fs::remove_all(inputs, failed);  // left by an interrupted import
  for (const auto& [name, input] : given.inputs) write_exchange(inputs / name, input);
  CheckpointContents contents;
  contents.model = given.tensors;
  const Json& own = given.config.at(kOwnConfig);
  contents.config = to_yaml(node_of_json(own.at("options"), arguments.source)
                                .with({"model", Node::scalar(model.component), {}}));
  contents.extra = given.files;
  contents.extra[kExchangeConfig] = given.config.dump(2) + "\n";
  save_checkpoint(arguments.output, model.step, contents);
  print_text(folder.string() + ": " + std::to_string(given.tensors.size()) + " tensors of " +
             model.component);
}

}  // namespace

void add_checkpoint_exchange(CLI::App& group, Session& session) {
  const auto exported = std::make_shared<ExportArguments>();
  CLI::App* command =
      group.add_subcommand("export", "writes weights as a folder in the Hugging Face layout");
  command->add_option("FOLDER", exported->source, kCheckpointHelp)->required();
  creates_folder(
      command->add_option("-o,--output", exported->output, "folder to write; must not exist")
          ->type_name("DIR")
          ->required());
  command->add_flag("--published", exported->published,
                    "names tensors as the model's authors' program, which can read the folder "
                    "(gpt2: GPT2LMHeadModel of transformers)");
  add_runs_folder(*command, session);
  command->callback([exported, &session] { export_weights(*exported, session); });

  const auto imported = std::make_shared<ImportArguments>();
  command = group.add_subcommand("import",
                                 "creates a checkpoint from a folder in the Hugging Face layout, "
                                 "of lvtext or (gpt2) of transformers");
  command->add_option("SOURCE", imported->source, "the folder, or its safetensors file")
      ->required();
  takes_folder(
      command->add_option("-o,--output", imported->output, "folder in which step-N is created")
          ->type_name("DIR")
          ->required());
  command->callback([imported, &session] { import_weights(*imported, session); });
}

}  // namespace lvtext
