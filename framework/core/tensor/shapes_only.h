// Models without storage, for shape checks.
#pragma once

namespace lvtext {

/// For its lifetime, parameters initialized by this thread have shapes but no storage (device
/// meta), so that models of any size can be built to check the shapes of their layers and their
/// size.
class ShapesOnly {
 public:
  ShapesOnly();
  ~ShapesOnly();
  ShapesOnly(const ShapesOnly&) = delete;
  ShapesOnly& operator=(const ShapesOnly&) = delete;

 private:
  bool before_;
};

/// True if this thread has a ShapesOnly scope.
bool shapes_only();

}  // namespace lvtext
