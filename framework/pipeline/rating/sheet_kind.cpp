#include "framework/pipeline/rating/sheet_kind.h"

#include <stdexcept>

#include "framework/core/base/strings.h"

namespace lvtext {

std::string Aspect::scale() const {
  std::vector<std::string> parts;
  for (const auto& [value, meaning] : anchors) {
    parts.push_back(std::to_string(value) + " " + meaning);
  }
  return join(parts);
}

const Aspect& SheetKind::aspect(const std::string& id) const {
  for (const Aspect& each : aspects) {
    if (each.id == id) return each;
  }
  throw std::out_of_range("the rating sheet " + name + " has no aspect " + id);
}

}  // namespace lvtext
