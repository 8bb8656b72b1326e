// A component picked by its registry name, whose options it parses itself.
#pragma once

#include <string>

#include "framework/options/node.h"

namespace lvtext {

/// `{type: adam, lr: 5e-4}`: the name, and the other keys. A lone name stands for a component with
/// its defaults. `mark` is where the name was written, for the error of an unknown one.
struct Select {
  std::string type;
  Node options = Node::mapping({});
  Mark mark{};
};

}  // namespace lvtext
