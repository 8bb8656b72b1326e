#include "framework/core/tensor/torch.h"

namespace lvtext {

bool settle_vector_math() noexcept {
  at::globalContext().setFlushDenormal(true);
  at::globalContext().setAllowTF32CuDNN(false);
  return at::ones({1}).sqrt_().item<float>() == 1;
}

}  // namespace lvtext
