#include "framework/graph/executor.h"

#include <chrono>
#include <set>
#include <thread>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/log.h"
#include "framework/base/signals.h"
#include "framework/base/strings.h"

namespace lvtext {
namespace {

void run_node(const GraphNode& node, NodeStatus& status, const GraphStatus& all,
              const std::string& position) {
  RunFolder folder(status.folder);
  // Another process may have finished it while this one waited for the lock.
  if (is_finished(status.folder, node)) return;
  nlohmann::ordered_json description = {
      {"schema", "lvtext.node/1"},       {"identity", node.identity},
      {"name", node.label},              {"kind", to_string(node.kind)},
      {"component", node.component},     {"revision", node.revision},
      {"options", node.options},         {"inputs", nlohmann::ordered_json::object()}};
  NodeRun run{folder, {}, {}, {}, {}};
  for (const auto& [slot, name] : node.inputs) {
    run.inputs[slot] = all.at(name).folder;
    description["inputs"][slot] = all.at(name).folder.filename().string();
  }
  if (node.plugin) {
    description["plugins"] = nlohmann::ordered_json::array();
    description["plugins"].push_back({{"name", node.plugin->name},
                                      {"sha256", node.plugin->sha256},
                                      {"interface_version", node.plugin->interface_version},
                                      {"file", node.plugin->file}});
  }
  write_file_atomic(status.folder / "node.json", description.dump(1) + "\n");
  ProgressLine line;
  const std::string head = position + " " + node.name + ": ";
  run.progress = [&](const std::string& text) { line.update(head + text); };
  const auto begin = std::chrono::steady_clock::now();
  node.run(run);
  run.outputs.push_back("node.json");
  nlohmann::ordered_json seal = description;
  seal.erase("schema");
  seal.erase("kind");  // a manifest's own key says that it is a run's
  seal["node_kind"] = to_string(node.kind);
  seal["facts"] = run.facts;
  folder.mark_finished(run.outputs, seal);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  line.clear();
  log_info(position + " " + node.name + " (" + format_seconds(spent.count()) + ")");
}

}  // namespace

std::string to_string(NodeState state) {
  static const char* names[] = {"missing", "begun", "finished", "failed", "blocked"};
  return names[static_cast<int>(state)];
}

GraphStatus graph_status(const Graph& graph, const std::filesystem::path& runs) {
  GraphStatus status;
  for (const auto& node : graph.nodes()) {
    NodeStatus& entry = status[node.name];
    entry.folder = node_folder(runs, node);
    if (is_finished(entry.folder, node)) {
      entry.state = NodeState::kFinished;
    } else if (std::filesystem::exists(entry.folder / "node.json")) {
      entry.state = NodeState::kBegun;
    }
  }
  return status;
}

GraphStatus run_graph(const Graph& graph, const std::vector<std::string>& wanted,
                      const std::filesystem::path& runs) {
  make_folders(runs);
  GraphStatus status = graph_status(graph, runs);
  const auto nodes = graph.needed_for(wanted);
  size_t finished = 0;
  std::set<std::string> waiting;
  for (const auto* node : nodes) {
    if (status[node->name].state == NodeState::kFinished) {
      ++finished;
    } else {
      waiting.insert(node->name);
    }
  }
  while (!waiting.empty()) {
    bool moved = false;
    for (const auto* node : nodes) {
      if (!waiting.contains(node->name)) continue;
      throw_if_stopped();
      NodeStatus& entry = status[node->name];
      bool ready = true;
      for (const auto& [slot, input] : node->inputs) {
        const NodeState state = status[input].state;
        if (state == NodeState::kFailed || state == NodeState::kBlocked) {
          entry.state = NodeState::kBlocked;
          entry.reason = "needs '" + input + "', which failed";
        }
        ready = ready && state == NodeState::kFinished;
      }
      if (entry.state == NodeState::kBlocked) {
        waiting.erase(node->name);
        moved = true;
        continue;
      }
      if (!ready) continue;
      const std::string position =
          "[" + std::to_string(finished + 1) + "/" + std::to_string(nodes.size()) + "]";
      try {
        run_node(*node, entry, status, position);
        entry.state = NodeState::kFinished;
        ++finished;
      } catch (const Interrupted&) {
        if (stop_requested()) throw;
        continue;  // owned by a live process: look at the other nodes first, then again
      } catch (const Error& error) {
        entry.state = NodeState::kFailed;
        entry.reason = error.what();
        log_error(node->name + " failed: " + error.what());
      }
      waiting.erase(node->name);
      moved = true;
    }
    if (!moved) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return status;
}

}  // namespace lvtext
