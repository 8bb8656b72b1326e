// The elementwise part of one LSTM step for a block of sentences, on the CPU.
#pragma once

#include <cstdint>

namespace lvtext {

/// One step of `rows` sentences, H values each. Pointers are to row 0; rows follow each other. What
/// may be null is null where there is nothing to add or to multiply.
template <typename T>
struct LstmForwardStep {
  int64_t rows = 0, hidden = 0;
  T* gates = nullptr;                  ///< [rows, 4H]: in recurrent sums, out activated i, f, g, o
  bool recurrent = true;               ///< false: the sums are 0 and not read
  const T* input = nullptr;            ///< [*, 4H]: the input's part of the sums
  const int64_t* input_row = nullptr;  ///< [rows]: row of `input`; may be null: the sentence's own
  const T* sentence_bias = nullptr;    ///< [rows, 4H]; may be null
  const T* c_prev = nullptr;           ///< [rows, H]; may be `c`
  const T* mask_c = nullptr;           ///< [rows, H], multiplies c_prev; may be null
  T* c = nullptr;                      ///< [rows, H]
  T* h = nullptr;                      ///< [rows, H]
};

/// The reverse of a step.
template <typename T>
struct LstmBackwardStep {
  int64_t rows = 0, hidden = 0;
  const T* gates = nullptr;     ///< [rows, 4H], activated
  const T* c_prev = nullptr;    ///< [rows, H], before its mask
  const T* mask_c = nullptr;    ///< [rows, H]; may be null
  const T* c = nullptr;         ///< [rows, H]
  const T* grad_out = nullptr;  ///< [rows, H], what reaches h as an output; may be null
  T* grad_h = nullptr;          ///< [rows, H], what reaches h from later; destroyed
  T* grad_c = nullptr;      ///< [rows, H]: in what reaches c from later, out what reaches c_prev
  T* grad_gates = nullptr;  ///< [rows, 4H]: gradient of the sums
};

void lstm_forward_step(const LstmForwardStep<float>& step);
void lstm_forward_step(const LstmForwardStep<double>& step);
void lstm_backward_step(const LstmBackwardStep<float>& step);
void lstm_backward_step(const LstmBackwardStep<double>& step);

}  // namespace lvtext
