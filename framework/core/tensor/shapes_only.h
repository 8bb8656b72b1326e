// Scope guard for building models without storage, to inspect their shapes.
#pragma once

namespace lvtext {

/// While alive, parameters created by this thread are initialized on the meta device, with a shape
/// but no storage. A model of any size can be built to check that its parts fit together and to
/// determine their sizes.
class ShapesOnly {
 public:
  ShapesOnly();
  ~ShapesOnly();
  ShapesOnly(const ShapesOnly&) = delete;
  ShapesOnly& operator=(const ShapesOnly&) = delete;

 private:
  bool before_;
};

/// Whether this thread has a live ShapesOnly.
bool shapes_only();

}  // namespace lvtext
