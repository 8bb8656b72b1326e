// Registries of all components that recipes can name.
#pragma once

#include <memory>
#include <string>

#include "framework/core/base/registry.h"
#include "framework/core/model/component.h"

namespace lvtext {

/// The components by kind, for lookup by name. Filled with the built-in components at start-up and
/// with those of plug-ins when they are loaded; only read afterwards.
struct Registries {
  Registry<Component> models{"model"};  ///< trained or fitted
  Registry<Component> evaluators{"evaluator"};
  Registry<Component> inference{"inference component"};
  Registry<Component> figures{"figure"};
  Registry<Component> sheets{"rating sheet"};
  std::shared_ptr<const Plugin> loading;  ///< plug-in being loaded; null for built-in components

  /// Origin of the components being added, for error messages about duplicate names.
  std::string origin() const { return loading ? loading->file : "lvtext"; }
};

}  // namespace lvtext
