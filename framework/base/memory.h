// Memory of this process, as the system counts it.
#pragma once

#include <cstdint>

namespace lvtext {

/// Largest resident size in bytes since the process began, or since the last reset.
uint64_t peak_memory();
/// Makes the present size the peak. Where the system does not allow it, nothing changes.
void reset_peak_memory();

}  // namespace lvtext
