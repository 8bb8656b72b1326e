// Initialization of parameters. Values are functions of (seed, path of the parameter in its model),
// independent of the order of construction.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace lvtext {

/// Seed and path that determine the initial values of a module or parameter.
struct Init {
  uint64_t seed = 0;
  std::string path = {};  ///< name in checkpoints: "decoder.output.weight"; empty for the model

  /// Returns the Init of the member `name`.
  Init child(std::string_view name) const;
};

/// Bound of U(-bound, bound) for a layer with `fan_in` inputs and `fan_out` outputs:
/// sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010). TensorFlow 1 uses it for a bias of n
/// units, too, with both equal to n.
double glorot_bound(int64_t fan_in, int64_t fan_out);

/// Returns a tensor of U(-bound, bound) values, float32 on the CPU.
at::Tensor uniform_init(const Init& init, at::IntArrayRef shape, double bound);
/// Returns a tensor of N(0, deviation^2) values, float32 on the CPU.
at::Tensor normal_init(const Init& init, at::IntArrayRef shape, double deviation);

}  // namespace lvtext
