#include "framework/core/nn/output_kernels.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "framework/core/nn/entmax.h"
#include "framework/core/nn/vector_math.h"

namespace lvtext {
namespace {

constexpr int64_t kSumBlock = 1024;  // floats summed in float32 before they are added to a double

/// Adds `bias` to the row and returns the maximum.
LVT_WIDEST float add_and_max(float* x, const float* bias, int64_t count) {
  // Uses separate lanes because compilers cannot reorder a single running maximum.
  constexpr int64_t kLanes = 32;
  float best[kLanes];
  std::fill(best, best + kLanes, -std::numeric_limits<float>::infinity());
  int64_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const float sum = x[k + lane] + bias[k + lane];
      x[k + lane] = sum;
      best[lane] = sum > best[lane] ? sum : best[lane];
    }
  }
  for (; k < count; ++k) {
    x[k] += bias[k];
    best[0] = x[k] > best[0] ? x[k] : best[0];
  }
  return *std::max_element(best, best + kLanes);
}

/// Replaces x[k] by e^(x[k] - shift) and returns the sum.
LVT_WIDEST double exp_row(float* x, int64_t count, float shift) {
  double total = 0;
  for (int64_t from = 0; from < count; from += kSumBlock) {
    const int64_t to = std::min(count, from + kSumBlock);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = from; k < to; ++k) {
      x[k] = vector_math::exp(x[k] - shift);
      sum += x[k];
    }
    total += sum;
  }
  return total;
}

LVT_WIDEST void scale_row(float* x, int64_t count, float factor) {
#pragma omp simd
  for (int64_t k = 0; k < count; ++k) {
    x[k] *= factor;
  }
}

LVT_WIDEST double square_sum(const float* x, int64_t count) {
  double total = 0;
  for (int64_t from = 0; from < count; from += kSumBlock) {
    const int64_t to = std::min(count, from + kSumBlock);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = from; k < to; ++k) sum += x[k] * x[k];
    total += sum;
  }
  return total;
}

double square_sum(const double* x, int64_t count) {
  return std::inner_product(x, x + count, x, 0.0);
}

double add_and_max(double* x, const double* bias, int64_t count) {
  for (int64_t k = 0; k < count; ++k) {
    x[k] += bias[k];
  }
  return *std::max_element(x, x + count);
}

double exp_row(double* x, int64_t count, double shift) {
  double total = 0;
  for (int64_t k = 0; k < count; ++k) {
    x[k] = std::exp(x[k] - shift);
    total += x[k];
  }
  return total;
}

void scale_row(double* x, int64_t count, double factor) {
  for (int64_t k = 0; k < count; ++k) {
    x[k] *= factor;
  }
}

/// The first element of an optional result.
template <typename T>
T* data_or_null(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr<T>() : nullptr;
}

at::Tensor bias_or_zeros(const at::Tensor& bias, const at::Tensor& logits) {
  return bias.defined() ? bias.contiguous() : at::zeros({logits.size(1)}, logits.options());
}

template <typename T>
void softmax_rows(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                  const at::Tensor& scale, const RowResults& results) {
  const int64_t vocabulary = logits.size(1);
  const at::Tensor added = bias_or_zeros(bias, logits);
  const T* bias_data = added.const_data_ptr<T>();
  const auto* target = targets.const_data_ptr<int64_t>();
  const T* scales = scale.defined() ? scale.const_data_ptr<T>() : nullptr;
  T* first = logits.mutable_data_ptr<T>();
  T* loss = results.loss.mutable_data_ptr<T>();
  T* probability = data_or_null<T>(results.probability);
  T* squares = data_or_null<T>(results.squares);
  at::parallel_for(0, logits.size(0), 1, [&](int64_t from, int64_t to) {
    for (int64_t r = from; r < to; ++r) {
      T* x = first + r * vocabulary;
      const T best = add_and_max(x, bias_data, vocabulary), of_target = x[target[r]];
      const double total = exp_row(x, vocabulary, best);
      loss[r] = static_cast<T>(std::log(total) + (static_cast<double>(best) - of_target));
      if (probability != nullptr) probability[r] = static_cast<T>(x[target[r]] / total);
      if (squares != nullptr) {
        squares[r] = static_cast<T>(square_sum(x, vocabulary) / (total * total));
      }
      if (scales != nullptr) {
        scale_row(x, vocabulary, static_cast<T>(scales[r] / total));
        x[target[r]] -= scales[r];
      }
    }
  });
}

template <typename T>
void mixture_rows(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                  const at::Tensor& log_prior, const at::Tensor& scale, const at::Tensor& loss,
                  const at::Tensor& of_prior) {
  const int64_t vocabulary = logits.size(1), experts = log_prior.size(1);
  const at::Tensor added = bias_or_zeros(bias, logits), given = log_prior.contiguous();
  const T* bias_data = added.const_data_ptr<T>();
  const T* prior = given.const_data_ptr<T>();
  const auto* target = targets.const_data_ptr<int64_t>();
  const T* scales = scale.defined() ? scale.const_data_ptr<T>() : nullptr;
  T* first = logits.mutable_data_ptr<T>();
  T* losses = loss.mutable_data_ptr<T>();
  T* prior_gradient = data_or_null<T>(of_prior);
  at::parallel_for(0, log_prior.size(0), 1, [&](int64_t from, int64_t to) {
    std::vector<double> totals(static_cast<size_t>(experts)), joint(totals);
    for (int64_t n = from; n < to; ++n) {
      T* x = first + n * experts * vocabulary;
      for (int64_t k = 0; k < experts; ++k) {
        T* row = x + k * vocabulary;
        const T best = add_and_max(row, bias_data, vocabulary), of_target = row[target[n]];
        totals[k] = exp_row(row, vocabulary, best);
        joint[k] = prior[n * experts + k] -
                   (std::log(totals[k]) + (static_cast<double>(best) - of_target));
      }
      const double largest = *std::max_element(joint.begin(), joint.end());
      double sum = 0;
      for (const double each : joint) sum += std::exp(each - largest);
      const double log_likelihood = largest + std::log(sum);
      losses[n] = static_cast<T>(-log_likelihood);
      for (int64_t k = 0; scales != nullptr && k < experts; ++k) {
        // The scaled posterior probability of the expert.
        const double share = scales[n] * std::exp(joint[k] - log_likelihood);
        T* row = x + k * vocabulary;
        scale_row(row, vocabulary, static_cast<T>(share / totals[k]));
        row[target[n]] -= static_cast<T>(share);
        prior_gradient[n * experts + k] = static_cast<T>(-share);
      }
    }
  });
}

template <typename T>
void entmax_rows(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                 double alpha, const at::Tensor& scale, const RowResults& results) {
  const int64_t rows = logits.size(0), vocabulary = logits.size(1);
  const at::Tensor added = bias_or_zeros(bias, logits);
  const auto* target = targets.const_data_ptr<int64_t>();
  const T* scales = scale.defined() ? scale.const_data_ptr<T>() : nullptr;
  T* first = logits.mutable_data_ptr<T>();
  T* loss = results.loss.mutable_data_ptr<T>();
  T* probability = data_or_null<T>(results.probability);
  T* squares = data_or_null<T>(results.squares);
  auto* support = data_or_null<int64_t>(results.support);
  at::parallel_for(0, rows, 1, [&](int64_t from, int64_t to) {
    EntmaxRow<T> solver(alpha, vocabulary);
    for (int64_t r = from; r < to; ++r) {
      T* x = first + r * vocabulary;
      if (bias.defined()) add_and_max(x, added.const_data_ptr<T>(), vocabulary);
      const EntmaxSolution solution = solver.solve(x, vocabulary);
      const int32_t* ids = solver.positions();
      const int32_t* end = ids + solution.support;
      const auto target_id = static_cast<int32_t>(target[r]);
      const int32_t* found = std::lower_bound(ids, end, target_id);
      const bool inside = found != end && *found == target_id;
      loss[r] = static_cast<T>(solver.loss(solution, x[target_id]));
      if (probability != nullptr) {
        probability[r] = inside ? solver.probabilities()[found - ids] : T{0};
      }
      if (squares != nullptr) squares[r] = static_cast<T>(solution.squares);
      if (support != nullptr) support[r] = solution.support;
      if (scales == nullptr) continue;
      std::fill(x, x + vocabulary, T{0});
      for (const int32_t* id = ids; id != end; ++id) {
        x[*id] = scales[r] * solver.probabilities()[id - ids];
      }
      x[target_id] = scales[r] * (inside ? solver.probabilities()[found - ids] - 1 : T{-1});
    }
  });
}

/// softmax_chunk() for target distributions.
void distribution_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                        const at::Tensor& scale, const at::Tensor& loss) {
  const at::Tensor& gradient = logits;  // overwritten in place
  if (bias.defined()) gradient.add_(bias);
  const at::Tensor total = logits.logsumexp(1, true);
  const at::Tensor expected = at::bmm(targets.unsqueeze(1), logits.unsqueeze(2)).view({-1});
  loss.copy_(total.squeeze(1) - expected);
  if (scale.defined()) gradient.sub_(total).exp_().sub_(targets).mul_(scale.unsqueeze(1));
}

}  // namespace

RowResults RowResults::narrow(int64_t from, int64_t count) const {
  const auto rows = [&](const at::Tensor& of_all) {
    return of_all.defined() ? of_all.narrow(0, from, count) : of_all;
  };
  return {rows(loss), rows(probability), rows(squares), rows(support)};
}

void softmax_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                   const at::Tensor& scale, const RowResults& results) {
  if (results.support.defined()) results.support.fill_(logits.size(1));
  if (targets.dim() == 2) {
    distribution_chunk(logits, bias, targets, scale, results.loss);
  } else if (logits.is_cpu() && logits.scalar_type() == at::kFloat) {
    softmax_rows<float>(logits, bias, targets, scale, results);
  } else if (logits.is_cpu()) {
    softmax_rows<double>(logits, bias, targets, scale, results);
  } else {
    const at::Tensor& gradient = logits;  // overwritten in place
    if (bias.defined()) gradient.add_(bias);
    const at::Tensor index = targets.unsqueeze(1), total = logits.logsumexp(1, true);
    results.loss.copy_((total - logits.gather(1, index)).squeeze(1));
    if (results.probability.defined()) results.probability.copy_(results.loss.neg().exp());
    if (results.squares.defined()) {
      results.squares.copy_(((logits - total) * 2).exp().sum(1));
    }
    if (scale.defined()) {
      gradient.sub_(total).exp_().mul_(scale.unsqueeze(1));
      gradient.scatter_add_(1, index, scale.neg().unsqueeze(1));
    }
  }
}

void mixture_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                   const at::Tensor& log_prior, const at::Tensor& scale, const at::Tensor& loss,
                   const at::Tensor& of_prior) {
  if (logits.is_cpu() && logits.scalar_type() == at::kFloat) {
    mixture_rows<float>(logits, bias, targets, log_prior, scale, loss, of_prior);
    return;
  }
  if (logits.is_cpu()) {
    mixture_rows<double>(logits, bias, targets, log_prior, scale, loss, of_prior);
    return;
  }
  const int64_t experts = log_prior.size(1);
  if (bias.defined()) logits.add_(bias);
  const at::Tensor index = targets.repeat_interleave(experts).unsqueeze(1);
  const at::Tensor total = logits.logsumexp(1, true);
  const at::Tensor joint =
      log_prior + (logits.gather(1, index) - total).view({-1, experts});  // [C, K]
  loss.copy_(joint.logsumexp(1).neg_());
  if (!scale.defined()) return;
  const at::Tensor share = (joint + loss.unsqueeze(1)).exp_().mul_(scale.unsqueeze(1));
  const at::Tensor of_rows = share.reshape({-1, 1});
  logits.sub_(total).exp_().mul_(of_rows);
  logits.scatter_add_(1, index, of_rows.neg());
  of_prior.copy_(share.neg());
}

void entmax_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                  double alpha, const at::Tensor& scale, const RowResults& results) {
  if (logits.is_cpu() && logits.scalar_type() == at::kFloat) {
    entmax_rows<float>(logits, bias, targets, alpha, scale, results);
    return;
  }
  if (logits.is_cpu()) {
    entmax_rows<double>(logits, bias, targets, alpha, scale, results);
    return;
  }
  if (bias.defined()) logits.add_(bias);
  const at::Tensor index = targets.unsqueeze(1);
  const EntmaxRows solved = solve_entmax(logits, alpha);
  const at::Tensor& p = solved.probabilities;
  results.loss.copy_(solved.loss(logits, targets, alpha));
  if (results.probability.defined()) results.probability.copy_(p.gather(1, index).squeeze(1));
  if (results.squares.defined()) results.squares.copy_(p.square().sum(1));
  if (results.support.defined()) results.support.copy_(solved.support);
  if (scale.defined()) {
    logits.copy_(p * scale.unsqueeze(1));
    logits.scatter_add_(1, index, scale.neg().unsqueeze(1));
  }
}

}  // namespace lvtext
