#include "framework/core/base/parallel.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lvtext {

void parallel_for(size_t n, int threads, const std::function<void(size_t)>& work) {
  const size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const size_t wanted = threads > 0 ? static_cast<size_t>(threads) : processors;
  const size_t workers = std::clamp<size_t>(wanted, 1, std::max<size_t>(n, 1));
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
