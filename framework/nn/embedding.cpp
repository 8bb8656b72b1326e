#include "framework/nn/embedding.h"

#include "framework/nn/init.h"

namespace lvtext {

Embedding::Embedding(int64_t vocabulary, int64_t width, uint64_t seed, std::string_view name,
                     double bound) {
  weight_ = register_parameter(
      "weight", uniform_init({vocabulary, width}, bound, seed, std::string(name) + ".weight"));
}

at::Tensor Embedding::forward(const at::Tensor& ids) const {
  return at::embedding(weight_, ids);
}

}  // namespace lvtext
