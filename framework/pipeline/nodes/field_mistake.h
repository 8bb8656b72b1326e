// Do the fields of its data fit a model?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/core/model/stream_decl.h"
#include "framework/pipeline/nodes/training_data.h"

namespace lvtext {

/// A field that a model reads and its data lack, or an option that does not match them.
struct FieldMistake {
  std::string message, hint;
};

/// The problem of the fields of a stream from `source` for the model that reads it; without a
/// message if there is none.
FieldMistake field_mistake(const std::string& model, const StreamDecl& stream,
                           const std::vector<ColumnDecl>& fields, const std::string& source);

/// Throws ConfigError unless the data of every stream have the fields that the model reads, with
/// the same kinds.
void check_fields(const Trainable& model, const std::string& name, const StreamData& data);

}  // namespace lvtext
