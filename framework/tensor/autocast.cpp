#include "framework/tensor/autocast.h"

#include <ATen/autocast_mode.h>

#include "framework/tensor/torch.h"

namespace lvtext {

AutocastScope::AutocastScope(const at::Device& device, bool wanted)
    : active_(wanted && device.is_cuda()) {
  if (!active_) {
    return;
  }
  was_enabled_ = at::autocast::is_autocast_enabled(at::kCUDA);
  was_type_ = at::autocast::get_autocast_dtype(at::kCUDA);
  at::autocast::set_autocast_enabled(at::kCUDA, true);
  at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (!active_) {
    return;
  }
  if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();
  }
  at::autocast::set_autocast_enabled(at::kCUDA, was_enabled_);
  at::autocast::set_autocast_dtype(at::kCUDA, was_type_);
}

}  // namespace lvtext
