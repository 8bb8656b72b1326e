#include "framework/nn/init.h"

#include "framework/tensor/philox.h"
#include "framework/tensor/shapes_only.h"
#include "framework/tensor/torch.h"

namespace lvtext {
namespace {

NoiseKey init_key(uint64_t seed, std::string_view name) {
  return NoiseKey{.seed = seed, .step = 0, .slot = noise_use("init"), .use = noise_use(name)};
}

at::Tensor without_storage(at::IntArrayRef shape) {
  return at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(at::kMeta));
}

}  // namespace

at::Tensor uniform_init(at::IntArrayRef shape, double bound, uint64_t seed, std::string_view name) {
  if (shapes_only()) return without_storage(shape);
  return uniform_step(init_key(seed, name), shape, at::kFloat).mul_(2 * bound).sub_(bound);
}

at::Tensor normal_init(at::IntArrayRef shape, double deviation, uint64_t seed,
                       std::string_view name) {
  if (shapes_only()) return without_storage(shape);
  return normal_step(init_key(seed, name), shape, at::kFloat).mul_(deviation);
}

}  // namespace lvtext
