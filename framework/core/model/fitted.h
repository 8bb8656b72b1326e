// Models whose tensors are computed without training, such as counts and averages of vectors.
#pragma once

#include "framework/core/model/inputs.h"
#include "framework/core/model/model.h"

namespace lvtext {

/// A model that is fitted instead of trained. Its tensors are registered buffers, whose sizes may
/// depend on the data; loading a fitted model sets them.
class Fitted : public Model {
 public:
  /// Computes the buffers from the declared inputs. Called once, before the model is used.
  virtual void fit(const Inputs& inputs, const Notify& progress) = 0;
};

}  // namespace lvtext
