#include "framework/pipeline/inference/shared/known_columns.h"

#include "framework/pipeline/inference/inference.h"

namespace lvtext {

FieldTypes known_columns(const Configured& component) {
  const auto* known = dynamic_cast<const KnownColumns*>(component.inference.get());
  return known ? known->columns() : FieldTypes();
}

}  // namespace lvtext
