#include "framework/core/base/error.h"
#include "framework/core/tensor/compute_mode.h"
#include "framework/core/tensor/device.h"
#include "framework/core/tensor/torch.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("device: the CPU is always available, unknown names are rejected with the nearest",
          "[tensor]") {
  CHECK(resolve_device("cpu") == at::Device(at::kCPU));
  CHECK_THROWS_AS(resolve_device("gpu"), ConfigError);
  CHECK_THROWS_WITH(resolve_device("cude"), Contains("'cuda'") && Contains("auto, cpu, cuda"));
}

TEST_CASE("device: cuda is resolved, or the error names what is missing", "[tensor]") {
  CHECK(cuda_available() == cuda_problem().empty());
  if (cuda_available()) {
    CHECK(resolve_device("cuda") == at::Device(at::kCUDA, 0));
    CHECK(resolve_device("auto").is_cuda());
  } else {
    CHECK(resolve_device("auto").is_cpu());
    CHECK_THROWS_AS(resolve_device("cuda"), DeviceError);
    CHECK_THROWS_WITH(resolve_device("cuda"), Contains("device: cpu"));
  }
}

TEST_CASE("device: a report does not require a device", "[tensor]") {
  CHECK(device_class("cuda") == "cuda");
  CHECK(device_class("cpu") == "cpu");
  CHECK(device_class("auto") == (cuda_available() ? "cuda" : "cpu"));
}

TEST_CASE("device: what auto means can be decided for other machines", "[tensor]") {
  decide_auto_device("cuda");
  CHECK(device_class("auto") == "cuda");
  CHECK(device_class("cpu") == "cpu");
  if (!cuda_available()) CHECK_THROWS_AS(resolve_device("auto"), DeviceError);
  decide_auto_device("cpu");
  CHECK(resolve_device("auto").is_cpu());
  CHECK(device_class("cuda") == "cuda");
  decide_auto_device("auto");
  CHECK(device_class("auto") == (cuda_available() ? "cuda" : "cpu"));
}

TEST_CASE("compute mode: sets all operations on CUDA and restores the previous mode", "[tensor]") {
  using enum at::Float32Op;
  const auto precision = [](at::Float32Backend backend, at::Float32Op op) {
    return at::globalContext().float32Precision(backend, op);
  };
  const auto check_tf32 = [&](bool expected) {
    for (const auto op : {MATMUL, CONV, RNN}) {
      INFO("operation " << static_cast<int>(op));
      const bool tf32 = precision(at::Float32Backend::CUDA, op) == at::Float32Precision::TF32;
      CHECK(tf32 == expected);
    }
    CHECK(at::globalContext().allowTF32CuBLAS() == expected);
    CHECK(at::globalContext().allowTF32CuDNN() == expected);
    // A CPU computes in float32.
    CHECK(precision(at::Float32Backend::MKLDNN, MATMUL) != at::Float32Precision::TF32);
    CHECK(precision(at::Float32Backend::MKLDNN, CONV) != at::Float32Precision::TF32);
  };
  check_tf32(false);  // without a compute mode, too
  {
    const ComputeMode outer(true, true);
    check_tf32(true);
    {
      const ComputeMode inner(false, false);
      check_tf32(false);
      CHECK_FALSE(at::globalContext().deterministicAlgorithms());
    }
    check_tf32(true);
    CHECK(at::globalContext().deterministicAlgorithms());
    const ComputeMode same(false);
    check_tf32(false);
    CHECK(at::globalContext().deterministicAlgorithms());
  }
  check_tf32(false);
  CHECK_FALSE(at::globalContext().deterministicAlgorithms());
}
