// Functions behind `lvtext checkpoint show|diff|average`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/core/checkpoint/safetensors.h"

namespace lvtext {

struct TensorDescription {
  /// "model.safetensors", "optimizer.adam.safetensors" ...
  std::string file;
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t bytes = 0;
  /// Euclidean norm, in float64.
  double norm = 0;
  /// Number of elements that are NaN or infinite.
  int64_t non_finite = 0;
};

/// All tensors of a checkpoint, sorted by file and name. Throws DataError if verification fails.
std::vector<TensorDescription> describe_checkpoint(const std::filesystem::path& folder);

struct TensorDifference {
  std::string file;
  std::string name;
  /// Maximum absolute difference in float64; 0 for equal bits; NaN if an element is NaN in only one
  /// of the tensors.
  double max_abs = 0;
  bool equal_bits = false;
  /// Why the tensors cannot be compared ("only in A", "F32 [2] vs. F32 [3]"); otherwise empty.
  std::string note;
};

/// Compares all tensors of two checkpoints; sorted by file and name.
std::vector<TensorDifference> diff_checkpoints(const std::filesystem::path& a,
                                               const std::filesystem::path& b);

/// The mean of the model tensors of several checkpoints, computed in float64 and returned in their
/// original dtype. Integer and bool tensors must be equal in all checkpoints. Throws DataError that
/// lists all incompatible tensors.
TensorMap average_checkpoints(const std::vector<std::filesystem::path>& folders);

}  // namespace lvtext
