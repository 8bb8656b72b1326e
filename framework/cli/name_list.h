// Lists of names as flags take them.
#pragma once

#include <string>
#include <vector>

#include "framework/base/strings.h"

namespace lvtext {

/// "A, B" as its names; empty ones are left out.
inline std::vector<std::string> name_list(const std::string& text) {
  std::vector<std::string> names;
  for (const auto& part : split(text, ',')) {
    if (const auto name = trim(part); !name.empty()) names.emplace_back(name);
  }
  return names;
}

}  // namespace lvtext
