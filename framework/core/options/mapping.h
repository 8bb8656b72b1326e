// Parts of mappings in an options tree.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// Keys in the order of the file; empty if the node is not a mapping.
std::vector<std::string> keys_of(const Node& mapping);

/// A mapping divided by the owners of its keys.
struct DividedMapping {
  Node declared;  ///< with the location of the whole mapping
  Node others = Node::mapping({});
};

DividedMapping divide_mapping(const Node& mapping, const Schema& schema);
/// Divides a mapping into the keys that `Options` declares and all others.
template <class Options>
DividedMapping divide_mapping(const Node& mapping) {
  return divide_mapping(mapping, describe<Options>());
}

/// Parses a mapping that also has the options of a component: parses the keys that `Block` declares
/// and stores all others in its member `own`. Adds mistakes to `errors`, with keys below `path`.
template <class Block>
Block parse_block(const Node& mapping, Errors& errors, const std::string& path) {
  DividedMapping parts = divide_mapping<Block>(mapping);
  Block block = parse_options<Block>(parts.declared, errors, {}, path);
  block.own = std::move(parts.others);
  return block;
}

}  // namespace lvtext
