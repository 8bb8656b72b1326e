// LibTorch headers, precompiled for all libraries that use LibTorch. Include this header instead of
// LibTorch's own.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/module.h>

namespace lvtext {

/// Calls one of MKL's vector functions (sqrt, tanh, log, ... of CPU tensors) so that they select
/// their kernels while only one thread runs; returns true. Their first call writes the processor
/// type twice without a lock. A thread that reads it in between uses a kernel with 11 bits of
/// precision for its part of that call, and the result differs (MKL 2024.2, part of LibTorch 2.11;
/// github.com/pytorch/pytorch/issues/188792).
bool settle_vector_math() noexcept;

/// Initialized before main(), and thus before a program starts threads that compute.
inline const bool kVectorMathSettled = settle_vector_math();

}  // namespace lvtext
