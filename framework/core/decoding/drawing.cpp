#include "framework/core/decoding/drawing.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"

namespace lvtext {

at::Tensor image_bytes(const at::Tensor& images) {
  const at::Tensor scaled = (images.to(at::kDouble) + 1) * 127.5 + 0.5;
  return scaled.floor().clamp(0, 255).to(at::kCPU, at::kByte).contiguous();
}

at::Device device_of(const Model& model) {
  const auto parameters = model.parameters();
  return parameters.empty() ? at::Device(at::kCPU) : parameters.front().device();
}

at::Tensor draw_images(ImageGenerator& generator, const at::Tensor& conditions,
                       const at::Tensor& example_ids, const NoiseKey& key, int64_t batch) {
  std::vector<at::Tensor> parts;
  for (int64_t begin = 0; begin < conditions.size(0); begin += batch) {
    throw_if_stopped();
    const int64_t end = std::min(begin + batch, conditions.size(0));
    const at::Tensor images =
        generator.draw(conditions.slice(0, begin, end), example_ids.slice(0, begin, end), key);
    if (!at::isfinite(images).all().item<bool>()) {
      throw DataError("a drawn image is not finite: the generator has diverged");
    }
    parts.push_back(image_bytes(images));
  }
  return at::cat(parts);
}

}  // namespace lvtext
