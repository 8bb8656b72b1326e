#include "framework/cli/commands/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "framework/base/strings.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/usage.h"
#include "framework/nodes/data_nodes.h"
#include "framework/options/errors.h"
#include "trainers/options.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string kind, name;
};

void print_about(const About& about) {
  print_text(about.name + ": " + about.description);
  if (!about.source.citation.empty()) {
    print_text(about.source.citation + (about.source.url.empty() ? "" : ", " + about.source.url));
  }
  if (about.plugin) print_text("from the plug-in " + about.plugin->file);
  print_text("");
  print_text(about.schema.fields.empty() ? "It has no options." : help_text(about.schema));
}

Json json_of(const About& about, const std::string& kind) {
  return {{"schema", "lvtext.help/1"},
          {"kind", kind},
          {"name", about.name},
          {"description", about.description},
          {"citation", about.source.citation},
          {"url", about.source.url},
          {"plugin", about.plugin ? Json(about.plugin->file) : Json(nullptr)},
          {"options", json_schema(about.schema, about.name)}};
}

Json json_of(const CLI::App& command, const std::string& name) {
  Json options = Json::array();
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // not for users
    options.push_back({{"name", option->get_name(/*positional=*/true, /*all_options=*/true)},
                       {"required", option->get_required()},
                       {"help", option->get_description()}});
  }
  return {{"schema", "lvtext.help/1"},
          {"kind", "command"},
          {"name", name},
          {"description", command.get_description()},
          {"options", options},
          {"commands", command_names(command)}};
}

// `data` and `train` name a command and a part of every recipe: help shows both.
void print_recipe_part(const std::string& name, const Schema& schema) {
  print_text("The options below `" + name + "` in a recipe, and as `" + name + ".key=value`:\n\n" +
             help_text(schema));
}

void help_on_command(const std::string& kind, CLI::App& app, bool as_json) {
  const auto names = command_names(app);
  if (std::find(names.begin(), names.end(), kind) != names.end()) {
    if (as_json) return print_json(json_of(*app.get_subcommand(kind), kind));
    print_text(app.get_subcommand(kind)->help(app.get_name()));
    if (kind == "data") print_recipe_part(kind, describe<DataBlock>());
    if (kind == "train") print_recipe_part(kind, describe<TrainOptions>());
    return;
  }
  std::vector<std::string> known = names;
  known.insert(known.end(), {"model", "evaluator"});
  throw UsageError("no help on " + shown(kind) + "; " + suggestion(kind, known));
}

void run(const Arguments& arguments, CLI::App& app, Session& session) {
  if (arguments.kind.empty()) {
    return session.json ? print_json(json_of(app, app.get_name())) : print_text(app.help());
  }
  const bool is_model = arguments.kind == "model" || arguments.kind == "models";
  const bool is_evaluator = arguments.kind == "evaluator" || arguments.kind == "evaluators";
  if (!is_model && !is_evaluator) return help_on_command(arguments.kind, app, session.json);
  const Registries& registries = session.registries();
  if (arguments.name.empty()) {
    throw UsageError("help " + arguments.kind + " needs a name; there are: " +
                     join(is_model ? registries.models.names() : registries.evaluators.names()));
  }
  if (is_model) {
    const ModelEntry& entry = registries.models.get(arguments.name);
    if (session.json) {
      Json json = json_of(entry.about, "model");
      json["capabilities"] = entry.capabilities;
      return print_json(json);
    }
    print_about(entry.about);
    print_text("\ncan: " + join(entry.capabilities));
  } else {
    const EvaluatorEntry& entry = registries.evaluators.get(arguments.name);
    if (session.json) {
      Json json = json_of(entry.about, "evaluator");
      json["scores"] = entry.scores;
      return print_json(json);
    }
    print_about(entry.about);
    print_text("\nscores: " + join(entry.scores));
  }
}

}  // namespace

void add_help(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("help", "explains a command, a model or an evaluator");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("KIND", arguments->kind, "model, evaluator, or a command");
  command->add_option("NAME", arguments->name, "name of the model or evaluator");
  command->add_flag("--json", session.json, "prints JSON");
  command->callback([arguments, &app, &session] { run(*arguments, app, session); });
}

}  // namespace lvtext
