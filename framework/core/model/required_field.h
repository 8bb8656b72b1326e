// Fields that a model needs.
#pragma once

#include <string>

#include "framework/core/model/model_inputs.h"

namespace lvtext {

/// Returns a field of a stream. Throws MissingField, with the nearest name, if the stream has no
/// such field of this kind.
const ColumnDecl& required_field(const ModelInputs& inputs, const std::string& stream,
                                 const std::string& name, ColumnKind kind);

}  // namespace lvtext
