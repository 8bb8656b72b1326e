#include "framework/nn/lstm_fused.h"

#include "framework/base/error.h"
#include "framework/nn/lstm_kernels.h"
#include "framework/nn/packing.h"

namespace lvtext {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// What both directions of the operation need besides tensors with gradients; sorted by the plan.
struct FusedSettings : torch::CustomClassHolder {
  PackPlan plan;
  at::Tensor mask_h, mask_c;
  bool mask_initial_state = false;
  bool has_bias = false;  ///< an operation's arguments must be defined: then it is a placeholder
  int64_t time = 0;

  bool masks_at(int64_t t) const { return t > 0 || mask_initial_state; }
};
using Settings = c10::intrusive_ptr<FusedSettings>;

template <typename T>
void forward_step(int64_t rows, const at::Tensor& gates, const at::Tensor& c_prev,
                  const at::Tensor& c, const at::Tensor& h) {
  lstm_forward_step(LstmForwardStep<T>{
      rows, h.size(1), gates.mutable_data_ptr<T>(), c_prev.const_data_ptr<T>(),
      c.mutable_data_ptr<T>(), h.mutable_data_ptr<T>()});
}

template <typename T>
void backward_step(int64_t rows, const at::Tensor& gates, const at::Tensor& c_prev,
                   const at::Tensor& c, const at::Tensor& grad_h, const at::Tensor& grad_c,
                   const at::Tensor& grad_gates) {
  lstm_backward_step(LstmBackwardStep<T>{
      rows, c.size(1), gates.const_data_ptr<T>(), c_prev.const_data_ptr<T>(),
      c.const_data_ptr<T>(), grad_h.const_data_ptr<T>(), grad_c.mutable_data_ptr<T>(),
      grad_gates.mutable_data_ptr<T>()});
}

/// state[:rows] of the step before, masked, written to `to`.
void carry(const at::Tensor& to, const at::Tensor& state, const at::Tensor& mask, bool masks) {
  const int64_t rows = to.size(0);
  if (masks && mask.defined()) {
    at::Tensor out = to;
    at::mul_out(out, state.slice(0, 0, rows), mask.slice(0, 0, rows));
  } else {
    to.copy_(state.slice(0, 0, rows));
  }
}

class FusedLstm : public torch::autograd::Function<FusedLstm> {
 public:
  static variable_list forward(AutogradContext* ctx, const at::Tensor& input, const at::Tensor& h0,
                               const at::Tensor& c0, const at::Tensor& weight_ih,
                               const at::Tensor& weight_hh, const at::Tensor& bias_ih,
                               const at::Tensor& bias_hh, const at::Tensor& sentence_bias,
                               const Settings& s) {
    const PackPlan& plan = s->plan;
    const int64_t hidden = weight_hh.size(1);
    const at::Tensor x = to_packed(input, plan);
    const at::Tensor gates = at::addmm(bias_ih + bias_hh, x, weight_ih.t());
    const at::Tensor recurrent = weight_hh.t();
    const at::Tensor bias =
        s->has_bias ? sort_sentences(sentence_bias, plan) : at::Tensor();
    const auto options = input.options();
    const at::Tensor h = at::empty({plan.rows, hidden}, options), c = at::empty_like(h),
                     h_prev = at::empty_like(h), c_prev = at::empty_like(h);
    const at::Tensor h_first = sort_sentences(h0, plan), c_first = sort_sentences(c0, plan);

    std::vector<at::Tensor> hs, cs;
    for (int64_t t = 0; t < plan.steps(); ++t) {
      const auto part = [&](const at::Tensor& x_all) {
        return x_all.narrow(0, plan.offsets[t], plan.sizes[t]);
      };
      carry(part(h_prev), t > 0 ? hs.back() : h_first, s->mask_h, s->masks_at(t));
      carry(part(c_prev), t > 0 ? cs.back() : c_first, s->mask_c, s->masks_at(t));
      at::Tensor sums = part(gates);
      sums.addmm_(part(h_prev), recurrent);
      if (bias.defined()) {
        sums.add_(bias.slice(0, 0, plan.sizes[t]));
      }
      if (h.scalar_type() == at::kDouble) {
        forward_step<double>(plan.sizes[t], sums, part(c_prev), part(c), part(h));
      } else {
        forward_step<float>(plan.sizes[t], sums, part(c_prev), part(c), part(h));
      }
      hs.push_back(part(h));
      cs.push_back(part(c));
    }
    ctx->save_for_backward({x, gates, c, h_prev, c_prev, weight_ih, weight_hh});
    ctx->saved_data["settings"] = c10::IValue::make_capsule(s);
    return {from_packed(h, plan, s->time), unsort_sentences(final_states(hs, h_first, plan), plan),
            unsort_sentences(final_states(cs, c_first, plan), plan)};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    LVT_ASSERT(!at::GradMode::is_enabled(),
               "the fused LSTM has no second derivative; a gradient penalty must not reach through "
               "it (detach its states, or use lstm_composed())");
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &gates = saved[1], &c = saved[2], &h_prev = saved[3],
                     &c_prev = saved[4], &weight_ih = saved[5], &weight_hh = saved[6];
    const auto s =
        c10::static_intrusive_pointer_cast<FusedSettings>(ctx->saved_data["settings"].toCapsule());
    const PackPlan& plan = s->plan;
    const auto batch = static_cast<int64_t>(plan.order.size());
    const auto sorted_or_zero = [&](const at::Tensor& grad) {
      return grad.defined() ? sort_sentences(grad, plan)
                            : at::zeros({batch, c.size(1)}, c.options());
    };
    const at::Tensor grad_out =
        grads[0].defined() ? to_packed(grads[0], plan) : at::zeros_like(c);
    // A sentence's rows are first touched at its own last step: until then they hold what reaches
    // its final state.
    const at::Tensor grad_h = sorted_or_zero(grads[1]), grad_c = sorted_or_zero(grads[2]);
    const at::Tensor grad_gates = at::empty_like(gates);

    for (int64_t t = plan.steps() - 1; t >= 0; --t) {
      const int64_t rows = plan.sizes[t];
      const auto part = [&](const at::Tensor& x_all) {
        return x_all.narrow(0, plan.offsets[t], rows);
      };
      at::Tensor dh = grad_h.slice(0, 0, rows), dc = grad_c.slice(0, 0, rows);
      const at::Tensor reaches = part(grad_out).add_(dh);
      if (c.scalar_type() == at::kDouble) {
        backward_step<double>(rows, part(gates), part(c_prev), part(c), reaches, dc,
                              part(grad_gates));
      } else {
        backward_step<float>(rows, part(gates), part(c_prev), part(c), reaches, dc,
                             part(grad_gates));
      }
      at::mm_out(dh, part(grad_gates), weight_hh);
      if (s->masks_at(t) && s->mask_h.defined()) {
        dh.mul_(s->mask_h.slice(0, 0, rows));
      }
      if (s->masks_at(t) && s->mask_c.defined()) {
        dc.mul_(s->mask_c.slice(0, 0, rows));
      }
    }

    variable_list result(9);
    if (ctx->needs_input_grad(0)) {
      result[0] = from_packed(at::mm(grad_gates, weight_ih), plan, s->time);
    }
    if (ctx->needs_input_grad(1)) {
      result[1] = unsort_sentences(grad_h, plan);
    }
    if (ctx->needs_input_grad(2)) {
      result[2] = unsort_sentences(grad_c, plan);
    }
    if (ctx->needs_input_grad(3)) {
      result[3] = at::mm(grad_gates.t(), x);
    }
    if (ctx->needs_input_grad(4)) {
      result[4] = at::mm(grad_gates.t(), h_prev);
    }
    if (ctx->needs_input_grad(5) || ctx->needs_input_grad(6)) {
      result[5] = grad_gates.sum(0);
      result[6] = result[5].clone();
    }
    if (s->has_bias && ctx->needs_input_grad(7)) {
      at::Tensor total = at::zeros({batch, gates.size(1)}, gates.options());
      for (int64_t t = 0; t < plan.steps(); ++t) {
        total.slice(0, 0, plan.sizes[t])
            .add_(grad_gates.narrow(0, plan.offsets[t], plan.sizes[t]));
      }
      result[7] = unsort_sentences(total, plan);
    }
    return result;
  }
};

}  // namespace

LstmResult lstm_fused(const at::Tensor& input, const at::Tensor& lengths, const at::Tensor& h0,
                      const at::Tensor& c0, const LstmWeights& weights, const LstmExtras& extras) {
  auto settings = c10::make_intrusive<FusedSettings>();
  settings->time = input.size(1);
  settings->plan = plan_packing(lengths, input.size(0), settings->time, extras.reverse);
  settings->mask_initial_state = extras.mask_initial_state;
  settings->has_bias = extras.sentence_bias.defined();
  const at::Tensor bias =
      settings->has_bias ? extras.sentence_bias : at::empty({0}, input.options());
  if (extras.mask_h.defined()) {
    settings->mask_h = sort_sentences(extras.mask_h.detach(), settings->plan);
  }
  if (extras.mask_c.defined()) {
    settings->mask_c = sort_sentences(extras.mask_c.detach(), settings->plan);
  }
  const auto out = FusedLstm::apply(input, h0, c0, weights.weight_ih, weights.weight_hh,
                                    weights.bias_ih, weights.bias_hh, bias, settings);
  return {out[0], out[1], out[2]};
}

}  // namespace lvtext
