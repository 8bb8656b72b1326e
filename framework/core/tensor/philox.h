// Counter-based random numbers: each is a pure function of a key, an example and an index, so that
// batches can be split, reordered, padded or recomputed without changing them.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace lvtext {

/// Key of a stream of random numbers. Keys that differ in any field give independent numbers.
struct NoiseKey {
  uint64_t seed = 0;
  uint64_t step = 0;
  uint32_t stream = 0;  ///< index of a phase's run within the step, or of a value shared by phases
  uint32_t use = 0;     ///< purpose; see noise_use()
};

/// The number of a named purpose ("dropout.input"): its FNV-1a hash.
uint32_t noise_use(std::string_view name);

/// Philox-4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy
/// as 1, 2, 3"), as in Random123.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// N(0, 1) noise, [B, per_example_shape...], by Box and Muller. `example_ids` is [B] int64 on the
/// CPU, ids >= 0. Element e (row-major index within the example) depends only on (key, id,
/// e): with a shape [T, ...], a larger T does not change earlier positions. At most 2^34 elements
/// per example. `options`: device and dtype (float or double); all devices receive the numbers
/// computed on the CPU.
at::Tensor normal(const NoiseKey& key, const at::Tensor& example_ids,
                  at::IntArrayRef per_example_shape, const at::TensorOptions& options);

/// Uniform noise in the open interval (0, 1), multiples of 2^-24, so that logarithms are finite.
at::Tensor uniform(const NoiseKey& key, const at::Tensor& example_ids,
                   at::IntArrayRef per_example_shape, const at::TensorOptions& options);

/// 1 with probability `keep`, otherwise 0. Exactly all ones for keep = 1 and all zeros for keep =
/// 0.
at::Tensor bernoulli_keep(const NoiseKey& key, const at::Tensor& example_ids,
                          at::IntArrayRef per_example_shape, double keep,
                          const at::TensorOptions& options);

/// The same distributions with one tensor per step instead of per example: weights, prior samples
/// of a batch.
at::Tensor normal_step(const NoiseKey& key, at::IntArrayRef shape,
                       const at::TensorOptions& options);
at::Tensor uniform_step(const NoiseKey& key, at::IntArrayRef shape,
                        const at::TensorOptions& options);

}  // namespace lvtext
