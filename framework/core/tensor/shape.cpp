#include "framework/core/tensor/shape.h"

#include <stdexcept>
#include <string>

namespace lvtext {
namespace {

template <class Sizes>
std::string text_of(const Sizes& sizes) {
  std::string text;
  for (const int64_t size : sizes) {
    if (!text.empty()) text += ", ";
    text += size == kAnySize ? "*" : size == kLeadingDims ? "..." : std::to_string(size);
  }
  return "[" + text + "]";
}

}  // namespace

void fail_shape(const at::Tensor& tensor, std::initializer_list<int64_t> shape, const char* name,
                const char* letters, const char* file, int line) {
  const std::string found =
      tensor.defined() ? " has the shape " + text_of(tensor.sizes()) : " is undefined";
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": " + name + found +
                         ", expected " + letters + " = " + text_of(shape));
}

}  // namespace lvtext
