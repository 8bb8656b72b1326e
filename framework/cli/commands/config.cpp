#include "framework/cli/commands/config.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/graph/check_recipe.h"
#include "framework/options/dump.h"

namespace lvtext {
namespace {

struct Arguments {
  std::string recipe, profile;
  std::vector<std::string> overrides;
  bool origins = false;
};

void run(const Arguments& arguments, Session& session) {
  const Recipe recipe = session.recipe(arguments.recipe, arguments.profile, arguments.overrides);
  check_components(recipe, session.registries());
  const Node resolved = recipe.tree.without("profiles");
  print_text(session.json ? pretty_json(resolved) : to_yaml(resolved, arguments.origins));
}

}  // namespace

void add_config(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("config", "shows a recipe with everything resolved");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("RECIPE", arguments->recipe, "a file, a folder, or <paper>/<table>")
      ->required();
  command->add_option("key.path=value", arguments->overrides, "options to override");
  command->add_option("--profile", arguments->profile, "smoke, cpu, gpu, paper or one of its own");
  command->add_flag("--origins", arguments->origins, "shows where each value was written");
  command->add_flag("--json", session.json, "prints JSON");
  command->callback([arguments, &session] { run(*arguments, session); });
}

}  // namespace lvtext
