#include "framework/core/nn/lstm_fused.h"

#include "framework/core/base/error.h"
#include "framework/core/nn/distinct_words.h"
#include "framework/core/nn/lstm_kernels.h"
#include "framework/core/tensor/products.h"

namespace lvtext {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Inputs of forward and backward other than tensors with gradients; sorted by the plan. Arguments
/// of an autograd function must be defined, so missing ones are empty placeholders.
struct FusedSettings : torch::CustomClassHolder {
  PackPlan plan;
  std::vector<int64_t> index;
  at::Tensor mask_h, mask_c;
  bool mask_initial_state = false;
  bool has_h0 = false, has_c0 = false, has_bias = false;
  bool mixed = false;  ///< precision of the products, also in the backward pass
  int64_t time = 0;

  bool masks_at(int64_t t) const { return t > 0 || mask_initial_state; }
};
using Settings = c10::intrusive_ptr<FusedSettings>;

template <typename T>
const T* rows_of(const at::Tensor& x, int64_t row) {
  return x.defined() ? x.const_data_ptr<T>() + row * x.size(1) : nullptr;
}

template <typename T>
T* writable_rows_of(const at::Tensor& x, int64_t row) {
  return x.mutable_data_ptr<T>() + row * x.size(1);
}

/// Returns the operand of the recurrent product of step t: the masked h of the previous step.
/// `used` has a row for every packed token if there is a mask, otherwise it is not used.
at::Tensor recurrent_input(const FusedSettings& s, int64_t t, const at::Tensor& h_before,
                           const at::Tensor& used) {
  at::Tensor before = h_before.slice(0, 0, s.plan.sizes[t]);
  if (!s.mask_h.defined()) {
    return before;
  }
  at::Tensor masked = used.narrow(0, s.plan.offsets[t], s.plan.sizes[t]);
  if (s.masks_at(t)) {
    at::mul_out(masked, before, s.mask_h.slice(0, 0, s.plan.sizes[t]));
  } else {
    masked.copy_(before);
  }
  return masked;
}

/// Gradient [4H, H] of the recurrent weights: the product of all gate gradients with the operands
/// of the recurrent products.
at::Tensor recurrent_weight_gradient(const FusedSettings& s, const at::Tensor& grad_gates,
                                     const at::Tensor& h, const at::Tensor& masked_h,
                                     const at::Tensor& h_first) {
  const PackPlan& plan = s.plan;
  const int64_t first = plan.steps() > 0 ? plan.sizes[0] : 0;  // rows of step 0
  const at::Tensor later = grad_gates.slice(0, first);
  const auto of_later = [&later](const at::Tensor& before) {
    return product(operand(later).t(), operand(before));
  };
  at::Tensor total;
  if (s.mask_h.defined()) {
    total = of_later(masked_h.slice(0, first));
  } else if (plan.steps() < 2 || plan.sizes.back() == plan.sizes.front()) {
    // All steps have the same size, so the offset between rows of step t and step t - 1 is
    // constant.
    total = of_later(h.slice(0, 0, later.size(0)));
  } else {
    std::vector<int64_t> before;
    before.reserve(later.size(0));
    for (int64_t t = 1; t < plan.steps(); ++t) {
      for (int64_t i = 0; i < plan.sizes[t]; ++i) {
        before.push_back(plan.offsets[t - 1] + i);
      }
    }
    total = of_later(h.index_select(0, index_tensor(before, h.device())));
  }
  if (s.has_h0) {
    const at::Tensor& before = s.mask_h.defined() ? masked_h : h_first;
    add_product(total, operand(grad_gates.slice(0, 0, first)).t(),
                operand(before.slice(0, 0, first)));
  }
  return total;
}

/// Index of each packed token's sentence in the plan's order.
std::vector<int64_t> sentence_of_rows(const PackPlan& plan) {
  std::vector<int64_t> sentence;
  sentence.reserve(plan.rows);
  for (const int64_t alive : plan.sizes) {
    for (int64_t i = 0; i < alive; ++i) {
      sentence.push_back(i);
    }
  }
  return sentence;
}

class FusedLstm : public torch::autograd::Function<FusedLstm> {
 public:
  static variable_list forward(AutogradContext* ctx, const at::Tensor& input, const at::Tensor& h0,
                               const at::Tensor& c0, const at::Tensor& weight_hh,
                               const at::Tensor& sentence_bias, const Settings& s) {
    const PackPlan& plan = s->plan;
    const int64_t hidden = weight_hh.size(1), batch = static_cast<int64_t>(plan.order.size());
    const auto options = input.options();
    const auto first = [&](const at::Tensor& given, bool has) {
      return has ? sort_sentences(given, plan).contiguous() : at::zeros({batch, hidden}, options);
    };
    const at::Tensor h_first = first(h0, s->has_h0), c_first = first(c0, s->has_c0);
    const at::Tensor bias =
        s->has_bias ? sort_sentences(sentence_bias, plan).contiguous() : at::Tensor();
    const at::Tensor gates = at::empty({plan.rows, 4 * hidden}, options);
    const at::Tensor h = at::empty({plan.rows, hidden}, options), c = at::empty_like(h);
    const at::Tensor masked_h = s->mask_h.defined() ? at::empty_like(h) : at::empty({0}, options);
    const at::Tensor weight = parameter_operand(weight_hh), rows = input.contiguous();

    std::vector<at::Tensor> hs, cs;
    for (int64_t t = 0; t < plan.steps(); ++t) {
      const auto part = [&](const at::Tensor& x_all) {
        return x_all.narrow(0, plan.offsets[t], plan.sizes[t]);
      };
      const bool has_product = t > 0 || s->has_h0;
      if (has_product) {
        at::Tensor sums = part(gates);
        const at::Tensor before = recurrent_input(*s, t, t > 0 ? hs.back() : h_first, masked_h);
        product_out(sums, operand(before), weight.t());
      }
      AT_DISPATCH_FLOATING_TYPES(h.scalar_type(), "lstm", [&] {
        LstmForwardStep<scalar_t> step;
        step.rows = plan.sizes[t];
        step.hidden = hidden;
        step.gates = writable_rows_of<scalar_t>(gates, plan.offsets[t]);
        step.recurrent = has_product;
        step.input = rows_of<scalar_t>(rows, s->index.empty() ? plan.offsets[t] : 0);
        step.input_row = s->index.empty() ? nullptr : s->index.data() + plan.offsets[t];
        step.sentence_bias = rows_of<scalar_t>(bias, 0);
        step.c_prev =
            t > 0 ? rows_of<scalar_t>(c, plan.offsets[t - 1]) : rows_of<scalar_t>(c_first, 0);
        step.mask_c = s->masks_at(t) ? rows_of<scalar_t>(s->mask_c, 0) : nullptr;
        step.c = writable_rows_of<scalar_t>(c, plan.offsets[t]);
        step.h = writable_rows_of<scalar_t>(h, plan.offsets[t]);
        lstm_forward_step(step);
      });
      hs.push_back(part(h));
      cs.push_back(part(c));
    }
    ctx->save_for_backward({gates, h, c, masked_h, h_first, c_first, weight});
    ctx->saved_data["settings"] = c10::IValue::make_capsule(s);
    ctx->saved_data["input_rows"] = input.size(0);
    return {from_packed(h, plan, s->time), unsort_sentences(final_states(hs, h_first, plan), plan),
            unsort_sentences(final_states(cs, c_first, plan), plan)};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    LVT_ASSERT(!at::GradMode::is_enabled(),
               "the fused LSTM does not support second derivatives, as required by a gradient "
               "penalty; detach its states or use forward_composed()");
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &gates = saved[0], &h = saved[1], &c = saved[2], &masked_h = saved[3],
                     &h_first = saved[4], &c_first = saved[5], &weight = saved[6];
    const auto s =
        c10::static_intrusive_pointer_cast<FusedSettings>(ctx->saved_data["settings"].toCapsule());
    const MixedPrecisionScope scope(s->mixed);
    const PackPlan& plan = s->plan;
    const int64_t hidden = c.size(1), batch = static_cast<int64_t>(plan.order.size());
    const auto sorted_or_zero = [&](const at::Tensor& grad) {
      return grad.defined() ? sort_sentences(grad, plan) : at::zeros({batch, hidden}, c.options());
    };
    const at::Tensor grad_out = grads[0].defined() ? to_packed(grads[0], plan) : at::Tensor();
    // A sentence's rows are first updated at its own last step; until then they have the gradients
    // of its final state.
    const at::Tensor grad_h = sorted_or_zero(grads[1]), grad_c = sorted_or_zero(grads[2]);
    const at::Tensor grad_gates = at::empty_like(gates);
    const bool wants_h0 = s->has_h0 && ctx->needs_input_grad(1);

    for (int64_t t = plan.steps() - 1; t >= 0; --t) {
      AT_DISPATCH_FLOATING_TYPES(c.scalar_type(), "lstm", [&] {
        LstmBackwardStep<scalar_t> step;
        step.rows = plan.sizes[t];
        step.hidden = hidden;
        step.gates = rows_of<scalar_t>(gates, plan.offsets[t]);
        step.c_prev =
            t > 0 ? rows_of<scalar_t>(c, plan.offsets[t - 1]) : rows_of<scalar_t>(c_first, 0);
        step.mask_c = s->masks_at(t) ? rows_of<scalar_t>(s->mask_c, 0) : nullptr;
        step.c = rows_of<scalar_t>(c, plan.offsets[t]);
        step.grad_out = rows_of<scalar_t>(grad_out, plan.offsets[t]);
        step.grad_h = writable_rows_of<scalar_t>(grad_h, 0);
        step.grad_c = writable_rows_of<scalar_t>(grad_c, 0);
        step.grad_gates = writable_rows_of<scalar_t>(grad_gates, plan.offsets[t]);
        lstm_backward_step(step);
      });
      if (t == 0 && !wants_h0) {
        break;
      }
      at::Tensor before = grad_h.slice(0, 0, plan.sizes[t]);
      product_out(before, operand(grad_gates.narrow(0, plan.offsets[t], plan.sizes[t])), weight);
      if (s->masks_at(t) && s->mask_h.defined()) {
        before.mul_(s->mask_h.slice(0, 0, plan.sizes[t]));
      }
    }

    variable_list result(6);
    if (ctx->needs_input_grad(0)) {
      result[0] =
          s->index.empty()
              ? grad_gates
              : sum_groups(grad_gates, group_rows(s->index, ctx->saved_data["input_rows"].toInt()));
    }
    if (wants_h0) {
      result[1] = unsort_sentences(grad_h, plan);
    }
    if (s->has_c0 && ctx->needs_input_grad(2)) {
      result[2] = unsort_sentences(grad_c, plan);
    }
    if (ctx->needs_input_grad(3)) {
      result[3] = recurrent_weight_gradient(*s, grad_gates, h, masked_h, h_first);
    }
    if (s->has_bias && ctx->needs_input_grad(4)) {
      result[4] =
          unsort_sentences(sum_groups(grad_gates, group_rows(sentence_of_rows(plan), batch)), plan);
    }
    return result;
  }
};

}  // namespace

RecurrentResult lstm_fused(const GateInputs& inputs, const RecurrentState& initial,
                           const at::Tensor& weight_hh, const RecurrentExtras& extras) {
  auto settings = c10::make_intrusive<FusedSettings>();
  const PackPlan& plan = inputs.plan;
  settings->time = inputs.time;
  settings->plan = plan;
  settings->index = inputs.index;
  settings->mask_initial_state = extras.mask_initial_state;
  settings->mixed = MixedPrecisionScope::active();
  settings->has_h0 = initial.h.defined();
  settings->has_c0 = initial.c.defined();
  settings->has_bias = extras.sentence_bias.defined();
  if (extras.mask_h.defined()) {
    settings->mask_h = sort_sentences(extras.mask_h.detach(), plan).contiguous();
  }
  if (extras.mask_c.defined()) {
    settings->mask_c = sort_sentences(extras.mask_c.detach(), plan).contiguous();
  }
  const auto argument = [&](const at::Tensor& x) {
    return x.defined() ? x : at::empty({0}, weight_hh.options());
  };
  const auto out = FusedLstm::apply(inputs.rows, argument(initial.h), argument(initial.c),
                                    weight_hh, argument(extras.sentence_bias), settings);
  return {out[0], {out[1], out[2]}};
}

}  // namespace lvtext
