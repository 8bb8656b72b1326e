#include "framework/core/nn/init.h"

#include <cmath>

#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/shapes_only.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

NoiseKey init_key(const Init& init) {
  return NoiseKey{
      .seed = init.seed, .step = 0, .stream = noise_use("init"), .use = noise_use(init.path)};
}

at::Tensor without_storage(at::IntArrayRef shape) {
  return at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(at::kMeta));
}

}  // namespace

Init Init::child(std::string_view name) const {
  return {seed, path.empty() ? std::string(name) : path + "." + std::string(name)};
}

double glorot_bound(int64_t fan_in, int64_t fan_out) {
  return std::sqrt(6 / static_cast<double>(fan_in + fan_out));
}

at::Tensor uniform_init(const Init& init, at::IntArrayRef shape, double bound) {
  if (shapes_only()) return without_storage(shape);
  return uniform_step(init_key(init), shape, at::kFloat).mul_(2 * bound).sub_(bound);
}

at::Tensor normal_init(const Init& init, at::IntArrayRef shape, double deviation) {
  if (shapes_only()) return without_storage(shape);
  return normal_step(init_key(init), shape, at::kFloat).mul_(deviation);
}

}  // namespace lvtext
