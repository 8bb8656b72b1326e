// Parallel loops for code that does not use LibTorch.
#pragma once

#include <cstddef>
#include <functional>

namespace lvtext {

/// Calls `work(i)` once for each i < n, in contiguous blocks over `threads` threads (0: one per
/// processor). Returns when all are done; rethrows the first exception.
void parallel_for(size_t n, int threads, const std::function<void(size_t)>& work);

}  // namespace lvtext
