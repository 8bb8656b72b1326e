// Initial values of parameters: functions of (seed, parameter name), independent of the order in
// which modules are built.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace lvtext {

/// Tensor of `shape` with U(-bound, bound) values, float32 on the CPU.
at::Tensor uniform_init(at::IntArrayRef shape, double bound, uint64_t seed, std::string_view name);
/// Tensor of `shape` with N(0, deviation^2) values, float32 on the CPU.
at::Tensor normal_init(at::IntArrayRef shape, double deviation, uint64_t seed,
                       std::string_view name);

}  // namespace lvtext
