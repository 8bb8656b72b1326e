#include "framework/cli/flags.h"

#include <CLI/CLI.hpp>

#include "framework/cli/session.h"
#include "framework/cli/values.h"
#include "framework/core/base/error.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const CLI::Option& option, const std::string& value,
                         const std::string& reason, Exit code = Exit::kCannotWrite) {
  throw Error(code, option.get_name() + " " + value + ": " + reason);
}

/// Refuses with `code` a path that is a file or below a file.
CLI::Option* check_folder(CLI::Option* option, Exit code) {
  return option->check([option, code](const std::string& text) {
    std::error_code failed;
    fs::path there = text;  // what exists of the path
    while (!fs::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
    if (fs::exists(there, failed) && !fs::is_directory(there, failed)) {
      refuse(*option, text, "'" + there.string() + "' is a file; give a folder", code);
    }
    return std::string();
  });
}

}  // namespace

CLI::Option* takes_folder(CLI::Option* option) {
  return check_folder(option, Exit::kCannotWrite);
}

CLI::Option* creates_folder(CLI::Option* option) {
  return takes_folder(option)->check([option](const std::string& text) {
    std::error_code failed;
    if (fs::exists(fs::symlink_status(text, failed))) {
      refuse(*option, text, "already exists; give a new folder");
    }
    return std::string();
  });
}

CLI::Option* writes_file(CLI::Option* option, const std::string& example) {
  return option->check([option, example](const std::string& text) {
    std::error_code failed;
    const fs::path file = text, folder = file.parent_path();
    if (fs::is_directory(file, failed)) {
      refuse(*option, text,
             "is a folder; give the path of a file, such as '" +
                 (file / example).lexically_normal().string() + "'");
    }
    if (!folder.empty() && !fs::is_directory(folder, failed)) {
      refuse(*option, text, "there is no folder '" + folder.string() + "'; create it first");
    }
    return std::string();
  });
}

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
  return check_folder(
      command
          .add_option(
              "--mirror", mirror,
              "folder that is searched first for files of data sets (default: LVTEXT_DATA_MIRROR)")
          ->type_name("DIR"),
      Exit::kMissingInput);
}

CLI::Option* add_runs_folder(CLI::App& command, Session& session) {
  return takes_folder(
      command
          .add_option("--out", session.runs, "folder of runs (default: LVTEXT_OUT, else ./runs)")
          ->type_name("DIR"));
}

CLI::Option* add_report_folder(CLI::App& command, Session& session, const std::string& by_default) {
  return takes_folder(command
                          .add_option("--report", session.report,
                                      "folder of the report (default: " + by_default + ")")
                          ->type_name("DIR"));
}

CLI::Option* add_json(CLI::App& command, Session& session) {
  return command.add_flag("--json", session.json, "prints JSON");
}

void ExecutorFlags::check(bool has_workers) const {
  if (is_slurm() && has_workers) {
    throw UsageError(
        "--workers is only for `--executor local`; `cpus` and `parallel` of slurm.yaml are the "
        "threads of a job and the number of jobs at a time");
  }
  if (is_slurm() || !(print || wait || !slurm.empty())) return;
  throw UsageError(std::string(print  ? "--print"
                               : wait ? "--wait"
                                      : "--slurm") +
                   " is only for `--executor slurm`");
}

void add_executor(CLI::App& command, ExecutorFlags& flags) {
  command
      .add_option("--executor", flags.executor,
                  "local: this machine; slurm: submits jobs to a cluster and returns")
      ->check(name_among({"local", "slurm"}));
  command
      .add_option("--slurm", flags.slurm,
                  "slurm: settings of the cluster (default: slurm.yaml of the working directory, "
                  "else of ~/.config/lvtext)")
      ->type_name("FILE");
  command.add_flag("--print", flags.print,
                   "slurm: writes and shows the files of the jobs, submits nothing");
  command.add_flag("--wait", flags.wait,
                   "slurm: follows the jobs until all have ended; leaving it stops none");
}

}  // namespace lvtext
