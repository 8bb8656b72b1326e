#include "models/style_transfer/soft_words.h"

#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/nn/argmax.h"
#include "framework/core/tensor/compute_mode.h"
#include "framework/core/tensor/shape.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Steps = c10::intrusive_ptr<SoftWordSteps>;

void refuse_second_derivative() {
  LVT_ASSERT(!at::GradMode::is_enabled(),
             "soft words do not support second derivatives (create_graph)");
}

Steps steps_of(AutogradContext* ctx) {
  return c10::static_intrusive_pointer_cast<SoftWordSteps>(ctx->saved_data["steps"].toCapsule());
}

/// Returns an empty tensor, on which every step depends, so that the backward pass of this function
/// follows those of all steps.
class LayersFunction : public torch::autograd::Function<LayersFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& weight, const at::Tensor&,
                            const at::Tensor&, const Steps& steps) {
    ctx->saved_data["steps"] = c10::IValue::make_capsule(steps);
    return at::empty({0}, weight.options());
  }
  static variable_list backward(AutogradContext* ctx, const variable_list&) {
    refuse_second_derivative();
    const ComputeMode exact(/*tf32=*/false);
    const Steps steps = steps_of(ctx);
    const at::Tensor grad_logits = std::exchange(steps->grad_logits, {});
    const at::Tensor grad_vectors = std::exchange(steps->grad_vectors, {});
    // Transposed products, which are faster, as in the output layer.
    return {at::mm(steps->hidden.t(), grad_logits).t(), grad_logits.sum(0),
            at::mm(grad_vectors.t(), steps->p).t(), at::Tensor()};
  }
};

class StepFunction : public torch::autograd::Function<StepFunction> {
 public:
  static variable_list forward(AutogradContext* ctx, const at::Tensor& hidden, const at::Tensor&,
                               const at::Tensor& weight, const at::Tensor& bias,
                               const at::Tensor& table, const at::Tensor& noise,
                               const at::Tensor& temperature, const Steps& steps, int64_t step) {
    at::Tensor logits = at::addmm(bias, hidden, weight.t());
    if (noise.numel() > 0) logits.add_(noise);
    at::Tensor p = steps->at_step(steps->p, step);
    at::softmax_out(p, logits.div_(temperature), 1);
    steps->at_step(steps->hidden, step).copy_(hidden);
    const at::Tensor vectors = at::mm(p, table), argmax = first_argmax(p);
    ctx->save_for_backward({weight, table, temperature, vectors});
    ctx->saved_data["steps"] = c10::IValue::make_capsule(steps);
    ctx->saved_data["step"] = step;
    ctx->mark_non_differentiable({argmax});
    return {vectors, argmax};
  }
  /// With g = d vectors, d logits = p * (g table^T - <vectors, g>) / temperature. The two terms
  /// cancel almost for a nearly certain word, so that TF32 would leave mostly its rounding.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    refuse_second_derivative();
    const ComputeMode exact(/*tf32=*/false);
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &weight = saved[0], &table = saved[1], &vectors = saved[3];
    const Steps steps = steps_of(ctx);
    const int64_t step = ctx->saved_data["step"].toInt();
    const bool trains_layers = ctx->needs_input_grad(1);
    if (trains_layers && !steps->grad_logits.defined()) {
      steps->grad_logits = at::zeros_like(steps->p);  // for steps without gradient
      steps->grad_vectors = at::zeros({steps->p.size(0), table.size(1)}, table.options());
    }
    const at::Tensor g = grads[0] / saved[2], p = steps->at_step(steps->p, step);
    at::Tensor grad_logits =
        trains_layers ? steps->at_step(steps->grad_logits, step) : at::empty_like(p);
    at::mm_out(grad_logits, g, table.t());
    grad_logits.sub_((vectors * g).sum(1, true)).mul_(p);
    variable_list result(9);
    result[0] = at::mm(grad_logits, weight);
    if (!trains_layers) return result;
    steps->at_step(steps->grad_vectors, step).copy_(grads[0]);
    result[1] = at::empty({0}, weight.options());
    return result;
  }
};

}  // namespace

SoftWordReader::SoftWordReader(const WordLayers& layers, int64_t rows, int64_t steps)
    : layers_{layers.weight.detach(), layers.bias.detach(), layers.table.detach()},
      steps_(c10::make_intrusive<SoftWordSteps>()) {
  LVT_CHECK_SHAPE(layers.weight, {-1, -1});
  const int64_t vocabulary = layers.weight.size(0);
  LVT_CHECK_SHAPE(layers.bias, {vocabulary});
  LVT_CHECK_SHAPE(layers.table, {vocabulary, -1});
  const auto options = layers_.weight.options();
  steps_->p = at::empty({steps * rows, vocabulary}, options);
  steps_->hidden = at::empty({steps * rows, layers.weight.size(1)}, options);
  steps_->rows = rows;
  layers_handle_ = LayersFunction::apply(layers.weight, layers.bias, layers.table, steps_);
}

SoftWords SoftWordReader::read(const at::Tensor& hidden, const at::Tensor& noise,
                               const at::Tensor& temperature) {
  const auto& [weight, bias, table] = layers_;
  LVT_CHECK_SHAPE(hidden, {steps_->rows, weight.size(1)});
  if (noise.defined()) LVT_CHECK_SHAPE(noise, {steps_->rows, weight.size(0)});
  LVT_CHECK_SHAPE(temperature, {});
  // Arguments of an autograd function must be defined.
  const auto result = StepFunction::apply(
      hidden, layers_handle_, weight, bias, table,
      noise.defined() ? noise : at::empty({0}, weight.options()), temperature, steps_, next_++);
  return {result[0], result[1]};
}

at::Tensor gumbel(const NoiseKey& key, const at::Tensor& example_ids, int64_t width,
                  const at::TensorOptions& options) {
  return uniform(key, example_ids, {width}, options).log_().neg_().log_().neg_();
}

}  // namespace lvtext
