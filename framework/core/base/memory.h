// Memory and processor time used by this process, as reported by the system.
#pragma once

#include <cstdint>

namespace lvtext {

/// Largest resident size in bytes since the process started, or since the last reset.
uint64_t peak_memory();
/// Resets the peak to the current size, if the system allows it.
void reset_peak_memory();

/// CPU time of all threads since the process started, in seconds.
double cpu_seconds();

/// Bytes that this process can still allocate: free and reclaimable memory of the machine within
/// the limits of the process (RLIMIT_AS) and of its control group. The maximum value if unknown.
uint64_t available_memory();

}  // namespace lvtext
