// Helpers for models that consist of several modules.
#pragma once

#include <utility>

#include "framework/model/trainable.h"

namespace lvtext {

/// One group of all parameters of two groups, named as the first.
inline ParamGroup joined(ParamGroup first, ParamGroup second) {
  for (auto& param : second.params) first.params.push_back(std::move(param));
  return first;
}

}  // namespace lvtext
