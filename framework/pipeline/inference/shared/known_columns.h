// Columns of results of inference that are known before they are computed.
#pragma once

#include "framework/core/datasets/records.h"
#include "framework/core/model/component.h"

namespace lvtext {

/// Inference whose result is a dataset with columns that the options decide. Recipes are checked
/// with them: kinds are right, shapes are not.
class KnownColumns {
 public:
  virtual ~KnownColumns() = default;
  virtual FieldTypes columns() const = 0;
};

/// KnownColumns::columns() of a component of inference; empty for all others.
FieldTypes known_columns(const Configured& component);

}  // namespace lvtext
