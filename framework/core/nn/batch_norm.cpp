#include "framework/core/nn/batch_norm.h"

#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {

BatchNorm::BatchNorm(const Init& init, int64_t width, std::optional<double> deviation,
                     double mean) {
  weight_ = deviation ? ModuleScope(*this, init).normal("weight", {width}, *deviation)
                      : register_parameter("weight", at::ones({width}));
  if (deviation && mean != 0) {
    const at::NoGradGuard no_grad;
    weight_.add_(mean);
  }
  bias_ = register_parameter("bias", at::zeros({width}));
  running_mean_ = register_buffer("running_mean", at::zeros({width}));
  running_var_ = register_buffer("running_var", at::ones({width}));
}

at::Tensor BatchNorm::forward(const at::Tensor& x, BatchNormMode mode) {
  if (x.dim() == 4) {
    LVT_CHECK_SHAPE(x, {-1, weight_.size(0), -1, -1});
  } else {
    LVT_CHECK_SHAPE(x, {-1, weight_.size(0)});
  }
  if (x.numel() == x.size(1)) mode = BatchNormMode::kRunning;
  at::Tensor mean, var;
  if (mode == BatchNormMode::kUpdate) {
    mean = running_mean_;
    var = running_var_;
  } else if (mode == BatchNormMode::kRunning) {
    // Copied because the graph needs the current values when a later call updates the buffers.
    mean = running_mean_.clone();
    var = running_var_.clone();
  }
  return at::batch_norm(x, weight_, bias_, mean, var, mode != BatchNormMode::kRunning,
                        /*momentum=*/0.1, /*eps=*/1e-5, /*cudnn_enabled=*/false);
}

}  // namespace lvtext
