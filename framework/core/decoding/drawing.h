// Images drawn by a generator, as bytes.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/model.h"

namespace lvtext {

/// Bytes floor(255 (x + 1) / 2 + 1/2), clamped to [0, 255], of values x from -1 to 1, on the CPU.
at::Tensor image_bytes(const at::Tensor& images);

/// The device of a model's parameters; the CPU if it has none.
at::Device device_of(const Model& model);

/// One image per condition, bytes [N, C, S, S] on the CPU. `conditions`: [N, D] with N > 0, on the
/// generator's device. The noise of image i depends on `key` and example_ids[i] ([N] int64 on the
/// CPU). At most `batch` images are drawn at once. Throws DataError if a value is not finite.
at::Tensor draw_images(ImageGenerator& generator, const at::Tensor& conditions,
                       const at::Tensor& example_ids, const NoiseKey& key, int64_t batch);

}  // namespace lvtext
