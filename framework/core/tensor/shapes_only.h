// Models without storage: their shapes alone.
#pragma once

namespace lvtext {

/// While it lives, the initial values of parameters that this thread makes have a shape and no
/// storage (device meta): a model of any size can be built to see whether its parts fit together,
/// and how large they are.
class ShapesOnly {
 public:
  ShapesOnly();
  ~ShapesOnly();
  ShapesOnly(const ShapesOnly&) = delete;
  ShapesOnly& operator=(const ShapesOnly&) = delete;

 private:
  bool before_;
};

/// True while this thread has a ShapesOnly.
bool shapes_only();

}  // namespace lvtext
