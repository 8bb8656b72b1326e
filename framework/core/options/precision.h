// The values of `precision` in recipes and of --precision.
#pragma once

#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// The precision of the operands of matrix products; see docs/precision.md.
enum class Precision { kFp32, kTf32, kBf16 };
const std::vector<EnumName<Precision>>& enum_names(Precision);

}  // namespace lvtext
