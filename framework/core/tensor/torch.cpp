#include "framework/core/tensor/torch.h"

namespace lvtext {

bool set_up_arithmetic() noexcept {
  at::globalContext().setFlushDenormal(true);
  at::globalContext().setAllowTF32CuDNN(false);
  return at::ones({1}).sqrt_().item<float>() == 1;
}

}  // namespace lvtext
