#include "framework/cli/commands/runs.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "framework/base/lock.h"
#include "framework/base/strings.h"
#include "framework/checkpoint/run_folder.h"
#include "framework/cli/print.h"
#include "framework/cli/run_index.h"
#include "framework/cli/session.h"

namespace lvtext {
namespace {

struct Arguments {
  std::vector<std::string> names;
  std::string out;
  bool yes = false;

  std::filesystem::path runs(const Session& session) const {
    return out.empty() ? session.runs : std::filesystem::path(out);
  }
};

void list(const Arguments& arguments, const Session& session) {
  auto json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const FoundRun& run : find_runs(arguments.runs(session))) {
    const uint64_t bytes = folder_bytes(run.folder);
    rows.push_back({run.folder.filename().string(), run.kind, run.component, run.state,
                    format_bytes(bytes), run.problem});
    json.push_back({{"folder", run.folder.string()},
                    {"identity", run.identity},
                    {"kind", run.kind},
                    {"component", run.component},
                    {"state", run.state},
                    {"bytes", bytes},
                    {"problem", run.problem}});
  }
  if (session.json) return print_json({{"schema", "lvtext.runs/1"}, {"runs", json}});
  if (rows.empty()) return print_text("no runs below " + arguments.runs(session).string());
  print_table({"run", "kind", "component", "state", "size", "problem"}, rows);
}

void show(const Arguments& arguments, Session& session) {
  const FoundRun run = find_run(arguments.names[0], arguments.runs(session));
  nlohmann::ordered_json json = {{"schema", "lvtext.run/1"},
                                 {"folder", run.folder.string()},
                                 {"identity", run.identity},
                                 {"kind", run.kind},
                                 {"component", run.component},
                                 {"state", run.state},
                                 {"bytes", folder_bytes(run.folder)}};
  std::vector<std::string> damage;
  if (run.state == "damaged") damage.push_back(run.problem);
  if (run.state == "finished") {
    json["manifest"] = *read_run_manifest(run.folder);
    damage = verify_run(run.folder);
  }
  json["damage"] = damage;
  if (!damage.empty()) session.result = Exit::kBadData;
  if (session.json) return print_json(json);
  for (const auto& [key, value] : json.items()) {
    if (key == "schema" || key == "manifest" || key == "damage") continue;
    print_text(key + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  if (json.contains("manifest")) print_text("manifest: " + json["manifest"].dump(2));
  for (const auto& each : damage) print_text("damaged: " + each);
}

void remove(const Arguments& arguments, const Session& session) {
  std::vector<std::filesystem::path> folders;
  for (const auto& name : arguments.names) {
    folders.push_back(find_run(name, arguments.runs(session)).folder);
  }
  if (!arguments.yes) {
    std::vector<std::string> texts;
    for (const auto& folder : folders) texts.push_back(folder.string());
    throw UsageError("would remove " + join(texts) + "; nothing was removed, add --yes to do it");
  }
  for (const auto& folder : folders) {
    const FolderLock owned(folder);  // refuses a run that a live process works on
    std::error_code failed;
    std::filesystem::remove_all(folder, failed);
    if (failed) throw io_error("remove", folder.string(), failed.value());
    print_text("removed " + folder.string());
  }
}

}  // namespace

void add_runs(CLI::App& app, Session& session) {
  CLI::App* group = app.add_subcommand("runs", "lists, shows and removes runs");
  group->require_subcommand(0, 1);
  auto arguments = std::make_shared<Arguments>();
  group->add_flag("--json", session.json, "prints JSON");
  group->callback([group, arguments, &session] {
    if (group->get_subcommands().empty()) list(*arguments, session);
  });
  const auto add = [&](const char* name, const char* help) {
    CLI::App* command = group->add_subcommand(name, help);
    command->add_option("--out", arguments->out, "the folder of runs")->type_name("DIR");
    return command;
  };
  CLI::App* listed = add("ls", "every run with its state and size");
  listed->add_flag("--json", session.json, "prints JSON");
  listed->callback([arguments, &session] { list(*arguments, session); });
  const char* run_help = "a folder, the beginning of a hash, or <paper>/<row>[@profile][#seed]";
  CLI::App* shown = add("show", "one run, its files verified");
  shown->add_option("RUN", arguments->names, run_help)->required()->expected(1);
  shown->add_flag("--json", session.json, "prints JSON");
  shown->callback([arguments, &session] { show(*arguments, session); });
  CLI::App* removed = add("rm", "removes runs");
  removed->add_option("RUN", arguments->names, run_help)->required();
  removed->add_flag("--yes", arguments->yes, "removes them without a further question");
  removed->callback([arguments, &session] { remove(*arguments, session); });
}

}  // namespace lvtext
