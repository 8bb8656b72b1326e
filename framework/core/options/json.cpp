#include "framework/core/options/json.h"

#include <cmath>

#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"

namespace lvtext {
namespace {

template <class Json>
Json scalar_json(const Node& node) {
  const std::string& text = node.text();
  if (node.quoted()) return text;
  if (text == "true" || text == "false") return text == "true";
  if (const auto whole = parse_int(text)) return *whole;
  const auto number = parse_number(text);
  if (!number || !std::isfinite(*number)) return text;
  // Different spellings of a number give the same JSON: 2e3 is 2000.
  const auto whole = parse_int(format_number(*number));
  return whole ? Json(*whole) : Json(*number);
}

/// The JSON of a tree, with or without the keys whose value is null.
template <class Json>
Json json_of(const Node& node, bool with_nulls) {
  switch (node.kind()) {
    case Node::Kind::kNull: return nullptr;
    case Node::Kind::kScalar: return scalar_json<Json>(node);
    case Node::Kind::kSequence: {
      Json items = Json::array();
      for (const Node& item : node.items()) items.push_back(json_of<Json>(item, with_nulls));
      return items;
    }
    case Node::Kind::kMapping: break;
  }
  Json object = Json::object();
  for (const Node::Entry& entry : node.entries()) {
    if (with_nulls || !entry.value.is_null()) {
      object[entry.key] = json_of<Json>(entry.value, with_nulls);
    }
  }
  return object;
}

Node node_of(const nlohmann::ordered_json& json, const SourceLocation& location) {
  using Type = nlohmann::ordered_json::value_t;
  switch (json.type()) {
    case Type::object: {
      std::vector<Node::Entry> entries;
      for (const auto& [key, value] : json.items()) {
        entries.push_back({key, node_of(value, location), location});
      }
      return Node::mapping(std::move(entries), location);
    }
    case Type::array: {
      std::vector<Node> items;
      for (const auto& item : json) items.push_back(node_of(item, location));
      return Node::sequence(std::move(items), location);
    }
    case Type::string: return Node::scalar(json.get<std::string>(), /*quoted=*/true, location);
    case Type::boolean: return Node::scalar(json.get<bool>() ? "true" : "false", false, location);
    case Type::number_integer:
      return Node::scalar(std::to_string(json.get<int64_t>()), false, location);
    case Type::number_unsigned:
      return Node::scalar(std::to_string(json.get<uint64_t>()), false, location);
    case Type::number_float:
      return Node::scalar(format_number(json.get<double>()), false, location);
    case Type::null:
    case Type::binary:
    case Type::discarded: break;
  }
  return Node::null(location);
}

}  // namespace

nlohmann::json canonical_json(const Node& node) {
  return json_of<nlohmann::json>(node, /*with_nulls=*/false);
}

nlohmann::ordered_json to_json(const Node& node) {
  return json_of<nlohmann::ordered_json>(node, /*with_nulls=*/true);
}

Node node_of_json(const nlohmann::ordered_json& json, const std::string& name) {
  const auto source = std::make_shared<const Source>(Source{name, "", false});
  return node_of(json, SourceLocation{source, 1, 1, 1});
}

}  // namespace lvtext
