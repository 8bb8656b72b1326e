#include "framework/core/options/defaults.h"

#include "framework/core/options/dump.h"
#include "framework/core/options/yaml.h"

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

/// Name of the source of an unset option, whose text is the value.
constexpr const char* kUnset = "default";

/// Parsed options with the values of unset ones, without origins.
Node effective(const Node& parsed) {
  const SourceLocation& location = parsed.location();
  if (parsed.is_null() && location.source && location.source->name == kUnset) {
    Errors none;
    const Node value = parse_yaml(location.source, none);
    return Node::scalar(value.text(), value.quoted());
  }
  if (parsed.is_sequence()) {
    std::vector<Node> items;
    for (const Node& item : parsed.items()) items.push_back(effective(item));
    return Node::sequence(std::move(items));
  }
  if (!parsed.is_mapping()) return parsed;
  std::vector<Node::Entry> entries;
  for (const Node::Entry& entry : parsed.entries()) {
    entries.push_back({entry.key, effective(entry.value), {}});
  }
  return Node::mapping(std::move(entries));
}

/// `written`, a part whose option is a list, with the element that `parsed` has.
Node element_of(const Node& written, const Node& parsed) {
  Node part = written;
  for (const Node::Entry& entry : written.entries()) {
    const Node* value = parsed.find(entry.key);
    if (!value || !entry.value.is_sequence() || value->is_sequence()) continue;
    part =
        part.with({entry.key, Node::scalar(value->text(), value->quoted(), entry.value.location()),
                   entry.key_location});
  }
  return part;
}

/// with_values() of named parts (Parts), of which `written` has some as a list under one id:
/// {k: {k: [5, 10]}} is {k_5: {k: 5}, k_10: {k: 10}} with all options.
Node part_values(const Node& written, const Node& parsed) {
  std::vector<Node::Entry> parts;
  for (const Node::Entry& part : parsed.entries()) {
    const Node::Entry* own = written.find_entry(part.key);
    const bool is_listed = own == nullptr;
    for (const Node::Entry& each : written.entries()) {
      const bool matches = is_listed && part.key.starts_with(each.key + "_");
      if (matches && (!own || each.key.size() > own->key.size())) own = &each;
    }
    if (!own) return written;
    parts.push_back(
        {part.key, with_values(element_of(own->value, part.value), part.value), own->key_location});
  }
  return Node::mapping(std::move(parts), written.location());
}

/// with_values() of a value within a mapping, all of whose keys are options or parts.
Node nested_values(const Node& written, const Node& parsed) {
  for (const Node::Entry& entry : written.entries()) {
    if (parsed.is_mapping() && !parsed.find(entry.key)) return part_values(written, parsed);
  }
  return with_values(written, parsed);
}

}  // namespace

Node unset_option(const Node& value) {
  return Node::null({std::make_shared<const Source>(Source{kUnset, to_yaml(value), false})});
}

Node with_values(const Node& written, const Node& parsed) {
  if (written.is_null()) {
    const Node value = effective(parsed);
    return value.is_null() ? written : value;
  }
  if (written.is_sequence() && written.items().size() == parsed.items().size()) {
    std::vector<Node> items;
    for (size_t i = 0; i < written.items().size(); ++i) {
      items.push_back(nested_values(written.items()[i], parsed.items()[i]));
    }
    return Node::sequence(std::move(items), written.location());
  }
  if (!parsed.is_mapping()) return written;
  // A component is written as its name alone, or with its options.
  const bool is_name = written.is_scalar() && parsed.find("type");
  if (!is_name && !written.is_mapping()) return written;
  Node all = is_name ? Node::mapping({{"type", written, {}}}, written.location()) : written;
  for (const Node::Entry& entry : parsed.entries()) {
    const Node::Entry* own = all.find_entry(entry.key);
    all = all.with({entry.key, nested_values(own ? own->value : Node(), entry.value),
                    own ? own->key_location : SourceLocation{}});
  }
  return all;
}

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
