#include "framework/core/options/mapping.h"

#include <algorithm>

namespace lvtext {

std::vector<std::string> keys_of(const Node& mapping) {
  std::vector<std::string> keys;
  for (const Node::Entry& entry : mapping.entries()) keys.push_back(entry.key);
  return keys;
}

DividedMapping divide_mapping(const Node& mapping, const Schema& schema) {
  DividedMapping parts{.declared = Node::mapping({}, mapping.location())};
  for (const Node::Entry& entry : mapping.entries()) {
    const bool declared =
        std::any_of(schema.fields.begin(), schema.fields.end(),
                    [&](const FieldSchema& field) { return field.key == entry.key; });
    Node& part = declared ? parts.declared : parts.others;
    part = part.with(entry);
  }
  return parts;
}

}  // namespace lvtext
