// Conversion of dataset columns to tensors and sentences.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "framework/core/datasets/dataset.h"
#include "framework/core/text/token_ids.h"

namespace toys {

/// A column of labels or numbers, [N] float64.
inline at::Tensor numbers_of(const lvtext::Dataset& dataset, const std::string& column) {
  const lvtext::DatasetColumn& from = dataset.column(column);
  at::Tensor numbers = at::zeros({from.size(), from.decl().width()}, at::kDouble);
  for (int64_t row = 0; row < from.size(); ++row) {
    from.copy(row, 0, numbers.mutable_data_ptr<double>() + row * from.decl().width());
  }
  return numbers.squeeze(1);
}

/// A column of images as numbers from 0 to 1, [N, C, H, W].
inline at::Tensor images_of(const lvtext::Dataset& dataset, const std::string& column) {
  const std::vector<int64_t>& shape = dataset.column(column).decl().shape;
  return numbers_of(dataset, column).unflatten(1, shape).to(at::kFloat) / 255;
}

/// Sentences of a column of texts.
inline std::vector<lvtext::TokenIds> sentences_of(const lvtext::Dataset& dataset,
                                                  const std::string& column) {
  const lvtext::DatasetColumn& from = dataset.column(column);
  std::vector<lvtext::TokenIds> sentences;
  for (int64_t row = 0; row < from.size(); ++row) sentences.push_back(from.tokens(row));
  return sentences;
}

/// The values of a tensor [N] of any type.
inline std::vector<double> values_of(const at::Tensor& tensor) {
  const at::Tensor numbers = tensor.to(at::kCPU, at::kDouble).contiguous();
  return {numbers.const_data_ptr<double>(), numbers.const_data_ptr<double>() + numbers.numel()};
}

}  // namespace toys
