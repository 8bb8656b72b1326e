#include "framework/core/tensor/shapes_only.h"

#include <utility>

namespace lvtext {
namespace {

thread_local bool wanted = false;

}  // namespace

ShapesOnly::ShapesOnly() : before_(std::exchange(wanted, true)) {}

ShapesOnly::~ShapesOnly() {
  wanted = before_;
}

bool shapes_only() {
  return wanted;
}

}  // namespace lvtext
