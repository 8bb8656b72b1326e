// Selection of devices and threads. The program does not link CUDA; LibTorch's CUDA library is
// loaded on demand.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace lvtext {

/// Whether LibTorch's CUDA library loads and finds a device. The first call loads the library
/// (takes seconds) and must precede the first gradient computed in the process. Thread-safe.
bool cuda_available();

/// Why cuda_available() is false, as a sentence for the user; empty if it is true.
std::string cuda_problem();

/// Number of visible CUDA devices; 0 if cuda_available() is false.
int cuda_devices();
/// Number of threads of a CPU operation: the cores, or OMP_NUM_THREADS.
int cpu_threads();
/// Throws Error (71) unless this process can start this many threads and a few more. OpenMP would
/// terminate the process.
void check_threads();

/// Decides what `auto` means in this process, "cpu" or "cuda", whatever this machine has: a command
/// that only plans jobs for other machines has no GPU. By default auto is CUDA if available.
void decide_auto_device(const std::string& device);

/// The type of the device `wish`, "cuda" or "cpu". Does not check availability, so that reports of
/// runs on CUDA can be written without CUDA.
std::string device_class(const std::string& wish);

/// The device `wish` ("auto", "cpu" or "cuda"); auto is CUDA if available. Throws ConfigError for
/// other values, DeviceError if CUDA was requested and is not available.
at::Device resolve_device(const std::string& wish);

/// True if resolve_device() has returned a CUDA device in this process.
bool cuda_used();

}  // namespace lvtext
