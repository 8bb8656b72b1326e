// Models whose tensors are computed at once: counts, averages of vectors.
#pragma once

#include "framework/core/model/inputs.h"
#include "framework/core/model/model.h"

namespace lvtext {

/// A model that is not trained. Its tensors are its registered buffers, whose sizes may depend on
/// what it is fitted to: it is read back by setting them.
class Fitted : public Model {
 public:
  /// Computes them from the inputs that it declares, once, before anything is asked of the model.
  virtual void fit(const Inputs& inputs, const Notify& progress) = 0;
};

}  // namespace lvtext
