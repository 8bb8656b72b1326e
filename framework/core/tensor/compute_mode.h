// Scope guard for LibTorch's float32 precision and determinism settings.
#pragma once

#include <string>

namespace lvtext {

/// While alive, float32 matrix products on CUDA may use TensorFloat-32 (`tf32`), and LibTorch uses
/// deterministic algorithms only (`deterministic`). The destructor restores the previous settings,
/// so that later results in this process do not depend on which training ran before.
class ComputeMode {
 public:
  ComputeMode(bool tf32, bool deterministic);
  /// Leaves `deterministic` as it is.
  explicit ComputeMode(bool tf32);
  ~ComputeMode();
  ComputeMode(const ComputeMode&) = delete;
  ComputeMode& operator=(const ComputeMode&) = delete;

 private:
  std::string was_precision_;
  bool was_deterministic_;
};

}  // namespace lvtext
