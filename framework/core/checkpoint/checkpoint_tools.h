// Implementation of `lvtext checkpoint show|diff|average`.
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
  /// Entries that are NaN or infinite.
  int64_t non_finite = 0;
};

/// All tensors of a valid checkpoint, by file and name. Throws DataError.
std::vector<TensorDescription> describe_checkpoint(const std::filesystem::path& folder);

struct TensorDifference {
  std::string file;
  std::string name;
  /// Largest absolute difference in float64; 0 for equal bits, NaN if only one side is NaN.
  double max_abs = 0;
  bool equal_bits = false;
  /// Why two tensors cannot be compared ("only in A", "shape [2] against [3]"); otherwise empty.
  std::string note;
};

/// Compares all tensors of two checkpoints, by file and name.
std::vector<TensorDifference> diff_checkpoints(const std::filesystem::path& a,
                                               const std::filesystem::path& b);

/// The mean of the model tensors of several checkpoints, computed in float64 and returned in their
/// dtype; integer and bool tensors must be equal in all. Throws DataError naming all mismatches.
TensorMap average_checkpoints(const std::vector<std::filesystem::path>& folders);

}  // namespace lvtext
