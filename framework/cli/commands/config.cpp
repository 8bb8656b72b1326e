#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/dump.h"
#include "framework/core/options/json.h"
#include "framework/pipeline/check/printed_recipe.h"
#include "framework/pipeline/plan/schedules.h"

namespace lvtext {
namespace {

struct ConfigArguments {
  std::string recipe, profile;
  std::vector<std::string> overrides;
  bool origins = false, expanded = false;
};

/// Number of members of each entry with `over`, as comments after the recipe.
std::string member_counts(const Recipe& recipe) {
  std::string text;
  for (const ExpandedEntry& entry : recipe.loops) {
    text += "# " + entry.section + "." + entry.id + ": " + std::to_string(entry.members) +
            " members over " + join(entry.over) + "\n";
  }
  return text;
}

/// The schedules as scaled by `schedule_length`, as comments after the recipe.
std::string scaled_schedules(const CheckedRecipe& recipe, Session& session) {
  ExperimentRequest requested;
  requested.locations = data_locations();
  const Experiment experiment = build_experiment(recipe, session.registries(), requested);
  std::vector<std::string> unknown;
  std::string text;
  for (const auto& option :
       planned_schedules(experiment, graph_status(experiment.graph, session.runs), unknown)) {
    text += "# " + option.row + ": " + option.path + " = " + format_number(option.written) +
            ", scaled to " + format_number(option.scaled) + " updates\n";
  }
  if (!unknown.empty()) {
    text += "# schedules of " + join(unknown) +
            " are scaled by planned updates / train.schedule_length; the updates are known after "
            "the data are packed (`lvtext data pack`, or a run)\n";
  }
  return text;
}

void run(const ConfigArguments& arguments, Session& session) {
  const CheckedRecipe recipe =
      session.recipe(arguments.recipe, arguments.profile, arguments.overrides);
  session.check_profiles(recipe);
  if (arguments.expanded) {
    const Node expanded = expanded_recipe(recipe.recipe);
    if (session.json) return print_json(to_json(expanded));
    return print_text(to_yaml(expanded, /*origins=*/true) + member_counts(recipe.recipe));
  }
  const Node resolved = printed_recipe(recipe, session.registries());
  if (session.json) return print_json(to_json(resolved));
  print_text(to_yaml(resolved, arguments.origins) + scaled_schedules(recipe, session));
}

}  // namespace

void add_config(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "config", "prints the resolved recipe, with profile, overrides and defaults applied");
  auto arguments = std::make_shared<ConfigArguments>();
  add_recipe(*command, arguments->recipe);
  add_overrides(*command, arguments->overrides);
  add_profile(*command, arguments->profile);
  command->add_flag("--origins", arguments->origins,
                    "shows the location of each value in the recipe, or that it is a default");
  command->add_flag(
      "--expanded", arguments->expanded,
      "prints the recipe with loops expanded and without defaults, with the origin of each line");
  add_json(*command, session);
  command->callback([arguments, &session] { run(*arguments, session); });
}

}  // namespace lvtext
