// The headers of LibTorch, precompiled for all parts that use it. Do not include others.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/module.h>

namespace lvtext {

/// Initializes MKL's vector functions (sqrt, tanh, log, ... of CPU tensors) in a single thread;
/// returns true. Their first call writes the processor's type twice without a lock; a thread that
/// reads it in between uses a kernel with 11 bits of precision for that call, and the result
/// differs (MKL 2024.2, part of LibTorch 2.11; github.com/pytorch/pytorch/issues/188792).
bool settle_vector_math() noexcept;

/// Initialized before main(), and therefore before any thread is started.
inline const bool kVectorMathSettled = settle_vector_math();

}  // namespace lvtext
