// What surrounds a model when it is built.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "framework/base/error.h"
#include "framework/model/model.h"

namespace lvtext {

struct ModelInputs {
  int64_t vocabulary = 0;  ///< pieces or words, the four special ones included
  uint64_t seed = 0;       ///< of the initial parameters
  int64_t classes = 0;     ///< values of the label field of its batches; 0 without one
  /// Finished models that fill the inputs that it declares, by their names. A model that keeps one
  /// returns it from frozen(), so that it is moved along and never trained.
  std::map<std::string, LoadedModel> models = {};

  /// A capability of an input's model. Throws ConfigError if the model does not serve it.
  template <class Capability>
  Capability& serve(const std::string& input) const {
    const auto found = models.find(input);
    LVT_ASSERT(found != models.end(), "no model fills the input '" + input + "'");
    auto* capability = dynamic_cast<Capability*>(found->second.model.get());
    if (capability) return *capability;
    throw ConfigError("the model '" + found->second.component +
                      "' does not serve: " + Capability::kName);
  }
};

}  // namespace lvtext
