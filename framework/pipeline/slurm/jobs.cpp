#include "framework/pipeline/slurm/jobs.h"

#include <nlohmann/json.hpp>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/json.h"
#include "framework/core/base/program.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSchema = "lvtext.tasks/1";

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The body of a job. SLURM_RESTART_COUNT is not set at the first start.
constexpr const char* kBody = R"(
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK MKL_NUM_THREADS=$SLURM_CPUS_PER_TASK
task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
starts=${SLURM_RESTART_COUNT:-0}
note() { echo "$(date -u +%FT%TZ) $task, restart $starts on $(hostname): $1" >>"$attempts/$SLURM_ARRAY_TASK_ID.txt"; }
note start
warned=0
trap 'warned=1; kill -USR2 $pid' USR2 # the warning before the time limit: save, then queue again
trap : TERM                           # Slurm sends it to lvtext too; if the job goes on is Slurm's decision
run_task & pid=$!
while wait $pid; code=$?; kill -0 $pid 2>/dev/null; do :; done
note "exit code $code"
# 75: saved; 140: the warning came before lvtext could handle it. Only this task: the id of an array
# would queue all of its tasks again.
[[ $code = 75 || $code = 140 ]] && [ $warned = 1 ] && [ $starts -lt $limit ] && exec scontrol requeue $task
exit $code
)";

}  // namespace

std::string hash_of(const Graph& graph, const std::vector<Task>& tasks) {
  Sha256 hash;
  for (const Task& task : tasks) {
    for (const auto& node : task.nodes) hash.update(graph.at(node).identity + "\n");
  }
  return hash.hex();
}

std::string to_json_lines(const TaskFile& file) {
  std::string text = Json{{"schema", kSchema},
                          {"recipe", file.recipe},
                          {"profile", file.profile},
                          {"device", file.device},
                          {"graph", file.graph}}
                         .dump() +
                     "\n";
  for (size_t i = 0; i < file.tasks.size(); ++i) {
    const Task& task = file.tasks[i];
    text += Json{{"task", i + 1},
                 {"stage", task.stage},
                 {"id", task.id},
                 {"row", task.row.empty() ? Json(nullptr) : Json(task.row)},
                 {"seed", optional_json(task.seed)},
                 {"nodes", task.nodes}}
                .dump() +
            "\n";
  }
  return text;
}

TaskFile read_task_file(const std::filesystem::path& path) {
  TaskFile file;
  size_t line = 0;
  for (const std::string& text : split(read_file(path), '\n')) {
    ++line;
    if (text.empty()) continue;
    try {
      const Json json = parse_json(text);
      if (line == 1) {
        if (json.at("schema") != kSchema) {
          throw DataError(path.string() + " has another format than " + kSchema);
        }
        file.recipe = json.at("recipe");
        file.profile = json.at("profile");
        file.device = json.at("device");
        file.graph = json.at("graph");
        continue;
      }
      Task task{json.at("stage"), json.at("id"), "", std::nullopt, json.at("nodes")};
      if (!json.at("row").is_null()) task.row = json.at("row");
      if (!json.at("seed").is_null()) task.seed = json.at("seed").get<int64_t>();
      file.tasks.push_back(std::move(task));
    } catch (const nlohmann::json::exception& error) {
      throw DataError(path.string() + ":" + std::to_string(line) + ": " + json_reason(error));
    }
  }
  return file;
}

std::string array_text(const std::vector<size_t>& tasks, const std::optional<int64_t>& parallel) {
  std::string text;
  for (size_t i = 0; i < tasks.size();) {
    size_t end = i + 1;
    while (end < tasks.size() && tasks[end] == tasks[end - 1] + 1) ++end;
    if (!text.empty()) text += ",";
    text += std::to_string(tasks[i]);
    if (end - i > 1) text += "-" + std::to_string(tasks[end - 1]);
    i = end;
  }
  return parallel ? text + "%" + std::to_string(*parallel) : text;
}

std::string sbatch_file(const Stage& stage, const SlurmSettings& settings, const std::string& name,
                        const std::filesystem::path& folder, const std::filesystem::path& working,
                        const std::vector<std::string>& command) {
  std::string text = "#!/bin/bash\n";
  const auto add = [&text](const std::string& option) {
    text += "#SBATCH" + quoted_words({option}) + "\n";
  };
  const auto add_set = [&add](const std::string& option, const std::string& value) {
    if (!value.empty()) add(option + "=" + value);
  };
  add("--job-name=" + name);
  add("--array=" + array_text(stage.tasks, settings.parallel));
  add_set("--partition", settings.partition);
  add_set("--account", settings.account);
  add_set("--qos", settings.qos);
  add("--ntasks=1");
  add("--cpus-per-task=" + std::to_string(settings.cpus));
  if (settings.has_gpus()) add("--gpus=" + settings.gpus);
  add_set("--mem", settings.memory);
  add_set("--time", settings.time);
  add("--requeue");
  add("--open-mode=append");
  add("--signal=B:USR2@" + std::to_string(settings.warning));
  add("--chdir=" + working.string());
  add("--output=" + (folder / "logs" / "%a.txt").string());
  for (const auto& option : settings.options) text += "#SBATCH " + option + "\n";
  text += "\n";
  for (const auto& line : settings.setup) text += line + "\n";
  text += "attempts=" + quoted_words({(folder / "attempts").string()}).substr(1) + "\n";
  text += "limit=" + std::to_string(settings.attempts) + "\n";
  text += "run_task() { exec" + quoted_words(command) + " --task" +
          quoted_words({(folder / "tasks.jsonl").string() + ":"}) + "$SLURM_ARRAY_TASK_ID; }";
  return text + kBody;
}

}  // namespace lvtext
