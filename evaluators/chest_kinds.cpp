#include "evaluators/chest_kinds.h"

namespace lvtext {

const std::vector<ChestKind>& chest_kinds() {
  static const std::vector<ChestKind> all = {
      {"", "findings", [](size_t) { return true; }},
      {"_focal", "opacities and nodules", [](size_t i) { return i < kFocals; }},
      {"_opacity", "opacities", [](size_t i) { return i < kFocals && i % 2 == 0; }},
      {"_nodule", "nodules", [](size_t i) { return i < kFocals && i % 2 == 1; }},
      {"_effusion", "effusions", [](size_t i) { return i >= kFocals && i < kSided; }},
      {"_heart", "enlarged hearts", [](size_t i) { return i >= kSided; }}};
  return all;
}

}  // namespace lvtext
