#include "framework/cli/workers.h"

#include <algorithm>
#include <cstdlib>

#include "framework/core/base/strings.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/graph/worker_process.h"

namespace lvtext {
namespace {

constexpr int64_t kMaxCpuWorkers = 4;

/// The GPUs that this process may use, in the notation of CUDA_VISIBLE_DEVICES.
std::vector<std::string> visible_gpus() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && *visible != '\0') return split(visible, ',');
  std::vector<std::string> names;
  for (int i = 0; i < cuda_devices(); ++i) names.push_back(std::to_string(i));
  return names;
}

}  // namespace

std::vector<std::unique_ptr<Worker>> make_workers(
    std::optional<int64_t> count, bool on_cpu, int64_t trainings,
    const std::vector<std::string>& worker_arguments) {
  const std::vector<std::string> gpus =
      on_cpu || !cuda_available() ? std::vector<std::string>() : visible_gpus();
  const int64_t threads = cpu_threads();
  const int64_t most =
      gpus.empty() ? std::min(threads, kMaxCpuWorkers) : static_cast<int64_t>(gpus.size());
  const int64_t workers = count.value_or(std::clamp<int64_t>(trainings, 1, most));
  std::vector<std::unique_ptr<Worker>> made;
  if (workers == 1) {
    made.push_back(make_local_worker());
    return made;
  }
  const std::string share = std::to_string(std::max<int64_t>(1, threads / workers));
  for (int64_t i = 0; i < workers; ++i) {
    WorkerCommand command{worker_arguments,
                          {{"OMP_NUM_THREADS", share}, {"MKL_NUM_THREADS", share}}};
    if (!gpus.empty()) command.environment["CUDA_VISIBLE_DEVICES"] = gpus[i % gpus.size()];
    made.push_back(make_worker_process(std::move(command)));
  }
  return made;
}

}  // namespace lvtext
