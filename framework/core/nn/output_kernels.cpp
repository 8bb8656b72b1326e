#include "framework/core/nn/output_kernels.h"

#include <limits>

#include "framework/core/nn/vector_math.h"

namespace lvtext {
namespace {

constexpr int64_t kBlock = 1024;  // floats summed in float32 before they are added to a double

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
  for (int64_t from = 0; from < count; from += kBlock) {
    const int64_t to = std::min(count, from + kBlock);
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

template <typename T>
void cpu_chunk(T* logits, int64_t rows, int64_t vocabulary, const T* bias, const int64_t* targets,
               const T* scale, T* nll) {
  at::parallel_for(0, rows, 1, [&](int64_t from, int64_t to) {
    for (int64_t r = from; r < to; ++r) {
      T* x = logits + r * vocabulary;
      const T best = add_and_max(x, bias, vocabulary), wanted = x[targets[r]];
      const double total = exp_row(x, vocabulary, best);
      nll[r] = static_cast<T>(std::log(total) + (static_cast<double>(best) - wanted));
      if (scale != nullptr) {
        scale_row(x, vocabulary, static_cast<T>(scale[r] / total));
        x[targets[r]] -= scale[r];
      }
    }
  });
}

template <typename T>
void cpu_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
               const at::Tensor& scale, const at::Tensor& nll) {
  const at::Tensor added =
      bias.defined() ? bias.contiguous() : at::zeros({logits.size(1)}, logits.options());
  cpu_chunk<T>(logits.mutable_data_ptr<T>(), logits.size(0), logits.size(1),
               added.const_data_ptr<T>(), targets.const_data_ptr<int64_t>(),
               scale.defined() ? scale.const_data_ptr<T>() : nullptr, nll.mutable_data_ptr<T>());
}

/// softmax_chunk() for target distributions.
void distribution_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                        const at::Tensor& scale, const at::Tensor& nll) {
  const at::Tensor& gradient = logits;  // overwritten in place
  if (bias.defined()) gradient.add_(bias);
  const at::Tensor total = logits.logsumexp(1, true);
  const at::Tensor expected = at::bmm(targets.unsqueeze(1), logits.unsqueeze(2)).view({-1});
  nll.copy_(total.squeeze(1) - expected);
  if (scale.defined()) gradient.sub_(total).exp_().sub_(targets).mul_(scale.unsqueeze(1));
}

}  // namespace

void softmax_chunk(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets,
                   const at::Tensor& scale, const at::Tensor& nll) {
  if (targets.dim() == 2) {
    distribution_chunk(logits, bias, targets, scale, nll);
  } else if (logits.is_cpu() && logits.scalar_type() == at::kFloat) {
    cpu_chunk<float>(logits, bias, targets, scale, nll);
  } else if (logits.is_cpu()) {
    cpu_chunk<double>(logits, bias, targets, scale, nll);
  } else {
    const at::Tensor& gradient = logits;  // overwritten in place
    if (bias.defined()) {
      gradient.add_(bias);
    }
    const at::Tensor index = targets.unsqueeze(1), total = logits.logsumexp(1, true);
    nll.copy_((total - logits.gather(1, index)).squeeze(1));
    if (scale.defined()) {
      gradient.sub_(total).exp_().mul_(scale.unsqueeze(1));
      gradient.scatter_add_(1, index, scale.neg().unsqueeze(1));
    }
  }
}

}  // namespace lvtext
