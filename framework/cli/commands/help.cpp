#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/usage.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/json.h"
#include "framework/pipeline/experiment/usual_inputs.h"
#include "framework/pipeline/nodes/data_nodes.h"
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

/// Default of an input.
Json default_of(const InputDecl& input) {
  if (input.by_default.is_mapping()) return canonical_json(input.by_default);
  return input.by_default.is_null() ? Json(nullptr) : Json(input.by_default.text());
}

std::string default_text(const InputDecl& input) {
  const Json usual = default_of(input);
  std::string text;
  if (!input.capabilities.empty())
    text += ", a model with the capability " + join(input.capabilities);
  if (!usual.is_null())
    text += " (default: " + (usual.is_string() ? usual.get<std::string>() : usual.dump()) + ")";
  return text;
}

Json json_of(const Component& component, const std::string& kind) {
  const About& about = component.about;
  Json json = {{"schema", "lvtext.help/1"},
               {"kind", kind},
               {"name", about.name},
               {"description", about.description},
               {"citation", about.source.citation},
               {"url", about.source.url},
               {"plugin", about.plugin ? Json(about.plugin->file) : Json(nullptr)},
               {"options", json_schema(about.schema, about.name)}};
  for (const InputDecl& input : usual_inputs(component)) {
    json["inputs"].push_back({{"name", input.name},
                              {"help", input.help},
                              {"default", default_of(input)},
                              {"capabilities", input.capabilities}});
  }
  if (!component.capabilities.empty()) json["capabilities"] = component.capabilities;
  for (const ScoreDecl& each : component.scores) {
    json["scores"].push_back({{"id", each.id}, {"help", each.help}});
  }
  return json;
}

/// The registry of a kind, singular or plural; nullptr for other words.
const Registry<Component>* registry_of(const std::string& kind, const Registries& registries) {
  if (kind == "model" || kind == "models") return &registries.models;
  if (kind == "evaluator" || kind == "evaluators") return &registries.evaluators;
  if (kind == "figure" || kind == "figures") return &registries.figures;
  if (kind == "sheet" || kind == "sheets") return &registries.sheets;
  return kind == "inference" ? &registries.inference : nullptr;
}

Json json_of(const CLI::App& command, const std::string& name) {
  Json options = Json::array();
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
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

// `data` and `train` are a command and a section of recipes; help shows both.
void print_recipe_part(const std::string& name, const Schema& schema) {
  print_text("Options of `" + name + "` in a recipe, also set by `" + name + ".key=value`:\n\n" +
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
  known.insert(known.end(), {"model", "evaluator", "inference", "figure"});
  throw UsageError("no help on " + shown(kind) + "; " + suggestion(kind, known));
}

void run(const Arguments& arguments, CLI::App& app, Session& session) {
  if (arguments.kind.empty()) {
    return session.json ? print_json(json_of(app, app.get_name())) : print_text(app.help());
  }
  const Registry<Component>* registry = registry_of(arguments.kind, session.registries());
  if (!registry) return help_on_command(arguments.kind, app, session.json);
  if (arguments.name.empty()) {
    throw UsageError("help " + arguments.kind +
                     " needs a name, one of: " + join(registry->names()));
  }
  const Component& component = registry->get(arguments.name);
  if (session.json)
    return print_json(json_of(
        component, registry == &session.registries().inference ? "inference" : registry->kind()));
  print_about(component.about);
  const std::vector<InputDecl> inputs = usual_inputs(component);
  if (!inputs.empty()) print_text("\ninputs:");
  for (const InputDecl& input : inputs) {
    print_text("  " + input.name + ": " + input.help + default_text(input));
  }
  if (!component.capabilities.empty())
    print_text("\ncapabilities: " + join(component.capabilities));
  if (!component.scores.empty()) print_text("\nscores:");
  for (const ScoreDecl& each : component.scores) {
    print_text("  " + each.id + (each.help.empty() ? "" : ": " + each.help));
  }
}

}  // namespace

void add_help(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("help", "explains a command or a component");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("KIND", arguments->kind, "model, evaluator, inference, figure, or a command");
  command->add_option("NAME", arguments->name, "name of the component");
  add_json(*command, session);
  command->callback([arguments, &app, &session] { run(*arguments, app, session); });
}

}  // namespace lvtext
