#include "framework/core/nn/entmax.h"

#include <cmath>
#include <limits>
#include <string>

#include "framework/core/base/error.h"
#include "framework/core/tensor/shape.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// On devices other than the CPU the threshold is found on full rows, without transferring values
// to the host: this many steps of Newton's method, or of bisection for alpha > 2.
constexpr int kNewtonSteps = 24, kBisectionSteps = 52;

void refuse_create_graph() {
  LVT_ASSERT(!at::GradMode::is_enabled(),
             "entmax does not support second derivatives (create_graph)");
}

template <typename T>
EntmaxRows solve_rows(const at::Tensor& scores, double alpha) {
  const int64_t rows = scores.size(0), vocabulary = scores.size(1);
  const EntmaxRows solved{at::zeros({rows, vocabulary}, scores.options()),
                          at::empty({rows}, scores.options().dtype(at::kDouble)),
                          at::empty({rows}, scores.options().dtype(at::kDouble)),
                          at::empty({rows}, scores.options().dtype(at::kLong))};
  const T* z = scores.const_data_ptr<T>();
  T* p = solved.probabilities.mutable_data_ptr<T>();
  auto* thresholds = solved.thresholds.mutable_data_ptr<double>();
  auto* power_sums = solved.power_sums.mutable_data_ptr<double>();
  auto* support = solved.support.mutable_data_ptr<int64_t>();
  at::parallel_for(0, rows, 1, [&](int64_t from, int64_t to) {
    EntmaxRow<T> row(alpha, vocabulary);
    for (int64_t r = from; r < to; ++r) {
      const EntmaxSolution solution = row.solve(z + r * vocabulary, vocabulary);
      for (int64_t k = 0; k < solution.support; ++k) {
        p[r * vocabulary + row.positions()[k]] = row.probabilities()[k];
      }
      thresholds[r] = solution.threshold;
      power_sums[r] = solution.power_sum;
      support[r] = solution.support;
    }
  });
  return solved;
}

/// w^exponent with w = max(0, 1 + t), and 0 for w = 0. Keeps the digits of a small t, which a power
/// of 1 + t would lose for alpha near 1.
at::Tensor powers(const at::Tensor& t, double exponent) {
  const at::Tensor inside = t > -1;
  return at::where(inside, (at::where(inside, t, 0).log1p() * exponent).exp(), 0);
}

class EntmaxFunction : public torch::autograd::Function<EntmaxFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& scores, double alpha) {
    const at::Tensor p = solve_entmax(scores, alpha).probabilities;
    ctx->save_for_backward({p});
    ctx->saved_data["alpha"] = alpha;
    return p;
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    refuse_create_graph();
    const at::Tensor p = ctx->get_saved_variables()[0];
    return {entmax_backward(p, gradients[0], ctx->saved_data["alpha"].toDouble()), at::Tensor()};
  }
};

class LossFunction : public torch::autograd::Function<LossFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& scores,
                            const at::Tensor& targets, double alpha) {
    const EntmaxRows solved = solve_entmax(scores, alpha);
    const at::Tensor loss = solved.loss(scores, targets, alpha), index = targets.unsqueeze(1);
    solved.probabilities.scatter_add_(1, index, at::full_like(index, -1, scores.options()));
    ctx->save_for_backward({solved.probabilities});
    return loss;
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    refuse_create_graph();
    return {ctx->get_saved_variables()[0] * gradients[0].unsqueeze(1), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

void check_alpha(double alpha) {
  LVT_ASSERT(alpha >= kMinAlpha && alpha <= kMaxAlpha,
             "alpha is " + std::to_string(alpha) + ", allowed: 1 to 4");
}

at::Tensor EntmaxRows::loss(const at::Tensor& scores, const at::Tensor& targets,
                            double alpha) const {
  const at::Tensor score = scores.gather(1, targets.unsqueeze(1)).squeeze(1).to(at::kDouble);
  // The difference of two infinite values: the target is the one score of +infinity.
  const at::Tensor margin = at::where(thresholds == score, 0, thresholds - score);
  return (margin - (1 - power_sums) / alpha).to(scores.scalar_type());
}

EntmaxRows solve_entmax(const at::Tensor& scores, double alpha) {
  if (!scores.is_cpu()) return solve_entmax_composed(scores, alpha);
  return scores.scalar_type() == at::kFloat ? solve_rows<float>(scores, alpha)
                                            : solve_rows<double>(scores, alpha);
}

EntmaxRows solve_entmax_composed(const at::Tensor& scores, double alpha) {
  const at::NoGradGuard no_grad;
  const double slope = alpha - 1, q = 1 / slope;
  const at::Tensor z = alpha > 2 ? scores.to(at::kDouble) : scores;
  const at::Tensor maximum = z.amax(1, true), is_maximum = z == maximum;
  // One score of +infinity makes the row one-hot; a NaN, and other infinite maxima, make it NaN.
  const at::Tensor one_hot = (maximum == std::numeric_limits<double>::infinity())
                                 .logical_and(is_maximum.sum(1, true) == 1);
  const at::Tensor invalid = maximum.isfinite().logical_or(one_hot).logical_not();
  const at::Tensor x = at::where(is_maximum, 0, z - maximum);
  at::Tensor shift = at::zeros_like(maximum);
  if (alpha <= 2) {
    for (int step = 0; step < kNewtonSteps; ++step) {
      const at::Tensor t = (x - shift) * slope, below = powers(t, q - 1);
      const at::Tensor sum = (below * (t + 1).clamp_min(0)).sum(1, true);
      const at::Tensor excess = (sum.log() / q).expm1();
      shift = shift + (excess * sum / ((1 + excess) * below.sum(1, true) * slope)).clamp_min(0);
    }
  } else {
    at::Tensor step = at::full_like(maximum, (1 - std::pow(x.size(1), -slope)) / slope);
    for (int count = 0; count < kBisectionSteps; ++count) {
      step = step / 2;
      const at::Tensor sum = powers((x - shift - step) * slope, q).sum(1, true);
      shift = at::where(sum >= 1, shift + step, shift);
    }
  }
  const at::Tensor t = (x - shift) * slope, p = powers(t, q);
  const at::Tensor sum = p.sum(1, true).masked_fill(invalid, NAN);
  return {(p / sum).to(scores.scalar_type()), (maximum + shift).squeeze(1).to(at::kDouble),
          (p * (t + 1).clamp_min(0)).sum(1).masked_fill(invalid.squeeze(1), NAN).to(at::kDouble),
          (t > -1).sum(1)};
}

at::Tensor entmax(const at::Tensor& scores, double alpha) {
  LVT_CHECK_SHAPE(scores, {-1, -1});
  check_alpha(alpha);
  return alpha <= kSoftmaxAlpha ? at::softmax(scores, 1)
                                : EntmaxFunction::apply(scores.contiguous(), alpha);
}

at::Tensor entmax_backward(const at::Tensor& probabilities, const at::Tensor& gradient,
                           double alpha) {
  LVT_CHECK_SHAPE(probabilities, {-1, -1});
  LVT_CHECK_SHAPE(gradient, {probabilities.size(0), probabilities.size(1)});
  const at::Tensor s = at::where(probabilities > 0, probabilities.pow(2 - alpha), 0);
  const at::Tensor weighted = s * gradient;
  return weighted - s * (weighted.sum(1, true) / s.sum(1, true));
}

at::Tensor entmax_alpha_gradient(const at::Tensor& probabilities, const at::Tensor& gradient,
                                 double alpha) {
  LVT_CHECK_SHAPE(probabilities, {-1, -1});
  LVT_CHECK_SHAPE(gradient, {probabilities.size(0), probabilities.size(1)});
  LVT_ASSERT(alpha >= 1.01 && alpha <= kMaxAlpha,
             "alpha is " + std::to_string(alpha) + ", allowed: 1.01 to 4");
  const at::Tensor p = probabilities.to(at::kDouble), inside = p > 0;
  const at::Tensor unnormalized = at::where(inside, p.pow(2 - alpha), 0);
  const at::Tensor s = unnormalized / unnormalized.sum(1, true);
  const at::Tensor entropy = at::where(inside, p * p.log(), 0);
  const double slope = alpha - 1;
  const at::Tensor derivative =
      (p - s) / (slope * slope) - (entropy - s * entropy.sum(1, true)) / slope;
  return (derivative * gradient).sum(1).to(probabilities.scalar_type());
}

at::Tensor entmax_loss(const at::Tensor& scores, const at::Tensor& targets, double alpha) {
  LVT_CHECK_SHAPE(scores, {-1, -1});
  LVT_CHECK_SHAPE(targets, {scores.size(0)});
  check_alpha(alpha);
  if (alpha <= kSoftmaxAlpha) {
    return at::cross_entropy_loss(scores, targets, {}, at::Reduction::None);
  }
  return LossFunction::apply(scores.contiguous(), targets.contiguous(), alpha);
}

}  // namespace lvtext
