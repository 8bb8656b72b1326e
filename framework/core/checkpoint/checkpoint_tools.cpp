#include "framework/core/checkpoint/checkpoint_tools.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"

namespace lvtext {
namespace {

using FileTensors = std::map<std::pair<std::string, std::string>, at::Tensor>;

/// All tensors of a checkpoint by file and name.
FileTensors all_tensors(const std::filesystem::path& folder) {
  const CheckpointContents contents = load_checkpoint(folder).contents;
  FileTensors all;
  auto add = [&](const std::string& file, const TensorMap& tensors) {
    for (const auto& [name, tensor] : tensors) all[{file, name}] = tensor;
  };
  add("model.safetensors", contents.model);
  if (contents.ema) add("ema.safetensors", *contents.ema);
  for (const auto& [name, moments] : contents.optimizers) {
    add("optimizer." + name + ".safetensors", moments);
  }
  return all;
}

std::string shape_text(const at::Tensor& tensor) {
  std::vector<std::string> sizes;
  for (const int64_t size : tensor.sizes()) sizes.push_back(std::to_string(size));
  return dtype_name(tensor.scalar_type()) + " [" + join(sizes) + "]";
}

bool same_kind(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type();
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.nbytes() == 0 || std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

}  // namespace

std::vector<TensorDescription> describe_checkpoint(const std::filesystem::path& folder) {
  std::vector<TensorDescription> rows;
  for (const auto& [key, tensor] : all_tensors(folder)) {
    const at::Tensor values = tensor.to(at::kDouble);
    TensorDescription row;
    row.file = key.first;
    row.name = key.second;
    row.dtype = dtype_name(tensor.scalar_type());
    row.shape = tensor.sizes().vec();
    row.bytes = static_cast<int64_t>(tensor.nbytes());
    row.norm = values.square().sum().sqrt().item<double>();
    row.non_finite = at::isfinite(values).logical_not().sum().item<int64_t>();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<TensorDifference> diff_checkpoints(const std::filesystem::path& a,
                                               const std::filesystem::path& b) {
  FileTensors left = all_tensors(a), right = all_tensors(b);
  std::vector<TensorDifference> rows;
  auto row_for = [&](const std::pair<std::string, std::string>& key) -> TensorDifference& {
    rows.push_back({key.first, key.second, 0, false, ""});
    return rows.back();
  };
  for (const auto& [key, tensor] : left) {
    TensorDifference& row = row_for(key);
    const auto other = right.find(key);
    if (other == right.end()) {
      row.note = "only in A";
    } else if (!same_kind(tensor, other->second)) {
      row.note = shape_text(tensor) + " vs. " + shape_text(other->second);
    } else {
      row.equal_bits = same_bits(tensor, other->second);
      if (!row.equal_bits && tensor.numel() > 0) {
        const at::Tensor x = tensor.to(at::kDouble), y = other->second.to(at::kDouble);
        // Equal infinities, and NaN on both sides, count as equal.
        const at::Tensor same = x.eq(y).logical_or(x.isnan().logical_and(y.isnan()));
        row.max_abs = (x - y).abs().masked_fill(same, 0).max().item<double>();
      }
    }
  }
  for (const auto& [key, tensor] : right) {
    if (!left.contains(key)) row_for(key).note = "only in B";
  }
  std::sort(rows.begin(), rows.end(), [](const TensorDifference& x, const TensorDifference& y) {
    return std::tie(x.file, x.name) < std::tie(y.file, y.name);
  });
  return rows;
}

TensorMap average_checkpoints(const std::vector<std::filesystem::path>& folders) {
  if (folders.empty()) throw UsageError("averaging requires at least one checkpoint");
  const TensorMap first = load_model_tensors(folders[0]);
  TensorMap sums;
  for (const auto& [name, tensor] : first) {
    sums[name] = tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor;
  }
  std::string problems;
  for (size_t i = 1; i < folders.size(); ++i) {
    const TensorMap next = load_model_tensors(folders[i]);
    const std::string where = " in '" + folders[i].string() + "'";
    for (const auto& [name, tensor] : first) {
      const auto found = next.find(name);
      if (found == next.end()) {
        problems += "\n  missing: " + name + where;
      } else if (!same_kind(found->second, tensor)) {
        problems += "\n  shape or dtype differs: " + name + " is " + shape_text(found->second) +
                    where + " and " + shape_text(tensor) + " in '" + folders[0].string() + "'";
      } else if (tensor.is_floating_point()) {
        sums[name] = sums[name] + found->second.to(at::kDouble);
      } else if (!same_bits(found->second, tensor)) {
        problems += "\n  differs, but integer and bool tensors must be equal: " + name + where;
      }
    }
    for (const auto& [name, tensor] : next) {
      if (!first.contains(name)) problems += "\n  extra: " + name + where;
    }
  }
  if (!problems.empty()) throw DataError("these checkpoints cannot be averaged:" + problems);
  for (auto& [name, sum] : sums) {
    const at::Tensor& original = first.at(name);
    if (original.is_floating_point()) {
      sum = (sum / static_cast<double>(folders.size())).to(original.scalar_type());
    }
  }
  return sums;
}

}  // namespace lvtext
