#include "framework/core/tensor/compute_mode.h"

#include <ATen/Context.h>

namespace lvtext {
namespace {

std::string present_precision() {
  switch (at::globalContext().float32MatmulPrecision()) {
    case at::Float32MatmulPrecision::HIGHEST: return "highest";
    case at::Float32MatmulPrecision::HIGH: return "high";
    case at::Float32MatmulPrecision::MEDIUM: break;
  }
  return "medium";
}

}  // namespace

ComputeMode::ComputeMode(bool tf32, bool deterministic)
    : was_precision_(present_precision()),
      was_deterministic_(at::globalContext().deterministicAlgorithms()) {
  at::globalContext().setFloat32MatmulPrecision(tf32 ? "high" : "highest");
  at::globalContext().setDeterministicAlgorithms(deterministic, false);
}

ComputeMode::ComputeMode(bool tf32)
    : ComputeMode(tf32, at::globalContext().deterministicAlgorithms()) {}

ComputeMode::~ComputeMode() {
  at::globalContext().setFloat32MatmulPrecision(was_precision_);
  at::globalContext().setDeterministicAlgorithms(was_deterministic_, false);
}

}  // namespace lvtext
