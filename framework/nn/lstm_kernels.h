// The elementwise part of one LSTM step for a block of sentences, on the CPU.
#pragma once

#include <cstdint>

namespace lvtext {

/// One step of `rows` sentences, H values each. Pointers are to row 0; rows follow each other.
template <typename T>
struct LstmForwardStep {
  int64_t rows, hidden;
  T* gates;         ///< [rows, 4H]: in sums, out activated i, f, g, o
  const T* c_prev;  ///< [rows, H], masked already
  T* c;             ///< [rows, H]
  T* h;             ///< [rows, H]
};

/// The reverse of a step.
template <typename T>
struct LstmBackwardStep {
  int64_t rows, hidden;
  const T* gates;      ///< [rows, 4H], activated
  const T* c_prev;     ///< [rows, H], masked
  const T* c;          ///< [rows, H]
  const T* grad_h;     ///< [rows, H], all that reaches h
  T* grad_c;           ///< [rows, H]: in what reaches c from later, out what reaches c_prev
  T* grad_gates;       ///< [rows, 4H]: gradient of the sums
};

void lstm_forward_step(const LstmForwardStep<float>& step);
void lstm_forward_step(const LstmForwardStep<double>& step);
void lstm_backward_step(const LstmBackwardStep<float>& step);
void lstm_backward_step(const LstmBackwardStep<double>& step);

}  // namespace lvtext
