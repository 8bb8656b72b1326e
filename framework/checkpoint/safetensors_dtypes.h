// The kinds of number that safetensors files hold, for the reader and the writer.
#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <string>
#include <string_view>

namespace lvtext {

/// The dtype of a name such as "F32"; none if it is unknown.
std::optional<at::ScalarType> dtype_from_name(std::string_view name);
/// Bytes per element.
uint64_t dtype_bytes(at::ScalarType dtype);
/// True if tensors of this kind can be stored.
bool dtype_is_stored(at::ScalarType dtype);
/// "F64, F32 ...", for messages.
std::string known_dtypes();

}  // namespace lvtext
