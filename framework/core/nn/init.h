// Initial values of parameters: functions of (seed, path of the parameter in its model),
// independent of the order in which modules are built.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace lvtext {

/// What the initial values of a module or a parameter are drawn from.
struct Init {
  uint64_t seed = 0;
  std::string path = {};  ///< name in checkpoints: "decoder.output.weight"; empty for the model

  /// Of the member `name`.
  Init child(std::string_view name) const;
};

/// Tensor of `shape` with U(-bound, bound) values, float32 on the CPU.
at::Tensor uniform_init(const Init& init, at::IntArrayRef shape, double bound);
/// Tensor of `shape` with N(0, deviation^2) values, float32 on the CPU.
at::Tensor normal_init(const Init& init, at::IntArrayRef shape, double deviation);

}  // namespace lvtext
