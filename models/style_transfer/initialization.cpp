#include "models/style_transfer/initialization.h"

#include <cmath>

#include "framework/core/nn/init.h"

namespace lvtext {

const std::vector<EnumName<Initialization>>& enum_names(Initialization) {
  static const std::vector<EnumName<Initialization>> names = {
      {"tf_glorot", Initialization::kTfGlorot,
       "TensorFlow 1: Glorot uniform; biases of a GRU are 1 for its gates and 0 for its candidate "
       "state"},
      {"torch", Initialization::kTorch,
       "PyTorch: U(-1/sqrt(n), 1/sqrt(n)), where n is the number of inputs, or of units of a GRU"}};
  return names;
}

double weight_bound(Initialization init, int64_t fan_in, int64_t fan_out) {
  return init == Initialization::kTfGlorot ? glorot_bound(fan_in, fan_out)
                                           : 1 / std::sqrt(static_cast<double>(fan_in));
}

double bias_bound(Initialization init, int64_t fan_in, int64_t size) {
  return init == Initialization::kTfGlorot ? weight_bound(init, size, size)
                                           : weight_bound(init, fan_in, size);
}

}  // namespace lvtext
