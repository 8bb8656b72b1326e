// Initial values of the style transfer model's weights and biases.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// Bounds of the uniform initial values of a layer's weight and bias.
enum class Initialization { kTfGlorot, kTorch };
const std::vector<EnumName<Initialization>>& enum_names(Initialization);

/// kTfGlorot: sqrt(6 / (fan_in + fan_out)); kTorch: 1 / sqrt(fan_in).
double weight_bound(Initialization init, int64_t fan_in, int64_t fan_out);

/// The bound of a bias of `size` units with `fan_in` inputs. kTfGlorot: sqrt(3 / size), because
/// TensorFlow 1 initializes a variable without initializer like a weight with `size` inputs and
/// outputs; kTorch: 1 / sqrt(fan_in).
double bias_bound(Initialization init, int64_t fan_in, int64_t size);

}  // namespace lvtext
