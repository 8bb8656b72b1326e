// Counter-based random numbers: each is a pure function of a key, an example id and an index, so
// that splitting, reordering, padding or recomputing batches does not change them.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace lvtext {

/// Key of a draw. Keys that differ in any field give independent random numbers.
struct NoiseKey {
  uint64_t seed = 0;
  uint64_t step = 0;
  uint32_t stream = 0;  ///< execution of a phase within the step, or a stream shared by phases
  uint32_t use = 0;     ///< purpose; see noise_use()
};

/// The FNV-1a hash of the name of a purpose ("dropout.input"), for NoiseKey::use.
uint32_t noise_use(std::string_view name);

/// Philox-4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy
/// as 1, 2, 3"), as in Random123.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// N(0, 1) noise, [B, per_example_shape...], by the Box-Muller transform. `example_ids`: [B] int64
/// on the CPU, ids >= 0. Element e (row-major index within the example) depends only on (key, id,
/// e): for a shape [T, ...], increasing T does not change earlier positions. At most 2^34 elements
/// per example. `options`: device and dtype (float or double). Numbers are computed on the CPU and
/// copied to other devices.
at::Tensor normal(const NoiseKey& key, const at::Tensor& example_ids,
                  at::IntArrayRef per_example_shape, const at::TensorOptions& options);

/// Uniform noise in the open interval (0, 1), multiples of 2^-24, so that its logarithm is finite.
at::Tensor uniform(const NoiseKey& key, const at::Tensor& example_ids,
                   at::IntArrayRef per_example_shape, const at::TensorOptions& options);

/// 0 with probability `p`, the probability of dropping, otherwise 1. All ones for p = 0, all zeros
/// for p = 1.
at::Tensor dropout_mask(const NoiseKey& key, const at::Tensor& example_ids,
                        at::IntArrayRef per_example_shape, double p,
                        const at::TensorOptions& options);

/// The same distributions with one draw per step instead of one per example, for example for
/// weights or the prior samples of a batch.
at::Tensor normal_step(const NoiseKey& key, at::IntArrayRef shape,
                       const at::TensorOptions& options);
at::Tensor uniform_step(const NoiseKey& key, at::IntArrayRef shape,
                        const at::TensorOptions& options);

}  // namespace lvtext
