// LibTorch headers, precompiled for all libraries that use LibTorch. Include this header instead of
// LibTorch's own.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/module.h>

namespace lvtext {

/// Sets what floating-point arithmetic of the whole process means, while only one thread runs;
/// other threads inherit it. Returns true.
/// - Subnormal numbers are zero, as operands and results: arithmetic on them takes up to a hundred
///   times as long, and moments of Adam decay to them where gradients vanish.
/// - Convolutions and cuDNN's recurrent layers on CUDA compute in float32 unless a ComputeMode
///   allows TensorFloat-32, LibTorch's default.
/// - One of MKL's vector functions (sqrt, tanh, log, ... of CPU tensors) is called so that they
///   select their kernels. Their first call writes the processor type twice without a lock. A
///   thread that reads it in between uses a kernel with 11 bits of precision for its part of that
///   call, and the result differs (MKL 2024.2, part of LibTorch 2.11;
///   github.com/pytorch/pytorch/issues/188792).
bool set_up_arithmetic() noexcept;

/// Initialized before main(), and thus before a program starts threads that compute.
inline const bool kArithmeticSetUp = set_up_arithmetic();

}  // namespace lvtext
