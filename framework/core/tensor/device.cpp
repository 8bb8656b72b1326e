#include "framework/core/tensor/device.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <latch>
#include <system_error>
#include <thread>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

/// Loads LibTorch's CUDA library, which registers itself; returns an error message or "". LibTorch
/// looks up the registration only once, at the first CUDA query or the first gradient, so the
/// library must be loaded before.
std::string load_cuda() {
  if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* reason = dlerror();
    return std::string("cannot load LibTorch's CUDA library: ") +
           (reason != nullptr ? reason : "unknown reason") +
           ". Install LibTorch with CUDA (./scripts/setup.sh --cuda), or use device: cpu.";
  }
  if (!at::detail::getCUDAHooks().hasCUDART()) {
    return "libtorch_cuda.so was loaded but did not register CUDA support: it belongs to another "
           "LibTorch, or this process has already computed gradients. Set LIBTORCH to a LibTorch "
           "2.11 with CUDA, or use device: cpu.";
  }
  if (at::detail::getCUDAHooks().getNumGPUs() == 0) {
    return "no CUDA device is visible: no NVIDIA driver, no GPU, or CUDA_VISIBLE_DEVICES hides it "
           "(see nvidia-smi). Use device: cpu.";
  }
  return "";
}

std::atomic<bool> used_cuda{false};

std::string& auto_device() {
  static std::string device = "auto";
  return device;
}

/// The device that `wish` means; "auto" if nothing was decided.
std::string decided(const std::string& wish) {
  return wish == "auto" ? auto_device() : wish;
}

const std::string& loaded_problem() {
  static const std::string problem = load_cuda();
  return problem;
}

}  // namespace

bool cuda_available() {
  return loaded_problem().empty();
}

std::string cuda_problem() {
  return loaded_problem();
}

int cuda_devices() {
  return cuda_available() ? int{at::detail::getCUDAHooks().getNumGPUs()} : 0;
}

int cpu_threads() {
  return at::get_num_threads();
}

void check_threads() {
  constexpr int kOthers = 2;  // a prefetcher and an autograd thread
  std::latch tried(1);
  std::vector<std::jthread> threads;
  int failed = 0;
  try {
    while (static_cast<int>(threads.size()) < cpu_threads() - 1 + kOthers) {
      threads.emplace_back([&tried] { tried.wait(); });
    }
  } catch (const std::system_error& error) {
    failed = error.code().value();
  }
  tried.count_down();
  if (failed == 0) return;
  throw Error(
      Exit::kOutOfResources,
      "cannot start " + std::to_string(cpu_threads() - 1 + kOthers) +
          " threads: " + std::strerror(failed) +
          "; increase the limit on processes (ulimit -u), run fewer jobs, or use fewer threads "
          "(OMP_NUM_THREADS=1)");
}

void decide_auto_device(const std::string& device) {
  auto_device() = device;
}

std::string device_class(const std::string& wish) {
  if (decided(wish) == "cuda") {
    cuda_available();  // load the library before CPU gradients are computed (see load_cuda())
    return "cuda";
  }
  return resolve_device(wish).is_cuda() ? "cuda" : "cpu";
}

at::Device resolve_device(const std::string& wish) {
  const std::string device = decided(wish);
  if (device != "auto" && device != "cpu" && device != "cuda") {
    const auto near = nearest(device, {"auto", "cpu", "cuda"});
    throw ConfigError("device: unknown device '" + device + "'. Allowed: auto, cpu, cuda." +
                      (near ? " Did you mean '" + *near + "'?" : ""));
  }
  if (device == "cpu" || (device == "auto" && !cuda_available())) {
    return at::Device(at::kCPU);
  }
  if (!cuda_available()) {
    throw DeviceError("device: cuda was requested, but " + cuda_problem());
  }
  used_cuda = true;
  return at::Device(at::kCUDA, 0);
}

bool cuda_used() {
  return used_cuda;
}

}  // namespace lvtext
