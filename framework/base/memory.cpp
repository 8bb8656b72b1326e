#include "framework/base/memory.h"

#include <sys/resource.h>

#include <fstream>

namespace lvtext {

uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

void reset_peak_memory() {
  // proc(5): 5 resets the high-water mark of resident memory.
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace lvtext
