#include "framework/pipeline/graph/worker.h"

#include <chrono>
#include <utility>

#include "framework/core/base/clock.h"
#include "framework/core/base/crash.h"
#include "framework/core/base/disk.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/log.h"
#include "framework/core/base/memory.h"
#include "framework/core/base/signals.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/tensor/device.h"
#include "framework/core/tensor/failure.h"

namespace lvtext {
namespace {

nlohmann::ordered_json describe(const NodeJob& job) {
  const GraphNode& node = *job.node;
  nlohmann::ordered_json description = {
      {"schema", "lvtext.node/1"},   {"identity", node.identity},
      {"name", node.label},          {"kind", enum_name(node.kind)},
      {"component", node.component}, {"revision", node.revision},
      {"options", node.options},     {"inputs", nlohmann::ordered_json::object()}};
  if (!node.stem.empty()) description["stem"] = node.stem;
  description["recipe"] = node.recipe;
  if (!node.row.empty()) description["row"] = node.row;
  if (!node.data.empty()) description["data"] = node.data;
  if (const auto& headline = node.headline) {
    description["headline"] = {
        {"metric", headline->metric}, {"score", headline->score}, {"node", headline->node}};
  }
  for (const auto& [worker, folder] : job.inputs) {
    description["inputs"][worker] = folder.filename().string();
  }
  if (!node.parts.empty()) description["parts"] = node.parts;
  if (const auto& plugin = job.node->plugin) {
    description["plugins"] = nlohmann::ordered_json::array();
    description["plugins"].push_back({{"name", plugin->name},
                                      {"sha256", plugin->sha256},
                                      {"interface_version", plugin->interface_version},
                                      {"file", plugin->file}});
  }
  return description;
}

void compute(const NodeJob& job, RunFolder& folder, const Worker::Progress& progress) {
  nlohmann::ordered_json description = describe(job);
  write_file_atomic(job.folder / kNodeFile, description.dump(1) + "\n");
  NodeRun run{folder, job.inputs, progress, {}, {}, job.same_stem, job.node->parts, job.pause_at};
  job.node->run(run);
  run.outputs.push_back(kNodeFile);
  description.erase("schema");
  description["finished"] = utc_time(current_time());
  description["metadata"] = run.metadata;
  folder.mark_finished(run.outputs, description);
}

/// Writes the reason of a failure to the folder, for `lvtext runs ls`. Errors (a full disk) are
/// only logged, so that they do not replace the failure.
void note_failure(const std::filesystem::path& folder, const std::string& reason) {
  const nlohmann::ordered_json failure = {
      {"schema", "lvtext.failure/1"}, {"time", utc_time(current_time())}, {"reason", reason}};
  try {
    write_file_atomic(folder / kFailureFile,
                      failure.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } catch (const Error& error) {
    log_warning("the reason of the failure could not be written: " + std::string(error.what()));
  }
}

void work_on(const NodeJob& job, const Worker::Progress& progress) {
  RunFolder folder(job.folder);
  // Another process may have finished the node before this one acquired the lock.
  if (is_finished(job.folder, *job.node)) return;
  std::error_code absent;
  std::filesystem::remove(job.folder / kFailureFile, absent);
  try {
    compute(job, folder, progress);
  } catch (const Interrupted&) {
    throw;
  } catch (const NodeSkipped&) {
    throw;
  } catch (...) {  // any failure is recorded while this process owns the folder
    note_failure(job.folder, describe_failure(job.node->plugin_components).message);
    throw;
  }
}

class LocalWorker : public Worker {
 public:
  void start(const NodeJob& job, Progress progress) override { outcome_ = run_node(job, progress); }
  std::optional<NodeOutcome> poll() override { return std::exchange(outcome_, std::nullopt); }
  void stop(int) override {}  // the signal handler of this process has already set its flag

 private:
  std::optional<NodeOutcome> outcome_;
};

}  // namespace

std::string described(const GraphNode& node) {
  const std::string& plugin = node.plugin_components;
  return "'" + node.name + "'" + (plugin.empty() ? "" : " with " + plugin);
}

NodeOutcome run_node(const NodeJob& job, const Worker::Progress& progress) {
  NodeOutcome outcome;
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_before = cpu_seconds();
  std::error_code failed;
  const bool begun_before = std::filesystem::exists(job.folder / kNodeFile, failed);
  reset_peak_memory();
  const CrashNote note("computing " + described(*job.node));
  try {
    work_on(job, progress);
    outcome.measure.whole = !begun_before;
    if (job.node->units) outcome.measure.units = job.node->units(job.inputs).value_or(0);
    if (job.node->size) outcome.measure.size = job.node->size(job.inputs).value_or(0);
    outcome.measure.disk = static_cast<double>(folder_bytes(job.folder));
  } catch (const Paused& paused) {
    outcome.end = NodeOutcome::End::kPaused;
    outcome.reason = paused.what();
  } catch (const Interrupted& interrupted) {
    outcome.end = stop_requested() ? NodeOutcome::End::kStopped : NodeOutcome::End::kBusy;
    outcome.reason = interrupted.what();
  } catch (const NodeSkipped& skipped) {
    outcome.end = NodeOutcome::End::kSkipped;
    outcome.reason = skipped.what();
    outcome.detail = skipped.detail;
  } catch (const DamagedRun& damage) {
    outcome.end = NodeOutcome::End::kFailed;
    outcome.reason = damage.what();
    outcome.damaged = damage.folder;
  } catch (const Error& error) {
    outcome.end = NodeOutcome::End::kFailed;
    outcome.reason = error.what();
  } catch (...) {
    // Any other exception, including out of memory, must not end the other nodes.
    outcome.end = NodeOutcome::End::kFailed;
    outcome.broken = true;  // after a device error, all later device calls fail too
    outcome.reason = describe_failure(job.node->plugin_components).message;
  }
  if (!cuda_used()) outcome.measure.cpu = cpu_seconds() - cpu_before;  // else waits for the GPU
  outcome.measure.memory = static_cast<double>(peak_memory());
  outcome.measure.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

std::unique_ptr<Worker> make_local_worker() {
  return std::make_unique<LocalWorker>();
}

}  // namespace lvtext
