#include "framework/checkpoint/safetensors_dtypes.h"

#include <array>

#include "framework/base/error.h"
#include "framework/checkpoint/safetensors.h"

namespace lvtext {
namespace {

struct Stored {
  at::ScalarType dtype;
  std::string_view name;
};

constexpr std::array<Stored, 10> kStored = {{{at::kDouble, "F64"},
                                             {at::kLong, "I64"},
                                             {at::kFloat, "F32"},
                                             {at::kInt, "I32"},
                                             {at::kBFloat16, "BF16"},
                                             {at::kHalf, "F16"},
                                             {at::kShort, "I16"},
                                             {at::kChar, "I8"},
                                             {at::kByte, "U8"},
                                             {at::kBool, "BOOL"}}};

}  // namespace

std::optional<at::ScalarType> dtype_from_name(std::string_view name) {
  for (const auto& stored : kStored) {
    if (stored.name == name) return stored.dtype;
  }
  return std::nullopt;
}

uint64_t dtype_bytes(at::ScalarType dtype) {
  return c10::elementSize(dtype);
}

bool dtype_is_stored(at::ScalarType dtype) {
  for (const auto& stored : kStored) {
    if (stored.dtype == dtype) return true;
  }
  return false;
}

std::string known_dtypes() {
  std::string text;
  for (const auto& stored : kStored) text += (text.empty() ? "" : ", ") + std::string(stored.name);
  return text;
}

std::string dtype_name(at::ScalarType dtype) {
  for (const auto& stored : kStored) {
    if (stored.dtype == dtype) return std::string(stored.name);
  }
  LVT_ASSERT(false, std::string("a tensor of dtype ") + c10::toString(dtype) + " is not stored");
  return "";
}

}  // namespace lvtext
