#include "losses/sphere.h"

#include "framework/core/tensor/shape.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

at::Tensor sphere_normalize(const at::Tensor& v) {
  LVT_CHECK_SHAPE(v, {-1, -1});
  return v / v.norm(2, {-1}, true).clamp_min(1e-12);
}

at::Tensor uniform_sphere(const NoiseKey& key, const at::Tensor& example_ids, int64_t width,
                          const at::TensorOptions& options) {
  return sphere_normalize(normal(key, example_ids, {width}, options));
}

at::Tensor add_noise(const at::Tensor& z, const at::Tensor& sigma, const at::Tensor& epsilon) {
  LVT_CHECK_SHAPE(z, {-1, -1});
  LVT_CHECK_SHAPE(sigma, {});
  LVT_CHECK_SHAPE(epsilon, {z.size(0), z.size(1)});
  return z + sigma * epsilon;
}

}  // namespace lvtext
