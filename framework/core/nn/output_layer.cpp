#include "framework/core/nn/output_layer.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/nn/entmax.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/nn/output_kernels.h"
#include "framework/core/nn/sparse_rows.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Maximum number of logits in memory. On the CPU 16 MiB of floats: large enough for efficient
// matrix products, small enough to stay in the cache between the product, the softmax and the
// gradient products.
constexpr int64_t kCpuLogits = int64_t{1} << 22, kGpuLogits = int64_t{1} << 27;

// Share of the gradient of the logits above which its dense products are faster than sparse ones: a
// stored element costs about as much as 16 elements of a matrix product.
constexpr double kDensity = 1.0 / 16;

struct Problem {
  at::Tensor hidden, weight;
  at::Tensor bias;     ///< [V] or undefined
  at::Tensor targets;  ///< [N] int64, or distributions [N, V]
  double alpha = 1;
  bool mixed = false;  ///< precision of the products

  int64_t rows() const { return hidden.size(0); }
  int64_t chunk() const {
    const int64_t held = hidden.is_cpu() ? kCpuLogits : kGpuLogits;
    return std::clamp<int64_t>(held / weight.size(0), 16, std::max<int64_t>(16, rows()));
  }
  bool sparse() const { return alpha > kSoftmaxAlpha && hidden.is_cpu(); }
};

/// Gradients of sum_n scale[n] loss[n]; those that are not needed stay undefined.
class Gradients {
 public:
  std::array<bool, 3> needed{};  ///< for hidden, weight and bias
  at::Tensor hidden, weight, bias;

  void start(const Problem& p) {
    if (needed[0]) hidden = at::empty({p.rows(), p.hidden.size(1)}, p.hidden.options());
    if (needed[1]) {
      // MKL is up to 1.7 times as fast for a product with V columns as for its transpose; sparse
      // products add rows of [V, H].
      weight = p.sparse() ? at::zeros_like(p.weight, at::MemoryFormat::Contiguous)
                          : at::empty({p.hidden.size(1), p.weight.size(0)}, p.weight.options()).t();
      if (p.rows() == 0) weight.zero_();
      empty_ = !p.sparse();
    }
    if (needed[2]) bias = at::zeros_like(p.bias);
  }

  /// Adds those of rows [from, from + R): `of_logits` [R, V].
  void add(const Problem& p, int64_t from, const at::Tensor& of_logits) {
    const int64_t count = of_logits.size(0);
    if (needed[2]) bias.add_(of_logits.sum(0));
    const at::Tensor factor = operand(of_logits);
    if (needed[0]) {
      at::Tensor of_hidden = hidden.narrow(0, from, count);
      product_out(of_hidden, factor, parameter_operand(p.weight));
    }
    if (!needed[1]) return;
    const at::Tensor rows = operand(p.hidden.narrow(0, from, count));
    at::Tensor sum = p.sparse() ? weight : weight.t();
    const at::Tensor left = p.sparse() ? factor.t() : rows.t(), right = p.sparse() ? rows : factor;
    if (std::exchange(empty_, false)) {
      product_out(sum, left, right);
    } else {
      add_product(sum, left, right);
    }
  }

  /// The same from sparse rows, in float32 under every precision.
  template <typename T>
  void add(const Problem& p, int64_t from, const SparseRows<T>& of_logits) {
    if (needed[2]) add_column_sums(of_logits, bias);
    if (needed[0]) {
      sparse_product(of_logits, p.weight.contiguous(), hidden.narrow(0, from, of_logits.rows()));
    }
    if (needed[1]) {
      add_transposed_product(of_logits, p.hidden.narrow(0, from, of_logits.rows()), weight);
    }
  }

 private:
  bool empty_ = false;  ///< the dense weight gradient has not been written
};

/// Adds the gradients of a chunk whose gradient of the logits, mostly zeros, is given.
template <typename T>
void add_entmax(const Problem& p, int64_t from, const at::Tensor& of_logits, Gradients& gradients) {
  const SparseRows<T> sparse = p.sparse() ? sparse_rows<T>(of_logits, kDensity) : SparseRows<T>();
  if (sparse.columns > 0) {
    gradients.add(p, from, sparse);
  } else {
    gradients.add(p, from, of_logits);
  }
}

/// Computes the results of every row; if `gradients` is given, also the gradients of sum_n scale[n]
/// loss[n].
void process(const Problem& p, const at::Tensor& scale, const RowResults& results,
             Gradients* gradients) {
  const at::NoGradGuard no_grad;
  const MixedPrecisionScope scope(p.mixed);
  const int64_t vocabulary = p.weight.size(0), rows = p.rows(), chunk = p.chunk();
  const at::Tensor weight = parameter_operand(p.weight);
  if (gradients != nullptr) gradients->start(p);
  const at::Tensor buffer = at::empty({std::min(chunk, rows), vocabulary}, p.weight.options());
  for (int64_t from = 0; from < rows; from += chunk) {
    const int64_t count = std::min(chunk, rows - from);
    at::Tensor logits = buffer.narrow(0, 0, count);
    product_out(logits, operand(p.hidden.narrow(0, from, count)), weight.t());
    const RowResults here = results.narrow(from, count);
    const at::Tensor scales = gradients != nullptr ? scale.narrow(0, from, count) : at::Tensor();
    const at::Tensor targets = p.targets.narrow(0, from, count);
    if (p.alpha <= kSoftmaxAlpha) {
      softmax_chunk(logits, p.bias, targets, scales, here);
      if (gradients != nullptr) gradients->add(p, from, logits);
      continue;
    }
    entmax_chunk(logits, p.bias, targets, p.alpha, scales, here);
    if (gradients == nullptr) continue;
    if (logits.scalar_type() == at::kFloat) {
      add_entmax<float>(p, from, logits, *gradients);
    } else {
      add_entmax<double>(p, from, logits, *gradients);
    }
  }
}

at::Tensor losses(const Problem& p, const at::Tensor& scale, Gradients* gradients) {
  const at::Tensor loss = at::empty({p.rows()}, p.weight.options().requires_grad(false));
  process(p, scale, {.loss = loss}, gradients);
  return loss;
}

/// All results of every row, and the gradients as process().
OutputRows all_results(const Problem& p, const at::Tensor& scale, Gradients* gradients) {
  const auto rows = [&](at::ScalarType type) {
    return at::empty({p.rows()}, p.weight.options().dtype(type).requires_grad(false));
  };
  const at::ScalarType type = p.weight.scalar_type();
  const RowResults results{rows(type), rows(type), rows(type), rows(at::kLong)};
  process(p, scale, results, gradients);
  return {results.loss, results.probability, results.squares, results.support};
}

void check(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias) {
  LVT_CHECK_SHAPE(weight, {-1, -1});
  if (bias.defined()) LVT_CHECK_SHAPE(bias, {weight.size(0)});
  LVT_CHECK_SHAPE(hidden, {-1, weight.size(1)});
}

void check(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
           const at::Tensor& targets) {
  check(hidden, weight, bias);
  LVT_CHECK_SHAPE(targets, {hidden.size(0)});
  LVT_ASSERT(targets.scalar_type() == at::kLong, "targets must be int64");
  // On other devices this check would synchronize; gather reports the error there.
  if (targets.is_cpu() && targets.numel() > 0) {
    LVT_ASSERT(targets.min().item<int64_t>() >= 0 && targets.max().item<int64_t>() < weight.size(0),
               "targets must be in 0..V-1");
  }
}

void refuse_second_derivative() {
  LVT_ASSERT(!at::GradMode::is_enabled(),
             "the output layer's loss does not support second derivatives (create_graph)");
}

/// Gradients computed in the forward pass, to be returned by the backward pass.
struct ReadyGradients : torch::CustomClassHolder {
  std::array<at::Tensor, 3> values;  ///< for hidden, weight and bias; undefined after use
  bool used = false;
};

/// The problem whose tensors a function saved, in the order hidden, weight, bias, targets.
Problem saved_problem(AutogradContext* ctx, const variable_list& saved) {
  return {saved[0],
          saved[1],
          saved[2],
          saved[3],
          ctx->saved_data["alpha"].toDouble(),
          ctx->saved_data["mixed"].toBool()};
}

void save_problem(AutogradContext* ctx, const Problem& p, const at::Tensor& scale = {}) {
  ctx->save_for_backward({p.hidden, p.weight, p.bias, p.targets, scale});
  ctx->saved_data["alpha"] = p.alpha;
  ctx->saved_data["mixed"] = p.mixed;
}

// An undefined bias is passed as an optional tensor, because undefined ones are not accepted.
class SumFunction : public torch::autograd::Function<SumFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& hidden,
                            const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            const at::Tensor& targets, const at::Tensor& scale, double alpha,
                            OutputRows* rows) {
    const Problem problem{hidden,  weight, bias.value_or(at::Tensor()),
                          targets, alpha,  MixedPrecisionScope::active()};
    Gradients gradients;
    gradients.needed = {hidden.requires_grad(), weight.requires_grad(),
                        problem.bias.defined() && problem.bias.requires_grad()};
    if (rows != nullptr) *rows = all_results(problem, scale, &gradients);
    const at::Tensor loss = rows != nullptr ? rows->loss : losses(problem, scale, &gradients);
    auto ready = c10::make_intrusive<ReadyGradients>();
    ready->values = {gradients.hidden, gradients.weight, gradients.bias};
    save_problem(ctx, problem, scale);
    ctx->saved_data["ready"] = c10::IValue::make_capsule(ready);
    return (loss * scale).sum();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    refuse_second_derivative();
    const auto ready =
        c10::static_intrusive_pointer_cast<ReadyGradients>(ctx->saved_data["ready"].toCapsule());
    // Scaled in place and released, because they are as large as the parameters.
    std::array<at::Tensor, 3> values = std::exchange(ready->values, {});
    if (std::exchange(ready->used, true)) {  // second backward pass through the same graph
      const auto saved = ctx->get_saved_variables();
      Gradients again;
      for (size_t i = 0; i < values.size(); ++i) again.needed[i] = ctx->needs_input_grad(i);
      losses(saved_problem(ctx, saved), saved[4], &again);
      values = {again.hidden, again.weight, again.bias};
    }
    variable_list result(7);
    for (size_t i = 0; i < values.size(); ++i) {
      if (ctx->needs_input_grad(i)) result[i] = values[i].mul_(grads[0]);
    }
    return result;
  }
};

class RowsFunction : public torch::autograd::Function<RowsFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& hidden,
                            const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            const at::Tensor& targets, double alpha) {
    const Problem problem{hidden,  weight, bias.value_or(at::Tensor()),
                          targets, alpha,  MixedPrecisionScope::active()};
    save_problem(ctx, problem);
    return losses(problem, {}, nullptr);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    refuse_second_derivative();
    Gradients gradients;
    for (size_t i = 0; i < 3; ++i) gradients.needed[i] = ctx->needs_input_grad(i);
    losses(saved_problem(ctx, ctx->get_saved_variables()), grads[0].contiguous(), &gradients);
    return {gradients.hidden, gradients.weight, gradients.bias, at::Tensor(), at::Tensor()};
  }
};

bool wants_gradient(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias) {
  return at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad() ||
                                        (bias.defined() && bias.requires_grad()));
}

}  // namespace

at::Tensor output_loss_rows(const at::Tensor& hidden, const at::Tensor& weight,
                            const at::Tensor& bias, const at::Tensor& targets, double alpha) {
  check(hidden, weight, bias, targets);
  check_alpha(alpha);
  return RowsFunction::apply(hidden.contiguous(), weight, std::optional(bias), targets.contiguous(),
                             alpha);
}

at::Tensor output_loss_sum(const at::Tensor& hidden, const at::Tensor& weight,
                           const at::Tensor& bias, const at::Tensor& targets,
                           const at::Tensor& row_weights, double alpha, OutputRows* rows) {
  check(hidden, weight, bias, targets);
  check_alpha(alpha);
  if (row_weights.defined()) LVT_CHECK_SHAPE(row_weights, {hidden.size(0)});
  if (!wants_gradient(hidden, weight, bias)) {
    if (rows != nullptr) *rows = output_rows(hidden, weight, bias, targets, alpha);
    const at::Tensor loss =
        rows != nullptr ? rows->loss : output_loss_rows(hidden, weight, bias, targets, alpha);
    return row_weights.defined() ? (loss * row_weights).sum() : loss.sum();
  }
  const at::Tensor scale =
      row_weights.defined()
          ? row_weights.detach().to(weight.device(), weight.scalar_type()).contiguous()
          : at::ones({hidden.size(0)}, weight.options().requires_grad(false));
  return SumFunction::apply(hidden.contiguous(), weight, std::optional(bias), targets.contiguous(),
                            scale, alpha, rows);
}

OutputRows output_rows(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                       const at::Tensor& targets, double alpha) {
  check(hidden, weight, bias, targets);
  check_alpha(alpha);
  return all_results({hidden.detach().contiguous(), weight, bias, targets.contiguous(), alpha,
                      MixedPrecisionScope::active()},
                     {}, nullptr);
}

at::Tensor distribution_cross_entropy_sum(const at::Tensor& hidden, const at::Tensor& weight,
                                          const at::Tensor& bias, const at::Tensor& probabilities) {
  check(hidden, weight, bias);
  LVT_CHECK_SHAPE(probabilities, {hidden.size(0), weight.size(0)});
  LVT_ASSERT(probabilities.scalar_type() == hidden.scalar_type(),
             "target distributions must have the type of the hidden states");
  const at::Tensor targets = probabilities.detach().contiguous();
  if (!wants_gradient(hidden, weight, bias)) {
    return RowsFunction::apply(hidden.contiguous(), weight, std::optional(bias), targets, 1.0)
        .sum();
  }
  const at::Tensor scale = at::ones({hidden.size(0)}, weight.options().requires_grad(false));
  return SumFunction::apply(hidden.contiguous(), weight, std::optional(bias), targets, scale, 1.0,
                            nullptr);
}

OutputLayer::OutputLayer(const Init& init, int64_t hidden, int64_t vocabulary, double bound)
    : weight_(ModuleScope(*this, init).uniform("weight", {vocabulary, hidden}, bound)),
      bias_(register_parameter("bias", at::zeros({vocabulary}))) {}

at::Tensor OutputLayer::logits(const at::Tensor& hidden) const {
  LVT_CHECK_SHAPE(hidden, {-1, weight_.size(1)});
  return affine(hidden, weight_, bias_);
}

at::Tensor OutputLayer::nll_rows(const at::Tensor& hidden, const at::Tensor& targets) const {
  return output_loss_rows(hidden, weight_, bias_, targets);
}

at::Tensor OutputLayer::nll_sum(const at::Tensor& hidden, const at::Tensor& targets,
                                const at::Tensor& row_weights) const {
  return output_loss_sum(hidden, weight_, bias_, targets, row_weights);
}

}  // namespace lvtext
