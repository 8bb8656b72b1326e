// Convolutional discriminator or critic of sequences of decoder states.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "framework/core/nn/init.h"
#include "framework/core/tensor/torch.h"
#include "models/style_transfer/initialization.h"

namespace lvtext {

struct StateDiscriminatorLayout {
  int64_t width = 0;             ///< H, the width of a state
  std::vector<int64_t> filters;  ///< numbers n of consecutive states that filters read
  int64_t channels = 0;          ///< C, filters of each width
  double negative_slope = 0;     ///< slope of the leaky ReLU
  Initialization init = Initialization::kTfGlorot;
};

/// Filters over n states, leaky ReLU, maximum over time, dropout, linear to one number (Shen et al.
/// 2017). Parameters of filter i: "filter<i>.weight" [n, C, H] and "filter<i>.bias" [C]. Composed
/// of LibTorch operations; supports second derivatives, except in mixed precision.
class StateDiscriminator : public torch::nn::Module {
 public:
  StateDiscriminator(const Init& init, const StateDiscriminatorLayout& layout);
  /// states [B, S, H] -> logits or scores [B]; S must be at least the width of the widest filter.
  /// `dropout` is applied to the features [B, C * number of widths].
  at::Tensor forward(const at::Tensor& states,
                     const std::function<at::Tensor(const at::Tensor&)>& dropout) const;

 private:
  struct Filter {
    at::Tensor weight, bias;
  };
  double negative_slope_;
  std::vector<Filter> filters_;
  at::Tensor output_weight_, output_bias_;
};

}  // namespace lvtext
