// How a command's failure ends the process.
#pragma once

namespace lvtext {

/// Reports the exception that is being handled on standard error and returns the exit code: an
/// Error's own, 71 for exhausted memory, 70 for everything that is a bug of ours. LVTEXT_TRACE=1
/// shows where LibTorch's errors come from. Call it in a catch block.
int report_failure();

}  // namespace lvtext
