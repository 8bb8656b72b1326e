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

TEST_CASE("compute mode: the previous mode is restored", "[tensor]") {
  const auto tf32 = [] {
    return at::globalContext().float32MatmulPrecision() == at::Float32MatmulPrecision::HIGH;
  };
  {
    const ComputeMode outer(true, true);
    CHECK(tf32());
    {
      const ComputeMode inner(false, false);
      CHECK_FALSE(tf32());
      CHECK_FALSE(at::globalContext().deterministicAlgorithms());
    }
    CHECK(tf32());
    CHECK(at::globalContext().deterministicAlgorithms());
    const ComputeMode same(false);
    CHECK_FALSE(tf32());
    CHECK(at::globalContext().deterministicAlgorithms());
  }
  CHECK_FALSE(tf32());
  CHECK_FALSE(at::globalContext().deterministicAlgorithms());
}
