// Parts of mappings in an options tree.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options/options.h"

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

/// A mapping that shares its place with a component's options: parses the keys that `Block`
/// declares, and leaves every other key in its member `own`. Mistakes go to `errors`, their keys
/// named below `path`.
template <class Block>
Block parse_block(const Node& mapping, Errors& errors, const std::string& path) {
  DividedMapping parts = divide_mapping<Block>(mapping);
  Block block = parse_options<Block>(parts.declared, errors, {}, path);
  block.own = std::move(parts.others);
  return block;
}

}  // namespace lvtext
