#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"

namespace lvtext {
namespace {

std::string described(const at::Tensor& tensor) {
  std::vector<std::string> sizes;
  for (const int64_t size : tensor.sizes()) sizes.push_back(std::to_string(size));
  return std::string(c10::toString(tensor.scalar_type())) + " [" + join(sizes) + "]";
}

}  // namespace

void check_finite(const TensorMap& tensors, const std::string& what) {
  std::string problems;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.is_floating_point()) continue;
    const auto bad = tensor.numel() - at::isfinite(tensor).sum().item<int64_t>();
    if (bad == 0) continue;
    problems += "\n  " + name + " " + described(tensor) + ": " + format_count(bad, "value");
  }
  if (problems.empty()) return;
  throw DataError("'" + what + "' has weights that are not finite (NaN or infinite):" + problems);
}

void load_into(const TensorMap& destination, const TensorMap& source, const std::string& what) {
  std::string problems;
  for (const auto& [name, tensor] : destination) {
    const auto found = source.find(name);
    if (found == source.end()) {
      problems += "\n  missing: " + name + " " + described(tensor);
    } else if (found->second.sizes() != tensor.sizes() ||
               found->second.scalar_type() != tensor.scalar_type()) {
      problems += "\n  does not fit: " + name + " is " + described(found->second) +
                  " in the file and " + described(tensor) + " in the model";
    }
  }
  for (const auto& [name, tensor] : source) {
    if (!destination.contains(name)) problems += "\n  extra: " + name + " " + described(tensor);
  }
  if (!problems.empty()) {
    throw DataError("'" + what + "' does not fit the model:" + problems +
                    "\nuse the options that it was saved with (config.resolved.yaml or " +
                    "config.json in the same folder)");
  }
  at::NoGradGuard no_grad;
  check_finite(source, what);
  for (const auto& [name, tensor] : destination) at::Tensor(tensor).copy_(source.at(name));
}

}  // namespace lvtext
