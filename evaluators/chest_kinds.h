// Kinds of findings of generated chest radiographs, as evaluators count them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lvtext {

/// Attributes (ChestAttributes) before kFocals are opacities and nodules, those before kSided have
/// a side.
inline constexpr size_t kFocals = 12, kSided = 14;

/// Attributes that are counted together.
struct ChestKind {
  std::string suffix;  ///< of the ids of scores
  std::string name;    ///< "opacities"
  bool (*has)(size_t attribute);
};

/// All attributes, then opacities and nodules, opacities, nodules, effusions, enlarged hearts.
const std::vector<ChestKind>& chest_kinds();

}  // namespace lvtext
