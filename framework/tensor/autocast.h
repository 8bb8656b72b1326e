// bfloat16 autocast on CUDA for the life of a scope.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

namespace lvtext {

/// While alive, LibTorch runs matrix products on CUDA in bfloat16 (float32 master weights). Scopes
/// nest; leaving the outermost one drops the cached weight copies, which would otherwise be stale
/// after an optimiser's step. A scope that is not wanted, or not on CUDA, does nothing.
class AutocastScope {
 public:
  AutocastScope(const at::Device& device, bool wanted);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  bool active_;
  bool was_enabled_ = false;
  at::ScalarType was_type_ = at::kFloat;
};

}  // namespace lvtext
