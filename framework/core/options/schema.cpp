#include "framework/core/options/schema.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "framework/core/base/strings.h"
#include "framework/core/options/json.h"

namespace lvtext {
namespace {

using Kind = TypeSchema::Kind;
using Json = nlohmann::ordered_json;

std::string fallback_text(const FieldSchema& field) {
  if (field.rules.required) return "required";
  if (field.default_value.is_null()) return "none";
  if (field.default_value.is_scalar()) {
    return field.default_value.text().empty() ? "\"\"" : field.default_value.text();
  }
  return canonical_json(field.default_value).dump();
}

std::string range_text(const FieldSchema& field) {
  std::vector<std::string> parts;
  if (std::string range = field.rules.range(); !range.empty()) parts.push_back(range);
  if (!field.rules.unit.empty()) parts.push_back(field.rules.unit);
  if (!field.rules.names.empty()) parts.push_back(join(field.rules.names, "|"));
  return join(parts, " ");
}

// name, type, range, default, help
using Row = std::array<std::string, 5>;

// The type inside its wrappers: optional, list, map, number-or-component.
const TypeSchema& innermost(const TypeSchema& type) {
  const TypeSchema* inner = &type;
  while (inner->kind != Kind::kChoice && !inner->element.empty()) inner = &inner->element[0];
  return *inner;
}

// The fields of a choice: `type`, then the options of its components. Identical options of several
// components are one field, whose help lists these components unless all components have it.
std::vector<FieldSchema> fields_of_choice(const TypeSchema& choice, const Node& default_value) {
  const Node* name = default_value.find("type");
  std::vector<FieldSchema> fields = {
      {"type", "name of the component", {Kind::kEnum, choice.names, {}, {}}, {}, {}}};
  if (name) {
    fields[0].default_value = *name;
  } else {
    fields[0].rules.required = true;
  }
  std::vector<std::vector<std::string>> owners = {{}};
  for (size_t i = 0; i < choice.element.size(); ++i) {
    for (const FieldSchema& field : choice.element[i].fields) {
      size_t k = 1;
      while (k < fields.size() && (fields[k].key != field.key || fields[k].help != field.help ||
                                   fields[k].type.text() != field.type.text() ||
                                   range_text(fields[k]) != range_text(field) ||
                                   fallback_text(fields[k]) != fallback_text(field))) {
        ++k;
      }
      if (k == fields.size()) {
        fields.push_back(field);
        owners.emplace_back();
      }
      owners[k].push_back(choice.names[i].name);
    }
  }
  for (size_t k = 1; k < fields.size(); ++k) {
    if (owners[k].size() == choice.names.size()) continue;
    fields[k].help = join(owners[k]) + ": " + fields[k].help;
  }
  return fields;
}

// The nested fields of a field: those of its struct or choice, or of its elements.
std::vector<FieldSchema> fields_below(const FieldSchema& field) {
  const TypeSchema& type = innermost(field.type);
  return type.kind == Kind::kChoice ? fields_of_choice(type, field.default_value) : type.fields;
}

// The kind of a value that is not null.
Kind kind_of_value(const TypeSchema& type) {
  return type.kind == Kind::kOptional ? kind_of_value(type.element[0]) : type.kind;
}

void add_nested_paths(const std::vector<FieldSchema>& fields, const Node& mapping,
                      const std::string& key, const std::string& prefix,
                      std::vector<std::string>& paths) {
  for (const FieldSchema& field : fields) {
    const Kind kind = kind_of_value(field.type);
    if (kind == Kind::kList) continue;  // which of its elements is meant is unknown
    std::string below = prefix + field.key;
    const Node* written = mapping.find(field.key);
    Node inner = written ? *written : Node();
    if (kind == Kind::kMap) {
      if (inner.entries().empty()) continue;
      const Node::Entry first = inner.entries()[0];
      below += "." + first.key;
      inner = first.value;
    }
    const std::vector<FieldSchema> nested = fields_below(field);
    for (const FieldSchema& each : nested) {
      std::string path = below + "." + each.key;
      std::string joined = path;
      std::replace(joined.begin(), joined.end(), '.', '_');
      const bool is_new = std::find(paths.begin(), paths.end(), path) == paths.end();
      if (is_new && (each.key == key || joined == key)) paths.push_back(std::move(path));
    }
    add_nested_paths(nested, inner, key, below + ".", paths);
  }
}

std::string element_suffix(const TypeSchema& type) {
  if (type.kind == Kind::kList) return "[]" + element_suffix(type.element[0]);
  if (type.kind == Kind::kMap) return ".*" + element_suffix(type.element[0]);
  const bool wraps = type.kind == Kind::kOptional || type.kind == Kind::kNumberOr;
  return wraps ? element_suffix(type.element[0]) : "";
}

void add_rows(const std::vector<FieldSchema>& fields, const std::string& prefix,
              std::vector<Row>& rows) {
  for (const FieldSchema& field : fields) {
    const bool has_rows = field.type.kind == Kind::kStruct || field.type.kind == Kind::kChoice;
    rows.push_back({prefix + field.key, field.type.text(), range_text(field),
                    has_rows ? "" : fallback_text(field), field.help});
    add_rows(fields_below(field), prefix + field.key + element_suffix(field.type) + ".", rows);
    const TypeSchema& type = innermost(field.type);
    if (type.kind != Kind::kEnum) continue;
    for (const TypeSchema::Name& name : type.names) {
      rows.back()[4] += (&name == &type.names[0] ? ". Values: " : "; ") + name.name +
                        (name.help.empty() ? "" : " = " + name.help);
    }
  }
}

Json json_of(const TypeSchema& type, const Rules& rules);

Json json_of_fields(const std::vector<FieldSchema>& fields) {
  Json properties = Json::object(), required = Json::array();
  for (const FieldSchema& field : fields) {
    Json property = json_of(field.type, field.rules);
    property["description"] = field.help;
    if (field.rules.required) {
      required.push_back(field.key);
    } else if (!field.default_value.is_null()) {
      property["default"] = canonical_json(field.default_value);
    }
    properties[field.key] = std::move(property);
  }
  Json object = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) object["required"] = required;
  return object;
}

Json names_json(const TypeSchema& type) {
  Json names = Json::array();
  for (const TypeSchema::Name& each : type.names) names.push_back(each.name);
  return {{"enum", names}};
}

Json with_bounds(Json json, const Rules& rules) {
  if (rules.low) json[rules.low_open ? "exclusiveMinimum" : "minimum"] = *rules.low;
  if (rules.high) json[rules.high_open ? "exclusiveMaximum" : "maximum"] = *rules.high;
  return json;
}

const std::string kPeriod = "[0-9]+([.][0-9]+)?(u|e|t|Kt|Mt|s|min|h)";

Json string_json(const Rules& rules) {
  if (!rules.names.empty()) return {{"enum", rules.names}};
  // Unquoted numbers and booleans are also strings.
  Json json = {{"type", Json::array({"string", "number", "boolean"})}};
  if (rules.not_empty) json["minLength"] = 1;
  return json;
}

Json json_of(const TypeSchema& type, const Rules& rules) {
  switch (type.kind) {
    case Kind::kBool: return {{"type", "boolean"}};
    case Kind::kInt: return with_bounds({{"type", "integer"}}, rules);
    case Kind::kNumber: return with_bounds({{"type", "number"}}, rules);
    case Kind::kString: return string_json(rules);
    case Kind::kPeriod: return {{"type", "string"}, {"pattern", "^" + kPeriod + "$"}};
    case Kind::kStop: {
      const Json text = {{"type", "string"},
                         {"pattern", "^ *" + kPeriod + " *(, *" + kPeriod + " *)*$"}};
      return {{"anyOf", Json::array({text, Json{{"type", "array"}, {"items", text}}})}};
    }
    case Kind::kEnum: return names_json(type);
    case Kind::kOptional:
      return {{"anyOf", Json::array({json_of(type.element[0], rules), Json{{"type", "null"}}})}};
    case Kind::kList: {
      Json element = json_of(type.element[0], rules);
      Json list = {{"type", "array"}, {"items", element}};
      if (rules.not_empty) list["minItems"] = 1;
      return {{"anyOf", Json::array({list, element})}};
    }
    case Kind::kMap:
      return {{"type", "object"}, {"additionalProperties", json_of(type.element[0], rules)}};
    case Kind::kStruct: return json_of_fields(type.fields);
    case Kind::kChoice: {
      Json choices = Json::array({names_json(type)});
      for (size_t i = 0; i < type.names.size(); ++i) {
        Json object = json_of_fields(type.element[i].fields);
        object["properties"]["type"] = {{"const", type.names[i].name},
                                        {"description", type.names[i].help}};
        choices.push_back(std::move(object));
      }
      return {{"anyOf", choices}};
    }
    case Kind::kNumberOr:
      return {{"anyOf", Json::array({with_bounds({{"type", "number"}}, rules),
                                     json_of(type.element[0], rules)})}};
    case Kind::kAny: break;
  }
  return Json::object();
}

}  // namespace

std::string TypeSchema::text() const {
  switch (kind) {
    case Kind::kBool: return "bool";
    case Kind::kInt: return "int";
    case Kind::kNumber: return "number";
    case Kind::kString: return "string";
    case Kind::kPeriod: return "period";
    case Kind::kStop: return "periods";
    case Kind::kEnum: {
      std::vector<std::string> all;
      for (const Name& each : names) all.push_back(each.name);
      return join(all, "|");
    }
    case Kind::kOptional: return element[0].text() + " or null";
    case Kind::kList: return "list of " + element[0].text();
    case Kind::kMap: return "map of " + element[0].text();
    case Kind::kStruct: return "mapping";
    case Kind::kChoice: return "name or mapping with type";
    case Kind::kNumberOr: return "number, or " + element[0].text();
    case Kind::kAny: break;
  }
  return "any";
}

std::string FieldSchema::summary() const {
  std::vector<std::string> parts{type.text()};
  if (std::string range = range_text(*this); !range.empty()) parts.push_back(range);
  bool plain = default_value.is_scalar() || rules.required;
  if (plain) parts.push_back(rules.required ? "required" : "default " + fallback_text(*this));
  return join(parts);
}

std::vector<std::string> nested_paths(const Schema& schema, const Node& mapping,
                                      const std::string& key) {
  std::vector<std::string> paths;
  add_nested_paths(schema.fields, mapping, key, "", paths);
  return paths;
}

std::string help_text(const Schema& schema) {
  std::vector<Row> rows{{"name", "type", "range", "default", "help"}};
  add_rows(schema.fields, "", rows);
  std::array<size_t, 4> widths{};
  for (const Row& row : rows) {
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > 0) line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    text += line + row[4] + "\n";
  }
  return text;
}

std::string markdown_table(const Schema& schema) {
  std::vector<Row> rows;
  add_rows(schema.fields, "", rows);
  std::string text = "| name | type | range | default | help |\n|---|---|---|---|---|\n";
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      std::string cell;
      for (char c : row[i]) cell += c == '|' ? std::string("\\|") : std::string(1, c);
      bool code = i == 0 || (i == 3 && !cell.empty());
      text += "| " + (code ? "`" + cell + "`" : cell) + " ";
    }
    text += "|\n";
  }
  return text;
}

nlohmann::ordered_json json_schema(const Schema& schema, const std::string& title) {
  Json json = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  json.update(json_of_fields(schema.fields));
  return json;
}

}  // namespace lvtext
