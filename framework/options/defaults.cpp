#include "framework/options/defaults.h"

namespace lvtext {
namespace {

using Kind = TypeSchema::Kind;

Node filled(const Node& value, const TypeSchema& type) {
  if (type.kind == Kind::kStruct) return with_defaults(value, {type.fields});
  if (type.kind == Kind::kOptional) return filled(value, type.element[0]);
  if (type.kind == Kind::kList && value.is_sequence()) {
    std::vector<Node> items;
    for (const Node& item : value.items()) items.push_back(filled(item, type.element[0]));
    return Node::sequence(std::move(items), value.mark());
  }
  if (type.kind == Kind::kMap && value.is_mapping()) {
    Node all = value;
    for (const Node::Entry& entry : value.entries()) {
      all = all.with({entry.key, filled(entry.value, type.element[0]), entry.key_mark});
    }
    return all;
  }
  return value;
}

}  // namespace

Node with_defaults(const Node& mapping, const Schema& schema) {
  if (!mapping.is_mapping()) return mapping;
  Node all = mapping;
  for (const FieldSchema& field : schema.fields) {
    if (const Node::Entry* entry = mapping.find_entry(field.key)) {
      all = all.with({field.key, filled(entry->value, field.type), entry->key_mark});
    } else if (!field.rules.required && field.type.kind != Kind::kAny) {
      all = all.with({field.key, filled(field.fallback, field.type), {}});
    }
  }
  return all;
}

}  // namespace lvtext
