#include "framework/core/options/defaults.h"

namespace lvtext {
namespace {

using Kind = TypeSchema::Kind;

/// The component that `value` names, or else the one of `default_value`, with all its options.
Node filled_choice(const Node& value, const TypeSchema& choice, const Node& default_value) {
  const Node* type = value.is_mapping() ? value.find("type") : &value;
  if (!type) type = default_value.find("type");
  for (size_t i = 0; type && i < choice.names.size(); ++i) {
    if (choice.names[i].name != type->text()) continue;
    const Node named = Node::mapping({{"type", *type, {}}}, value.location());
    return merge(named,
                 with_defaults(value.is_mapping() ? value : named, {choice.element[i].fields}));
  }
  return value;
}

/// `value` with the defaults of its fields; `default_value`: the default of `value` itself, or
/// null.
Node filled(const Node& value, const TypeSchema& type, const Node& default_value = {}) {
  if (type.kind == Kind::kStruct) return with_defaults(value, {type.fields});
  if (type.kind == Kind::kChoice) return filled_choice(value, type, default_value);
  if (type.kind == Kind::kNumberOr && !value.is_mapping()) return value;
  if (type.kind == Kind::kOptional || type.kind == Kind::kNumberOr) {
    return filled(value, type.element[0], default_value);
  }
  if (type.kind == Kind::kList && value.is_sequence()) {
    std::vector<Node> items;
    for (const Node& item : value.items()) items.push_back(filled(item, type.element[0]));
    return Node::sequence(std::move(items), value.location());
  }
  if (type.kind == Kind::kMap && value.is_mapping()) {
    Node all = value;
    for (const Node::Entry& entry : value.entries()) {
      all = all.with({entry.key, filled(entry.value, type.element[0]), entry.key_location});
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
      all = all.with(
          {field.key, filled(entry->value, field.type, field.default_value), entry->key_location});
    } else if (!field.rules.required && field.type.kind != Kind::kAny) {
      all = all.with({field.key, filled(field.default_value, field.type), {}});
    }
  }
  return all;
}

}  // namespace lvtext
