#include "framework/nn/lstm_kernels.h"

#include "framework/nn/vector_math.h"
#include "framework/tensor/torch.h"

// One build runs on every x86-64 machine: the loader picks the widest variant the processor has.
#if defined(__x86_64__)
#define LVT_WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LVT_WIDEST
#endif

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

// Only functions that are not templates can have variants; float64 calls the library and would not
// turn into vector code.
LVT_WIDEST void forward_rows(int64_t from, int64_t to, const LstmForwardStep<float>& s) {
  const int64_t hidden = s.hidden;
  for (int64_t r = from; r < to; ++r) {
    float* gates = s.gates + 4 * r * hidden;
    const float* c_prev = s.c_prev + r * hidden;
    float *c = s.c + r * hidden, *h = s.h + r * hidden;
#pragma omp simd
    for (int64_t k = 0; k < hidden; ++k) {
      forward_value(k, hidden, gates, c_prev, c, h);
    }
  }
}

LVT_WIDEST void backward_rows(int64_t from, int64_t to, const LstmBackwardStep<float>& s) {
  const int64_t hidden = s.hidden;
  for (int64_t r = from; r < to; ++r) {
    const float* gates = s.gates + 4 * r * hidden;
    const float *c_prev = s.c_prev + r * hidden, *c = s.c + r * hidden;
    const float* grad_h = s.grad_h + r * hidden;
    float *grad_c = s.grad_c + r * hidden, *grad_gates = s.grad_gates + 4 * r * hidden;
#pragma omp simd
    for (int64_t k = 0; k < hidden; ++k) {
      backward_value(k, hidden, gates, c_prev, c, grad_h, grad_c, grad_gates);
    }
  }
}

void forward_rows(int64_t from, int64_t to, const LstmForwardStep<double>& s) {
  for (int64_t r = from; r < to; ++r) {
    const int64_t at = r * s.hidden;
    for (int64_t k = 0; k < s.hidden; ++k) {
      forward_value(k, s.hidden, s.gates + 4 * at, s.c_prev + at, s.c + at, s.h + at);
    }
  }
}

void backward_rows(int64_t from, int64_t to, const LstmBackwardStep<double>& s) {
  for (int64_t r = from; r < to; ++r) {
    const int64_t at = r * s.hidden;
    for (int64_t k = 0; k < s.hidden; ++k) {
      backward_value(k, s.hidden, s.gates + 4 * at, s.c_prev + at, s.c + at, s.grad_h + at,
                     s.grad_c + at, s.grad_gates + 4 * at);
    }
  }
}

/// Rows per thread that are worth waking one: about 10 microseconds of work.
int64_t grain(int64_t hidden) { return std::max<int64_t>(1, 8192 / hidden); }

template <typename Step>
void run_forward(const Step& step) {
  at::parallel_for(0, step.rows, grain(step.hidden),
                   [&](int64_t from, int64_t to) { forward_rows(from, to, step); });
}

template <typename Step>
void run_backward(const Step& step) {
  at::parallel_for(0, step.rows, grain(step.hidden),
                   [&](int64_t from, int64_t to) { backward_rows(from, to, step); });
}

}  // namespace

void lstm_forward_step(const LstmForwardStep<float>& step) { run_forward(step); }
void lstm_forward_step(const LstmForwardStep<double>& step) { run_forward(step); }
void lstm_backward_step(const LstmBackwardStep<float>& step) { run_backward(step); }
void lstm_backward_step(const LstmBackwardStep<double>& step) { run_backward(step); }

}  // namespace lvtext
