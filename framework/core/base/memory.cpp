#include "framework/core/base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace lvtext {

uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void reset_peak_memory() {
  // proc(5): 5 resets the high-water mark of resident memory.
  std::ofstream("/proc/self/clear_refs") << "5";
}

uint64_t available_memory() {
  uint64_t least = std::numeric_limits<uint64_t>::max();
  std::ifstream machine("/proc/meminfo");
  // Lines such as "MemAvailable:   24064000 kB".
  uint64_t kibibytes = 0;
  for (std::string name, rest; machine >> name >> kibibytes; std::getline(machine, rest)) {
    if (name == "MemAvailable:") least = kibibytes * 1024;
  }
  const auto number_in = [](const std::string& file) {
    uint64_t number = 0;
    std::ifstream stream(file);
    return stream >> number ? std::optional(number) : std::nullopt;
  };
  // cgroup v2, at the path where containers mount it.
  const auto most = number_in("/sys/fs/cgroup/memory.max");
  const auto taken = number_in("/sys/fs/cgroup/memory.current");
  if (most && taken) least = std::min(least, *most - std::min(*most, *taken));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const uint64_t pages = number_in("/proc/self/statm").value_or(0);
    const uint64_t used = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    least = std::min<uint64_t>(least, limit.rlim_cur - std::min<uint64_t>(limit.rlim_cur, used));
  }
  return least;
}

}  // namespace lvtext
