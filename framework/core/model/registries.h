// What the program can build by name.
#pragma once

#include <memory>
#include <string>

#include "framework/core/base/registry.h"
#include "framework/core/model/component.h"

namespace lvtext {

struct Registries {
  Registry<Component> models{"model"};  ///< trained or fitted
  Registry<Component> evaluators{"evaluator"};
  Registry<Component> inference{"inference component"};
  Registry<Component> figures{"figure"};
  Registry<Component> sheets{"rating sheet"};
  std::shared_ptr<const Plugin> loading;  ///< whose components are being added; none for our own

  /// Who adds components now, for the message about a name that is taken.
  std::string origin() const { return loading ? loading->file : "lvtext"; }
};

}  // namespace lvtext
