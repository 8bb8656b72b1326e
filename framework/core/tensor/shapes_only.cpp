#include "framework/core/tensor/shapes_only.h"

#include <utility>

namespace lvtext {
namespace {

thread_local bool requested = false;

}  // namespace

ShapesOnly::ShapesOnly() : before_(std::exchange(requested, true)) {}

ShapesOnly::~ShapesOnly() {
  requested = before_;
}

bool shapes_only() {
  return requested;
}

}  // namespace lvtext
