#include "models/style_transfer/initialization.h"

#include <cmath>

namespace lvtext {

const std::vector<EnumName<Initialization>>& enum_names(Initialization) {
  static const std::vector<EnumName<Initialization>> names = {
      {"tf_glorot", Initialization::kTfGlorot,
       "TensorFlow 1: Glorot uniform for weights and biases, 1 for the biases of GRU gates"},
      {"torch", Initialization::kTorch, "PyTorch: U(-1/sqrt(n), 1/sqrt(n)) for n inputs"}};
  return names;
}

double weight_bound(Initialization init, int64_t fan_in, int64_t fan_out) {
  const auto in = static_cast<double>(fan_in), out = static_cast<double>(fan_out);
  return init == Initialization::kTfGlorot ? std::sqrt(6 / (in + out)) : 1 / std::sqrt(in);
}

double bias_bound(Initialization init, int64_t fan_in, int64_t size) {
  return init == Initialization::kTfGlorot ? weight_bound(init, size, size)
                                           : weight_bound(init, fan_in, size);
}

}  // namespace lvtext
