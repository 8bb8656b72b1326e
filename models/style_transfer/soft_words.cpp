#include "models/style_transfer/soft_words.h"

#include "framework/core/base/error.h"
#include "framework/core/nn/argmax.h"
#include "framework/core/tensor/shape.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class SoftWordsFunction : public torch::autograd::Function<SoftWordsFunction> {
 public:
  static variable_list forward(AutogradContext* ctx, const at::Tensor& hidden,
                               const at::Tensor& weight, const at::Tensor& bias,
                               const at::Tensor& table, const at::Tensor& noise,
                               const at::Tensor& temperature) {
    at::Tensor logits = at::addmm(bias, hidden, weight.t());
    if (noise.numel() > 0) logits.add_(noise);
    const at::Tensor p = at::softmax(logits.div_(temperature), 1);
    const at::Tensor vectors = at::mm(p, table), likely = first_argmax(p);
    ctx->save_for_backward({hidden, weight, table, temperature, p, vectors});
    ctx->mark_non_differentiable({likely});
    return {vectors, likely};
  }
  /// With g = d vectors, d logits = p * (g table^T - <vectors, g>) / temperature.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    LVT_ASSERT(!at::GradMode::is_enabled(),
               "soft words do not support second derivatives (create_graph)");
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &hidden = saved[0], &weight = saved[1], &table = saved[2], &p = saved[4];
    const at::Tensor g = grads[0] / saved[3];
    const at::Tensor of_logits = at::mm(g, table.t()).sub_((saved[5] * g).sum(1, true)).mul_(p);
    variable_list result(6);
    if (ctx->needs_input_grad(0)) result[0] = at::mm(of_logits, weight);
    if (ctx->needs_input_grad(1)) result[1] = at::mm(of_logits.t(), hidden);
    if (ctx->needs_input_grad(2)) result[2] = of_logits.sum(0);
    if (ctx->needs_input_grad(3)) result[3] = at::mm(p.t(), grads[0]);
    return result;
  }
};

}  // namespace

SoftWords soft_words(const at::Tensor& hidden, const WordLayers& layers, const at::Tensor& noise,
                     const at::Tensor& temperature) {
  LVT_CHECK_SHAPE(layers.weight, {-1, -1});
  const int64_t vocabulary = layers.weight.size(0);
  LVT_CHECK_SHAPE(hidden, {-1, layers.weight.size(1)});
  LVT_CHECK_SHAPE(layers.bias, {vocabulary});
  LVT_CHECK_SHAPE(layers.table, {vocabulary, -1});
  if (noise.defined()) LVT_CHECK_SHAPE(noise, {hidden.size(0), vocabulary});
  LVT_CHECK_SHAPE(temperature, {});
  // Arguments of an autograd function must be defined.
  const auto result = SoftWordsFunction::apply(
      hidden, layers.weight, layers.bias, layers.table,
      noise.defined() ? noise : at::empty({0}, hidden.options().requires_grad(false)), temperature);
  return {result[0], result[1]};
}

at::Tensor gumbel(const NoiseKey& key, const at::Tensor& example_ids, int64_t width,
                  const at::TensorOptions& options) {
  return uniform(key, example_ids, {width}, options).log_().neg_().log_().neg_();
}

}  // namespace lvtext
