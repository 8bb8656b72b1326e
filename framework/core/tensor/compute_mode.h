// How exactly LibTorch computes, for the life of a scope.
#pragma once

#include <string>

namespace lvtext {

/// While alive, float32 products on CUDA may use TensorFloat-32, or only deterministic kernels run.
/// The end restores what was: what is made of a model afterwards does not depend on which training
/// ran before it in this process.
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
