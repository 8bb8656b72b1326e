// Scope guard for LibTorch's float32 precision and determinism settings.
#pragma once

namespace lvtext {

/// While alive, float32 matrix products, convolutions and cuDNN's recurrent layers on CUDA use
/// TensorFloat-32 if `tf32`, otherwise float32, and LibTorch uses deterministic algorithms only
/// (`deterministic`). The CPU computes in float32 in both cases. The destructor restores the
/// previous settings, so that later results in this process do not depend on which training ran
/// before.
class ComputeMode {
 public:
  ComputeMode(bool tf32, bool deterministic);
  /// Leaves `deterministic` as it is.
  explicit ComputeMode(bool tf32);
  ~ComputeMode();
  ComputeMode(const ComputeMode&) = delete;
  ComputeMode& operator=(const ComputeMode&) = delete;

 private:
  bool was_tf32_;
  bool was_deterministic_;
  bool filled_;  ///< new tensors, in deterministic mode
};

}  // namespace lvtext
