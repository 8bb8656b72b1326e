// The processors that may be used, and parallel loops for code that does not use LibTorch.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace lvtext {

/// Number of processors that this process may use: those of its affinity mask, at most the CPU
/// quota of its container (cgroup v2).
int usable_processors();

/// The processors that a CPU quota allows, rounded up, from the content of cpu.max: 2 for
/// "150000 100000"; none without a limit ("max 100000").
std::optional<int> processors_of_quota(const std::string& text);

/// Calls `work(i)` once for each i < n, in contiguous blocks over `threads` threads (0: one per
/// usable processor). Returns when all are done; rethrows the first exception.
void parallel_for(size_t n, int threads, const std::function<void(size_t)>& work);

}  // namespace lvtext
