// The only way to LibTorch: the headers that are precompiled for every part that computes.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/module.h>

namespace lvtext {

/// Lets MKL's vector functions (sqrt, tanh, log, ... of CPU tensors) choose their kernels while one
/// thread runs; true. Their first call writes the processor's type twice, unlocked: a thread that
/// reads in between computes its share of that call with a kernel of 11 bits, and the run is
/// another run (MKL 2024.2, which LibTorch 2.11 contains;
/// github.com/pytorch/pytorch/issues/188792).
bool settle_vector_math() noexcept;

/// Set before main(), hence before any thread of a program that computes.
inline const bool kVectorMathSettled = settle_vector_math();

}  // namespace lvtext
