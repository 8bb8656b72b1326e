// A small checkpoint and temporary folders for the checkpoint tests.
#pragma once

#include <ATen/ATen.h>

#include "framework/core/checkpoint/checkpoint.h"
#include "tests/framework/core/base/child.h"

namespace lvtext {

inline CheckpointContents small_contents(double value = 0.5) {
  CheckpointContents contents;
  contents.model["encoder.weight"] = at::arange(24, at::kFloat).reshape({4, 6}) * value;
  contents.model["encoder.bias"] = at::full({4}, value, at::kDouble);
  contents.model["decoder.count"] = at::full({}, 7, at::kLong);
  contents.ema = TensorMap{{"encoder.weight", at::full({4, 6}, value, at::kBFloat16)}};
  contents.optimizers["adam"] = {{"encoder.weight.exp_avg", at::full({4, 6}, value)}};
  contents.state = {{"step", 12}, {"rng", {1, 2, 3}}};
  contents.config = "model: vae\n";
  contents.extra["vocab.txt"] = "a\nb\n";
  return contents;
}

}  // namespace lvtext
