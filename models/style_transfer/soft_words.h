// Word vectors expected under a softmax with temperature, as the inputs of a decoder.
#pragma once

#include <cstdint>

#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

/// Weights of an output layer and a table of word vectors.
struct WordLayers {
  at::Tensor weight;  ///< [V, H]
  at::Tensor bias;    ///< [V]
  at::Tensor table;   ///< [V, E]
};

struct SoftWords {
  at::Tensor vectors;  ///< [B, E]
  at::Tensor argmax;   ///< [B] int64: the most probable words; without gradient
};

/// Values of all steps of a SoftWordReader, for its backward pass; step t has the rows t B to
/// (t + 1) B - 1.
struct SoftWordSteps : torch::CustomClassHolder {
  at::Tensor p;                          ///< [steps * B, V]
  at::Tensor hidden;                     ///< [steps * B, H]
  at::Tensor grad_logits, grad_vectors;  ///< gradients; defined during a backward pass
  int64_t rows = 0;                      ///< B

  at::Tensor at_step(const at::Tensor& all, int64_t step) const {
    return all.narrow(0, step * rows, rows);
  }
};

/// Computes expected word vectors p table at successive steps of a decoder, where p =
/// softmax((hidden weight^T + bias + noise) / temperature). Always in float32 or float64: near
/// temperature 0, small errors of the logits change p. Stores p of all steps,
/// [steps * B, V]; the gradients of the layers are one product over all steps. Backward does not
/// support create_graph.
class SoftWordReader {
 public:
  /// `rows` is B, `steps` the maximum number of calls of read().
  SoftWordReader(const WordLayers& layers, int64_t rows, int64_t steps);
  /// The words of the next step, for `hidden` [B, H]. `noise` is [B, V] or undefined, `temperature`
  /// a scalar; both are constants.
  SoftWords read(const at::Tensor& hidden, const at::Tensor& noise, const at::Tensor& temperature);

 private:
  WordLayers layers_;  // without gradient
  c10::intrusive_ptr<SoftWordSteps> steps_;
  at::Tensor
      layers_handle_;  // [0], through which the backward passes of all steps precede the layers'
  int64_t next_ = 0;
};

/// Gumbel(0, 1) noise -log(-log U), [B, width]; keyed by example.
at::Tensor gumbel(const NoiseKey& key, const at::Tensor& example_ids, int64_t width,
                  const at::TensorOptions& options);

}  // namespace lvtext
