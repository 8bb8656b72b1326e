#include "framework/core/decoding/latent_path.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"

namespace lvtext {

at::Tensor latents_between(const at::Tensor& a, const at::Tensor& b, int64_t steps,
                           bool on_unit_sphere) {
  LVT_ASSERT(steps >= 2, "an interpolation requires at least two steps");
  const at::Tensor first = a.to(at::kDouble), last = b.to(at::kDouble);
  const at::Tensor t = at::linspace(0, 1, steps, first.options()).unsqueeze(1);  // [steps, 1]
  if (!on_unit_sphere) return (first * (1 - t) + last * t).to(a.scalar_type());
  // Rotation in the plane of `a` and `b`, with an orthonormal basis of `a` and `aside`.
  const at::Tensor along = first.dot(last);
  at::Tensor aside = last - along * first;
  const at::Tensor angle = at::atan2(aside.norm(), along);
  if (aside.norm().item<double>() < 1e-9) {  // equal or opposite: any orthogonal direction
    const int64_t axis = first.abs().argmin().item<int64_t>();
    aside = -first[axis] * first;
    aside[axis] += 1;
  }
  aside = aside / aside.norm();
  const at::Tensor angles = angle * t;
  return (angles.cos() * first + angles.sin() * aside).to(a.scalar_type());
}

}  // namespace lvtext
