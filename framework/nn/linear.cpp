#include "framework/nn/linear.h"

#include <cmath>

#include "framework/nn/init.h"
#include "framework/tensor/products.h"

namespace lvtext {

Linear::Linear(int64_t in, int64_t out, uint64_t seed, std::string_view name, double bound) {
  const std::string prefix(name);
  const double usual = 1 / std::sqrt(static_cast<double>(in));
  weight_ = register_parameter(
      "weight", uniform_init({out, in}, bound < 0 ? usual : bound, seed, prefix + ".weight"));
  bias_ = register_parameter("bias",
                             uniform_init({out}, bound < 0 ? usual : 0, seed, prefix + ".bias"));
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  return affine(x, weight_, bias_);
}

}  // namespace lvtext
