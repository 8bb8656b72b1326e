#include "framework/cli/flags.h"

#include <CLI/CLI.hpp>

#include "framework/cli/session.h"

namespace lvtext {

CLI::Option* add_recipe(CLI::App& command, std::string& recipe) {
  return command.add_option("RECIPE", recipe, "a file, a folder, or <paper>/<table>")->required();
}

CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& overrides) {
  return command.add_option("OVERRIDES", overrides,
                            "options to override: key.path=value, any number of them");
}

CLI::Option* add_profile(CLI::App& command, std::string& profile) {
  return command
      .add_option("--profile", profile, "smoke, cpu, gpu, paper, or another profile of the recipe")
      ->type_name("NAME");
}

CLI::Option* add_mirror(CLI::App& command, std::string& mirror) {
  return command
      .add_option(
          "--mirror", mirror,
          "folder that is searched first for files of data sets (default: LVTEXT_DATA_MIRROR)")
      ->type_name("DIR");
}

CLI::Option* add_runs_folder(CLI::App& command, std::string& out) {
  return command.add_option("--out", out, "folder of runs (default: LVTEXT_OUT, else ./runs)")
      ->type_name("DIR");
}

CLI::Option* add_report_folder(CLI::App& command, Session& session) {
  return command
      .add_option("--report", session.report,
                  "folder of the report (default: ./reports/<paper>/<table>-<profile>; overrides, "
                  "--rows and --seeds add a hash)")
      ->type_name("DIR");
}

CLI::Option* add_json(CLI::App& command, Session& session) {
  return command.add_flag("--json", session.json, "prints JSON");
}

}  // namespace lvtext
