// Numerical mode of LibTorch for a scope.
#pragma once

#include <string>

namespace lvtext {

/// For its lifetime, float32 products on CUDA may use TensorFloat-32, or only deterministic kernels
/// are used. The destructor restores the previous mode, so that later computations in this process
/// do not depend on it.
class ComputeMode {
 public:
  ComputeMode(bool tf32, bool deterministic);
  ~ComputeMode();
  ComputeMode(const ComputeMode&) = delete;
  ComputeMode& operator=(const ComputeMode&) = delete;

 private:
  std::string was_precision_;
  bool was_deterministic_;
};

}  // namespace lvtext
