#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "framework/cli/catalog.h"
#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/usage.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/json.h"
#include "framework/pipeline/check/usual_inputs.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "trainers/options.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

struct HelpArguments {
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

Json json_of(const Component& component, const std::string& kind) {
  Json json = json_of(component.about, kind);
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

const CLI::App& subcommand_of(const CLI::App& command, const std::string& name) {
  const auto names = command_names(command);
  if (std::find(names.begin(), names.end(), name) != names.end())
    return *command.get_subcommand(name);
  throw UsageError("no help on " + shown(command.get_name() + " " + name) + "; " +
                   (names.empty() ? "the command has no subcommands" : suggestion(name, names)));
}

void help_on_command(const HelpArguments& arguments, const CLI::App& app, bool as_json) {
  const CLI::App& command = subcommand_of(app, arguments.kind);
  const bool is_group = !arguments.name.empty();
  const CLI::App& explained = is_group ? subcommand_of(command, arguments.name) : command;
  const std::string name = arguments.kind + (is_group ? " " + arguments.name : "");
  if (as_json) return print_json(json_of(explained, name));
  print_text(explained.help(app.get_name() + (is_group ? " " + arguments.kind : "")));
  if (name == "data") print_recipe_part(name, describe<DataBlock>());
  if (name == "train") print_recipe_part(name, describe<TrainOptions>());
}

/// Throws the error of a word that is neither a command nor a kind.
[[noreturn]] void refuse(const std::string& word, const CLI::App& app, Session& session) {
  std::vector<std::string> known = command_names(app);
  for (const std::string& kind : component_kinds()) {
    known.push_back(singular(kind));
    for (const CatalogEntry& entry : catalog(kind, session)) {
      if (entry.name == word) {
        throw UsageError("no help on " + shown(word) + "; did you mean `lvtext help " +
                         singular(kind) + " " + word + "`?");
      }
    }
  }
  throw UsageError("no help on " + shown(word) + "; " + suggestion(word, known));
}

void help_on_component(const Component& component, const std::string& kind, bool as_json) {
  if (as_json) return print_json(json_of(component, kind));
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

void help_on_family(const std::string& kind, const std::string& name, Session& session) {
  std::vector<std::string> names;
  for (const About& about : family_components(kind, session)) {
    names.push_back(about.name);
    if (about.name != name) continue;
    return session.json ? print_json(json_of(about, singular(kind))) : print_about(about);
  }
  throw UsageError("unknown " + singular(kind) + " " + shown(name) + "; " +
                   suggestion(name, names));
}

/// The help of the program itself: app.help() is that of the parsed command.
std::string help_of_program(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
}

void run(const HelpArguments& arguments, const CLI::App& app, Session& session) {
  if (arguments.kind.empty()) {
    return session.json ? print_json(json_of(app, app.get_name()))
                        : print_text(help_of_program(app));
  }
  const std::string kind = component_kind(arguments.kind);
  if (kind.empty()) {
    const auto commands = command_names(app);
    if (std::find(commands.begin(), commands.end(), arguments.kind) == commands.end())
      refuse(arguments.kind, app, session);
    return help_on_command(arguments, app, session.json);
  }
  if (arguments.name.empty()) {
    std::vector<std::string> names;
    for (const CatalogEntry& entry : catalog(kind, session)) names.push_back(entry.name);
    throw UsageError("help " + arguments.kind + " needs a name, one of: " + join(names));
  }
  const Registry<Component>* registry = registry_of(kind, session.registries());
  if (!registry) return help_on_family(kind, arguments.name, session);
  const Component* component = registry->find(arguments.name);
  if (component == nullptr) {
    throw UsageError(registry->unknown_message(arguments.name) + "; " +
                     registry->known_message(arguments.name));
  }
  help_on_component(*component, kind == "inference" ? kind : registry->kind(), session.json);
}

}  // namespace

void add_help(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("help", "explains a command or a component");
  auto arguments = std::make_shared<HelpArguments>();
  std::vector<std::string> kinds;
  for (const std::string& kind : component_kinds()) kinds.push_back(singular(kind));
  command->add_option("KIND", arguments->kind,
                      "a command, or the kind of a component: " + join(kinds));
  command->add_option("NAME", arguments->name, "name of the component, or a subcommand");
  add_json(*command, session);
  command->callback([arguments, &app, &session] { run(*arguments, app, session); });
}

}  // namespace lvtext
