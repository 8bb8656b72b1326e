// CPU kernels for the elementwise part of one LSTM step of a block of sentences.
#pragma once

#include <cstdint>

namespace lvtext {

/// One step of `rows` sentences, H values each. Pointers are to row 0 of contiguous rows. Optional
/// pointers are null if there is nothing to add or multiply.
template <typename T>
struct LstmForwardStep {
  int64_t rows = 0, hidden = 0;
  T* gates = nullptr;        ///< [rows, 4H]; in: recurrent sums, out: activated i, f, g, o
  bool recurrent = true;     ///< false: `gates` is uninitialized, the sums are 0
  const T* input = nullptr;  ///< [*, 4H]: input projection
  const int64_t* input_row = nullptr;  ///< [rows]: row of `input`; null: row r for sentence r
  const T* sentence_bias = nullptr;    ///< [rows, 4H]; may be null
  const T* c_prev = nullptr;           ///< [rows, H]; may be `c`
  const T* mask_c = nullptr;           ///< [rows, H], multiplies c_prev; may be null
  T* c = nullptr;                      ///< [rows, H]
  T* h = nullptr;                      ///< [rows, H]
};

/// Backward pass of a step.
template <typename T>
struct LstmBackwardStep {
  int64_t rows = 0, hidden = 0;
  const T* gates = nullptr;     ///< [rows, 4H], activated
  const T* c_prev = nullptr;    ///< [rows, H], before masking
  const T* mask_c = nullptr;    ///< [rows, H]; may be null
  const T* c = nullptr;         ///< [rows, H]
  const T* grad_out = nullptr;  ///< [rows, H]: gradient of the output h; may be null
  T* grad_h = nullptr;          ///< [rows, H]: gradient of h from the next step; overwritten
  T* grad_c = nullptr;          ///< [rows, H]; in: gradient of c from the next step, out: of c_prev
  T* grad_gates = nullptr;      ///< [rows, 4H]: gradient of the preactivations
};

void lstm_forward_step(const LstmForwardStep<float>& step);
void lstm_forward_step(const LstmForwardStep<double>& step);
void lstm_backward_step(const LstmBackwardStep<float>& step);
void lstm_backward_step(const LstmBackwardStep<double>& step);

}  // namespace lvtext
