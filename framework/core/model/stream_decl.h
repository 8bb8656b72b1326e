// The streams of batches that a model declares.
#pragma once

#include <string>
#include <vector>

#include "framework/core/datasets/batches.h"
#include "framework/core/datasets/column.h"

namespace lvtext {

/// A field that a model requires in a batch.
struct FieldDecl {
  std::string name = "text";
  ColumnKind kind = ColumnKind::kText;
};

/// A stream of batches that a model's phases draw from.
struct StreamDecl {
  std::string name = "train";
  std::vector<FieldDecl> fields = {{}};  ///< required fields of its batches
  Order order = Order::kBucketed;        ///< in training; validation is in document order
  /// The stream whose examples this stream returns in a different order; empty: it has its own
  /// data.
  std::string rows_of = {};
};

}  // namespace lvtext
