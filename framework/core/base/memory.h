// Memory of this process, as the system counts it.
#pragma once

#include <cstdint>

namespace lvtext {

/// Largest resident size in bytes since the process began, or since the last reset.
uint64_t peak_memory();
/// Makes the present size the peak. Where the system does not allow it, nothing changes.
void reset_peak_memory();

/// Bytes that this process could still take before the system refuses or ends it: the free and the
/// reclaimable memory of the machine, within the limits of the process (RLIMIT_AS) and of its
/// control group. The largest number where nothing of it is known.
uint64_t available_memory();

}  // namespace lvtext
