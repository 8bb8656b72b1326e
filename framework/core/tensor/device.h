// Where tensors live. The program does not link CUDA: LibTorch's CUDA library is loaded when asked
// for.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace lvtext {

/// True if LibTorch's CUDA library loads and finds a device. Loads the library on the first call
/// (seconds), which must come before the process computes a gradient; thread-safe.
bool cuda_available();

/// Why cuda_available() is false, as a sentence for a user; empty if it is true.
std::string cuda_problem();

/// Number of CUDA devices that this process sees; 0 where cuda_available() is false.
int cuda_devices();
/// Threads that one CPU operation uses: the cores, or OMP_NUM_THREADS.
int cpu_threads();
/// Throws Error (71) unless this process may start that many threads and a few more: where OpenMP
/// cannot, it ends the process.
void check_threads();

/// "cuda" or "cpu": what `wish` means here. Nothing is refused, so that a report of runs on CUDA
/// can be made where there is none.
std::string device_class(const std::string& wish);

/// The device that `wish` ("auto", "cpu" or "cuda") means here: auto takes CUDA if there is one.
/// Throws ConfigError for another word, and DeviceError if CUDA was requested and something is
/// missing.
at::Device resolve_device(const std::string& wish);

}  // namespace lvtext
