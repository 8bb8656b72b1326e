#include "framework/core/nn/lstm_kernels.h"

#include "framework/core/nn/vector_math.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

template <typename T>
LVT_INLINE void forward_value(int64_t k, int64_t hidden, T* gates, const T* c_prev, T* c, T* h) {
  const T i = vector_math::sigmoid(gates[k]);
  const T f = vector_math::sigmoid(gates[hidden + k]);
  const T g = vector_math::tanh(gates[2 * hidden + k]);
  const T o = vector_math::sigmoid(gates[3 * hidden + k]);
  const T next = f * c_prev[k] + i * g;
  gates[k] = i;
  gates[hidden + k] = f;
  gates[2 * hidden + k] = g;
  gates[3 * hidden + k] = o;
  c[k] = next;
  h[k] = o * vector_math::tanh(next);
}

template <typename T>
LVT_INLINE void backward_value(int64_t k, int64_t hidden, const T* gates, const T* c_prev,
                               const T* c, const T* grad_h, T* grad_c, T* grad_gates) {
  const T i = gates[k], f = gates[hidden + k], g = gates[2 * hidden + k], o = gates[3 * hidden + k];
  const T tanh_c = vector_math::tanh(c[k]);
  const T dh = grad_h[k];
  const T dc = grad_c[k] + dh * o * (1 - tanh_c * tanh_c);
  grad_gates[k] = dc * g * i * (1 - i);
  grad_gates[hidden + k] = dc * c_prev[k] * f * (1 - f);
  grad_gates[2 * hidden + k] = dc * i * (1 - g * g);
  grad_gates[3 * hidden + k] = dh * tanh_c * o * (1 - o);
  grad_c[k] = dc * f;
}

// Only float has variants: float64 calls library functions, which prevents vectorization.
LVT_WIDEST void add(const float* x, int64_t count, float* sum) {
#pragma omp simd
  for (int64_t k = 0; k < count; ++k) {
    sum[k] += x[k];
  }
}

LVT_WIDEST void multiply(const float* x, const float* y, int64_t count, float* product) {
#pragma omp simd
  for (int64_t k = 0; k < count; ++k) {
    product[k] = x[k] * y[k];
  }
}

LVT_WIDEST void forward_row(int64_t hidden, float* gates, const float* c_prev, float* c, float* h) {
#pragma omp simd
  for (int64_t k = 0; k < hidden; ++k) {
    forward_value(k, hidden, gates, c_prev, c, h);
  }
}

LVT_WIDEST void backward_row(int64_t hidden, const float* gates, const float* c_prev,
                             const float* c, const float* grad_h, float* grad_c,
                             float* grad_gates) {
#pragma omp simd
  for (int64_t k = 0; k < hidden; ++k) {
    backward_value(k, hidden, gates, c_prev, c, grad_h, grad_c, grad_gates);
  }
}

void add(const double* x, int64_t count, double* sum) {
  for (int64_t k = 0; k < count; ++k) {
    sum[k] += x[k];
  }
}

void multiply(const double* x, const double* y, int64_t count, double* product) {
  for (int64_t k = 0; k < count; ++k) {
    product[k] = x[k] * y[k];
  }
}

void forward_row(int64_t hidden, double* gates, const double* c_prev, double* c, double* h) {
  for (int64_t k = 0; k < hidden; ++k) {
    forward_value(k, hidden, gates, c_prev, c, h);
  }
}

void backward_row(int64_t hidden, const double* gates, const double* c_prev, const double* c,
                  const double* grad_h, double* grad_c, double* grad_gates) {
  for (int64_t k = 0; k < hidden; ++k) {
    backward_value(k, hidden, gates, c_prev, c, grad_h, grad_c, grad_gates);
  }
}

/// Minimum number of rows per thread: about 10 microseconds of work.
int64_t grain(int64_t hidden) {
  return std::max<int64_t>(1, 8192 / hidden);
}

template <typename T>
void run_forward(const LstmForwardStep<T>& s) {
  const int64_t hidden = s.hidden, width = 4 * hidden;
  at::parallel_for(0, s.rows, grain(hidden), [&](int64_t from, int64_t to) {
    for (int64_t r = from; r < to; ++r) {
      T *gates = s.gates + r * width, *c = s.c + r * hidden, *h = s.h + r * hidden;
      const T* c_prev = s.c_prev + r * hidden;
      const T* input = s.input + (s.input_row != nullptr ? s.input_row[r] : r) * width;
      if (s.recurrent) {
        add(input, width, gates);
      } else {
        std::copy(input, input + width, gates);
      }
      if (s.sentence_bias != nullptr) {
        add(s.sentence_bias + r * width, width, gates);
      }
      if (s.mask_c != nullptr) {
        multiply(c_prev, s.mask_c + r * hidden, hidden, c);
        c_prev = c;
      }
      forward_row(hidden, gates, c_prev, c, h);
    }
  });
}

template <typename T>
void run_backward(const LstmBackwardStep<T>& s) {
  const int64_t hidden = s.hidden, width = 4 * hidden;
  at::parallel_for(0, s.rows, grain(hidden), [&](int64_t from, int64_t to) {
    for (int64_t r = from; r < to; ++r) {
      T *grad_h = s.grad_h + r * hidden, *grad_c = s.grad_c + r * hidden;
      T* grad_gates = s.grad_gates + r * width;
      if (s.grad_out != nullptr) {
        add(s.grad_out + r * hidden, hidden, grad_h);
      }
      backward_row(hidden, s.gates + r * width, s.c_prev + r * hidden, s.c + r * hidden, grad_h,
                   grad_c, grad_gates);
      if (s.mask_c != nullptr) {
        // Both are linear in the masked c_prev, which was not saved.
        const T* mask = s.mask_c + r * hidden;
        multiply(grad_gates + hidden, mask, hidden, grad_gates + hidden);
        multiply(grad_c, mask, hidden, grad_c);
      }
    }
  });
}

}  // namespace

void lstm_forward_step(const LstmForwardStep<float>& step) {
  run_forward(step);
}
void lstm_forward_step(const LstmForwardStep<double>& step) {
  run_forward(step);
}
void lstm_backward_step(const LstmBackwardStep<float>& step) {
  run_backward(step);
}
void lstm_backward_step(const LstmBackwardStep<double>& step) {
  run_backward(step);
}

}  // namespace lvtext
