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
  bool mixed = false;         ///< precision of the products
  at::Tensor log_prior = {};  ///< [N, K] of a mixture, whose hidden states are [N K, H]
  at::Tensor added = {};      ///< [S, H], added to the rows `added_ids` [S] of the weight
  at::Tensor added_ids = {};

  int64_t rows() const { return hidden.size(0); }
  /// Rows of logits for each target.
  int64_t experts() const { return log_prior.defined() ? log_prior.size(1) : 1; }
  int64_t targets_count() const { return rows() / experts(); }
  /// Number of rows of logits in memory, a multiple of experts().
  int64_t chunk() const {
    const int64_t held = hidden.is_cpu() ? kCpuLogits : kGpuLogits;
    const int64_t fit =
        std::clamp<int64_t>(held / weight.size(0), 16, std::max<int64_t>(16, rows()));
    return std::max<int64_t>(1, fit / experts()) * experts();
  }
  bool sparse() const { return alpha > kSoftmaxAlpha && hidden.is_cpu(); }
};

/// Number of inputs that may need a gradient.
constexpr size_t kInputs = 5;

/// Gradients of sum_n scale[n] loss[n]; those that are not needed stay undefined.
class Gradients {
 public:
  std::array<bool, kInputs> needed{};  ///< for hidden, weight, bias, log_prior and added
  at::Tensor hidden, weight, bias, log_prior, added;

  std::array<at::Tensor, kInputs> all() const { return {hidden, weight, bias, log_prior, added}; }

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
    if (p.log_prior.defined()) {
      log_prior = at::empty(p.log_prior.sizes(), p.log_prior.options().requires_grad(false));
    }
    if (needed[4]) added = at::zeros_like(p.added);
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
    if (p.added.defined()) add_to_rows(p, from, of_logits);
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
  /// The share of Problem::added, in the parameters' precision.
  void add_to_rows(const Problem& p, int64_t from, const at::Tensor& of_logits) {
    const at::Tensor columns = of_logits.index_select(1, p.added_ids);
    const int64_t count = of_logits.size(0);
    if (needed[0]) hidden.narrow(0, from, count).addmm_(columns, p.added);
    if (needed[4]) added.addmm_(columns.t(), p.hidden.narrow(0, from, count));
  }

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
  const int64_t experts = p.experts();
  const at::Tensor weight = parameter_operand(p.weight);
  if (gradients != nullptr) gradients->start(p);
  const at::Tensor buffer = at::empty({std::min(chunk, rows), vocabulary}, p.weight.options());
  for (int64_t from = 0; from < rows; from += chunk) {
    const int64_t count = std::min(chunk, rows - from);
    at::Tensor logits = buffer.narrow(0, 0, count);
    const at::Tensor hidden = p.hidden.narrow(0, from, count);
    product_out(logits, operand(hidden), weight.t());
    if (p.added.defined()) logits.index_add_(1, p.added_ids, at::mm(hidden, p.added.t()));
    const int64_t first = from / experts, positions = count / experts;
    const RowResults here = results.narrow(first, positions);
    const at::Tensor scales =
        gradients != nullptr ? scale.narrow(0, first, positions) : at::Tensor();
    const at::Tensor targets = p.targets.narrow(0, first, positions);
    if (p.log_prior.defined()) {
      mixture_chunk(
          logits, p.bias, targets, p.log_prior.narrow(0, first, positions), scales, here.loss,
          gradients != nullptr ? gradients->log_prior.narrow(0, first, positions) : at::Tensor());
      if (gradients != nullptr) gradients->add(p, from, logits);
      continue;
    }
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
  const at::Tensor loss = at::empty({p.targets_count()}, p.weight.options().requires_grad(false));
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

void check_targets(const at::Tensor& targets, int64_t count, int64_t vocabulary) {
  LVT_CHECK_SHAPE(targets, {count});
  LVT_ASSERT(targets.scalar_type() == at::kLong, "targets must be int64");
  // On other devices this check would synchronize; gather reports the error there.
  if (targets.is_cpu() && targets.numel() > 0) {
    LVT_ASSERT(targets.min().item<int64_t>() >= 0 && targets.max().item<int64_t>() < vocabulary,
               "targets must be in 0..V-1");
  }
}

void check(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
           const at::Tensor& targets) {
  check(hidden, weight, bias);
  check_targets(targets, hidden.size(0), weight.size(0));
}

void refuse_second_derivative() {
  LVT_ASSERT(!at::GradMode::is_enabled(),
             "the output layer's loss does not support second derivatives (create_graph)");
}

/// Gradients computed in the forward pass, to be returned by the backward pass.
struct ReadyGradients : torch::CustomClassHolder {
  std::array<bool, kInputs> needed{};
  std::array<at::Tensor, kInputs> values;  ///< as Gradients::all(); undefined after use
  bool used = false;
};

/// The problem whose tensors save_problem() saved.
Problem saved_problem(AutogradContext* ctx, const variable_list& saved) {
  return {saved[0],
          saved[1],
          saved[2],
          saved[3],
          ctx->saved_data["alpha"].toDouble(),
          ctx->saved_data["mixed"].toBool(),
          saved[5],
          saved[6],
          saved[7]};
}

void save_problem(AutogradContext* ctx, const Problem& p, const at::Tensor& scale = {}) {
  ctx->save_for_backward(
      {p.hidden, p.weight, p.bias, p.targets, scale, p.log_prior, p.added, p.added_ids});
  ctx->saved_data["alpha"] = p.alpha;
  ctx->saved_data["mixed"] = p.mixed;
}

// Undefined tensors are passed as optional ones, because undefined ones are not accepted.
class SumFunction : public torch::autograd::Function<SumFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& hidden,
                            const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            const std::optional<at::Tensor>& log_prior,
                            const std::optional<at::Tensor>& added, const at::Tensor& targets,
                            const std::optional<at::Tensor>& added_ids, const at::Tensor& scale,
                            double alpha, OutputRows* rows) {
    const Problem problem{hidden,
                          weight,
                          bias.value_or(at::Tensor()),
                          targets,
                          alpha,
                          MixedPrecisionScope::active(),
                          log_prior.value_or(at::Tensor()),
                          added.value_or(at::Tensor()),
                          added_ids.value_or(at::Tensor())};
    Gradients gradients;
    const auto needs = [](const at::Tensor& x) { return x.defined() && x.requires_grad(); };
    gradients.needed = {needs(hidden), needs(weight), needs(problem.bias), needs(problem.log_prior),
                        needs(problem.added)};
    if (rows != nullptr) *rows = all_results(problem, scale, &gradients);
    const at::Tensor loss = rows != nullptr ? rows->loss : losses(problem, scale, &gradients);
    auto ready = c10::make_intrusive<ReadyGradients>();
    ready->needed = gradients.needed;
    ready->values = gradients.all();
    save_problem(ctx, problem, scale);
    ctx->saved_data["ready"] = c10::IValue::make_capsule(ready);
    return (loss * scale).sum();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    refuse_second_derivative();
    const auto ready =
        c10::static_intrusive_pointer_cast<ReadyGradients>(ctx->saved_data["ready"].toCapsule());
    // Scaled in place and released, because they are as large as the parameters.
    std::array<at::Tensor, kInputs> values = std::exchange(ready->values, {});
    if (std::exchange(ready->used, true)) {  // second backward pass through the same graph
      const auto saved = ctx->get_saved_variables();
      Gradients again;
      again.needed = ready->needed;
      losses(saved_problem(ctx, saved), saved[4], &again);
      values = again.all();
    }
    variable_list result(10);
    for (size_t i = 0; i < values.size(); ++i) {
      if (ready->needed[i]) result[i] = values[i].mul_(grads[0]);
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
  return SumFunction::apply(hidden.contiguous(), weight, std::optional(bias),
                            std::optional<at::Tensor>(), std::optional<at::Tensor>(),
                            targets.contiguous(), std::optional<at::Tensor>(), scale, alpha, rows);
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
  return SumFunction::apply(hidden.contiguous(), weight, std::optional(bias),
                            std::optional<at::Tensor>(), std::optional<at::Tensor>(), targets,
                            std::optional<at::Tensor>(), scale, 1.0, nullptr);
}

namespace {

void check(const Mixture& m) {
  LVT_CHECK_SHAPE(m.latents, {-1, -1, -1});
  check(m.latents.flatten(0, 1), m.weight, m.bias);
  LVT_CHECK_SHAPE(m.log_prior, {m.latents.size(0), m.latents.size(1)});
  if (!m.added.defined()) return;
  LVT_CHECK_SHAPE(m.added_ids, {-1});
  LVT_CHECK_SHAPE(m.added, {m.added_ids.size(0), m.weight.size(1)});
}

Problem problem_of(const Mixture& m, const at::Tensor& targets) {
  return {m.latents.detach().flatten(0, 1).contiguous(),
          m.weight,
          m.bias,
          targets,
          kSoftmaxAlpha,
          MixedPrecisionScope::active(),
          m.log_prior.detach().contiguous(),
          m.added,
          m.added_ids};
}

}  // namespace

at::Tensor mixture_loss_sum(const Mixture& m, const at::Tensor& targets,
                            const at::Tensor& row_weights) {
  check(m);
  check_targets(targets, m.latents.size(0), m.weight.size(0));
  if (row_weights.defined()) LVT_CHECK_SHAPE(row_weights, {targets.size(0)});
  const bool trains =
      wants_gradient(m.latents, m.weight, m.bias) ||
      (at::GradMode::is_enabled() &&
       (m.log_prior.requires_grad() || (m.added.defined() && m.added.requires_grad())));
  if (!trains) {
    const at::Tensor loss = mixture_loss_rows(m, targets);
    return row_weights.defined() ? (loss * row_weights).sum() : loss.sum();
  }
  const auto options = m.weight.options().requires_grad(false);
  const at::Tensor scale = row_weights.defined() ? row_weights.detach().to(options).contiguous()
                                                 : at::ones({targets.size(0)}, options);
  return SumFunction::apply(m.latents.flatten(0, 1).contiguous(), m.weight, std::optional(m.bias),
                            std::optional(m.log_prior.contiguous()), std::optional(m.added),
                            targets.contiguous(), std::optional(m.added_ids), scale, kSoftmaxAlpha,
                            nullptr);
}

at::Tensor mixture_loss_rows(const Mixture& m, const at::Tensor& targets) {
  check(m);
  check_targets(targets, m.latents.size(0), m.weight.size(0));
  return losses(problem_of(m, targets.contiguous()), {}, nullptr);
}

at::Tensor mixture_log_probabilities(const Mixture& m) {
  check(m);
  const at::NoGradGuard no_grad;
  const Problem p = problem_of(m, {});
  const MixedPrecisionScope scope(p.mixed);
  const int64_t experts = p.experts(), chunk = p.chunk(), vocabulary = p.weight.size(0);
  const at::Tensor weight = parameter_operand(p.weight);
  const at::Tensor result =
      at::empty({p.targets_count(), vocabulary}, p.weight.options().requires_grad(false));
  for (int64_t from = 0; from < p.rows(); from += chunk) {
    const at::Tensor hidden = p.hidden.narrow(0, from, std::min(chunk, p.rows() - from));
    at::Tensor logits = at::empty({hidden.size(0), vocabulary}, result.options());
    product_out(logits, operand(hidden), weight.t());
    if (p.added.defined()) logits.index_add_(1, p.added_ids, at::mm(hidden, p.added.t()));
    if (p.bias.defined()) logits.add_(p.bias);
    const int64_t first = from / experts, count = hidden.size(0) / experts;
    const at::Tensor of_experts = at::log_softmax(logits, 1).view({count, experts, vocabulary});
    result.narrow(0, first, count)
        .copy_((of_experts + p.log_prior.narrow(0, first, count).unsqueeze(2)).logsumexp(1));
  }
  return result;
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
