#include "framework/cli/commands/doctor.h"

#include <ATen/Parallel.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "framework/base/strings.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/versions.h"
#include "framework/tensor/device.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

// The nearest folder above (or at) `path` that exists.
fs::path existing(fs::path path) {
  std::error_code failed;
  path = fs::absolute(path, failed);
  while (!fs::exists(path, failed) && path.has_relative_path()) path = path.parent_path();
  return path;
}

std::string disk(const fs::path& path) {
  std::error_code failed;
  const fs::path folder = existing(path);
  const fs::space_info space = fs::space(folder, failed);
  if (failed) return "unknown: " + failed.message();
  return format_bytes(space.available) + " free" +
         (access(folder.c_str(), W_OK) == 0 ? "" : ", NOT WRITABLE") + " (" + path.string() + ")";
}

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const auto& folder : split(path != nullptr ? path : "", ':')) {
    const fs::path file = fs::path(folder) / name;
    if (access(file.c_str(), X_OK) == 0) return file.string();
  }
  return "";
}

void run(const Session& session) {
  std::vector<std::pair<std::string, std::string>> facts;
  facts.emplace_back("lvtext", join(split(version_text(), '\n'), "; "));
  facts.emplace_back("threads", std::to_string(at::get_num_threads()) + " of " +
                                    std::to_string(std::thread::hardware_concurrency()));
  const uint64_t pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
  facts.emplace_back("memory", format_bytes(pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE))));
  facts.emplace_back("CUDA", cuda_available() ? "present" : "absent: " + cuda_problem());
  facts.emplace_back("runs", disk(session.runs));
  const DataPlaces places = data_places();
  facts.emplace_back("data", disk(places.cache));
  facts.emplace_back("mirror", places.mirror.empty() ? "none (LVTEXT_DATA_MIRROR)"
                                                     : places.mirror.string());
  const std::string curl = find_program("curl");
  facts.emplace_back("curl", curl.empty() ? "absent: `data get` cannot download" : curl);
  const std::string slurm = find_program("sbatch");
  facts.emplace_back("Slurm", slurm.empty() ? "absent" : slurm);
  facts.emplace_back("recipes", session.installation.empty()
                                    ? "recipes/ of the working directory"
                                    : (session.installation / "recipes").string());
  if (session.json) {
    nlohmann::ordered_json json = {{"schema", "lvtext.doctor/1"}};
    for (const auto& [name, value] : facts) json[name] = value;
    return print_json(json);
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : facts) rows.push_back({name, value});
  print_table({"part", "state"}, rows);
}

}  // namespace

void add_doctor(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("doctor", "shows what this machine offers");
  command->add_flag("--json", session.json, "prints JSON");
  command->callback([&session] { run(session); });
}

}  // namespace lvtext
