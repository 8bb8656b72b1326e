// Parts of mappings in an options tree.
#pragma once

#include <string>
#include <vector>

#include "framework/options/options.h"

namespace lvtext {

/// In the order of the file; none where the node is no mapping.
std::vector<std::string> keys_of(const Node& mapping);

/// A mapping whose keys belong to two owners.
struct DividedMapping {
  Node declared;  ///< with the place of the whole
  Node others = Node::mapping({});
};

DividedMapping divide_mapping(const Node& mapping, const Schema& schema);
/// The keys that `Options` declares, and all others.
template <class Options>
DividedMapping divide_mapping(const Node& mapping) {
  return divide_mapping(mapping, describe<Options>());
}

}  // namespace lvtext
