#include "framework/core/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

namespace lvtext {

std::optional<int> processors_of_quota(const std::string& text) {
  double quota = 0, period = 0;
  std::istringstream numbers(text);
  if (!(numbers >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<int>(std::ceil(std::min(quota / period, 1e6)));
}

int usable_processors() {
  int processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    processors = std::min(processors, CPU_COUNT(&allowed));
  }
  std::string text;
  std::ifstream file("/sys/fs/cgroup/cpu.max");  // where containers mount it
  std::getline(file, text);
  return std::min(processors, processors_of_quota(text).value_or(processors));
}

void parallel_for(size_t n, int threads, const std::function<void(size_t)>& work) {
  const auto requested = static_cast<size_t>(threads > 0 ? threads : usable_processors());
  const size_t workers = std::clamp<size_t>(requested, 1, std::max<size_t>(n, 1));
  std::exception_ptr failure;
  std::mutex mutex;
  const auto block = [&](size_t worker) {
    try {
      for (size_t i = n * worker / workers; i < n * (worker + 1) / workers; ++i) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::jthread> running;
  for (size_t worker = 1; worker < workers; ++worker) running.emplace_back(block, worker);
  block(0);
  for (std::jthread& thread : running) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lvtext
