#include "framework/core/nn/embedding.h"

#include "framework/core/nn/module_scope.h"

namespace lvtext {

Embedding::Embedding(const Init& init, int64_t vocabulary, int64_t width, double bound)
    : weight_(ModuleScope(*this, init).uniform("weight", {vocabulary, width}, bound)) {}

at::Tensor Embedding::forward(const at::Tensor& ids) const {
  return at::embedding(weight_, ids);
}

}  // namespace lvtext
