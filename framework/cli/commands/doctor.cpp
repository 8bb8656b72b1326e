#include "framework/cli/commands/commands.h"

#include <ATen/Parallel.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/slurm_doctor.h"
#include "framework/cli/versions.h"
#include "framework/core/base/disk.h"
#include "framework/core/base/error.h"
#include "framework/core/base/log.h"
#include "framework/core/base/parallel.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/tensor/bf16_product.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/graph/estimate.h"
#include "framework/pipeline/plan/experiment.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

std::string disk(const fs::path& path) {
  const auto free = free_bytes(path);
  if (!free) return "unknown (" + path.string() + ")";
  return format_bytes(*free) + " free" +
         (access(existing_folder(path).c_str(), W_OK) == 0 ? "" : ", NOT WRITABLE") + " (" +
         path.string() + ")";
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
  std::vector<std::pair<std::string, std::string>> metadata;
  metadata.emplace_back("lvtext", join(split(version_text(), '\n'), "; "));
  metadata.emplace_back("threads", std::to_string(at::get_num_threads()) + " of " +
                                       std::to_string(usable_processors()));
  const Bf16Support& bf16 = cpu_bf16_support();
  metadata.emplace_back("bf16", std::string(bf16.is_fast() ? "faster" : "slower") +
                                    " than fp32 on this CPU: " + bf16.reason);
  const uint64_t pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
  metadata.emplace_back("memory",
                        format_bytes(pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE))));
  metadata.emplace_back("CUDA", cuda_available() ? "present" : "absent: " + cuda_problem());
  metadata.emplace_back("runs", disk(session.runs));
  const DataLocations locations = data_locations();
  metadata.emplace_back("data", disk(locations.cache));
  metadata.emplace_back(
      "mirror", locations.mirror.empty() ? "none (LVTEXT_DATA_MIRROR)" : locations.mirror.string());
  const std::string curl = find_program("curl");
  metadata.emplace_back("curl", curl.empty() ? "absent: `data get` cannot download" : curl);
  const std::string slurm = find_program("sbatch");
  metadata.emplace_back("Slurm", slurm.empty() ? "absent" : slurm);
  metadata.emplace_back("recipes", session.installation.empty()
                                       ? "recipes/ of the working directory"
                                       : (session.installation / "recipes").string());
  if (session.json) {
    nlohmann::ordered_json json = {{"schema", "lvtext.doctor/1"}};
    for (const auto& [name, value] : metadata) json[name] = value;
    return print_json(json);
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : metadata) rows.push_back({name, value});
  print_table({"part", "state"}, rows);
}

struct MeasureRequest {
  bool measure = false, slurm = false;
  std::string task;  ///< in a job of --slurm
  std::string recipe = "quickstart/quickstart", profile, mirror;
  std::vector<std::string> overrides;
};

/// The datasets of trainings that are timed, or that read more than one and can be timed when they
/// run, if they can be prepared without running a model.
std::vector<std::string> given_datasets(const Graph& graph,
                                        const std::vector<const GraphNode*>& nodes) {
  std::vector<std::string> datasets;
  for (const GraphNode* node : nodes) {
    const bool reads_more = node->kind == NodeKind::kTrain && node->inputs.size() > 2;
    if (!node->measure && !reads_more) continue;
    for (const auto& [name, input] : node->inputs) {
      if (graph.at(input).kind != NodeKind::kPack) continue;
      const auto needed = graph.needed_for({input});
      const bool is_given = std::all_of(needed.begin(), needed.end(), [](const GraphNode* each) {
        return each->kind == NodeKind::kSource || each->kind == NodeKind::kFit ||
               each->kind == NodeKind::kPack;
      });
      if (is_given) add_new(datasets, input);
    }
  }
  return datasets;
}

/// Prepares the data of the recipe's trainings, measures a few of their steps and stores the
/// results.
void measure(const MeasureRequest& request, Session& session) {
  ExperimentRequest requested;
  requested.locations = data_locations(request.mirror);
  const Experiment experiment =
      build_experiment(session.recipe(request.recipe, request.profile, request.overrides),
                       session.registries(), requested);
  const StopSignals signals;
  const auto nodes = experiment.graph.needed_for(experiment.targets());
  const auto prepared = given_datasets(experiment.graph, nodes);
  const auto status = run_graph(experiment.graph, prepared, session.runs);
  for (const auto& node : prepared) {
    const NodeStatus& entry = status.at(node);
    if (entry.state == NodeState::kFinished) continue;
    log_warning(node + " could not be prepared" +
                (entry.reason.empty() ? "" : " (" + entry.reason + ")") +
                ": trainings on it are neither timed nor planned by their work");
    if (entry.state != NodeState::kSkipped) session.result = Exit::kSomeFailed;
  }
  Measures measures(Measures::default_file());
  ProgressLine line;
  const auto measured = measure_trainings(
      nodes, status, measures, [&line](const std::string& node) { line.update("timing " + node); });
  line.clear();
  const Estimate cost = estimate(nodes, status, measures);
  if (session.json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& [node, steps] : measured) {
      list.push_back({{"node", node},
                      {"tokens_per_second", steps.units / steps.seconds},
                      {"memory_bytes", steps.memory}});
    }
    return print_json({{"schema", "lvtext.measures/1"},
                       {"measured", list},
                       {"seconds", cost.high},
                       {"seconds_low", cost.low}});
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [node, steps] : measured) {
    rows.push_back({node, format_count(static_cast<int64_t>(steps.units / steps.seconds)),
                    format_bytes(static_cast<uint64_t>(steps.memory))});
  }
  if (!rows.empty()) print_table({"training", "tokens/s", "memory"}, rows);
  print_text(experiment.recipe.options.recipe + ", profile " + experiment.recipe.profile + ": " +
             estimate_text(cost, 1) + " (kept in " + Measures::default_file().string() + ")");
}

}  // namespace

void add_doctor(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("doctor", "shows hardware, disk and data of this machine");
  auto request = std::make_shared<MeasureRequest>();
  CLI::Option* flag =
      command->add_flag("--measure", request->measure,
                        "measures training steps on this machine for estimates of time and memory");
  command
      ->add_flag("--slurm", request->slurm,
                 "submits two short jobs that check signals, requeue, locks and CUDA of a cluster "
                 "with the settings of slurm.yaml")
      ->excludes(flag);
  command->add_option("--task", request->task)->group("");  // internal: set in the jobs of --slurm
  command
      ->add_option("RECIPE", request->recipe,
                   "--measure: recipe with the trainings (default: quickstart)")
      ->needs(flag);
  add_overrides(*command, request->overrides)->needs(flag);
  add_profile(*command, request->profile)->needs(flag);
  add_mirror(*command, request->mirror)->needs(flag);
  add_json(*command, session);
  command->callback([request, &session] {
    if (!request->task.empty()) {
      run_cluster_probe(request->task, session);
    } else if (request->slurm) {
      check_cluster(session);
    } else if (request->measure) {
      measure(*request, session);
    } else {
      run(session);
    }
  });
}

}  // namespace lvtext
