#include "framework/core/options/dump.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// True for text that YAML parses as the same string without quotes, in any position.
bool is_plain(const std::string& text) {
  auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == '+' || c == '-';
  };
  if (text.empty() || !std::all_of(text.begin(), text.end(), good)) return false;
  return text[0] != '-' || (text.size() > 1 && text[1] != '-');
}

bool reads_as_string(const std::string& text) {
  return text != "true" && text != "false" && text != "null" && text != "Null" && text != "NULL" &&
         text[0] != '.' && text[0] != '-' && text[0] != '+' && !(text[0] >= '0' && text[0] <= '9');
}

std::string yaml_scalar(const Node& node) {
  if (node.is_null()) return "null";
  const std::string& text = node.text();
  if (is_plain(text) && (!node.quoted() || reads_as_string(text))) return text;
  return json_string(text);
}

std::string yaml_key(const std::string& key) {
  return is_plain(key) && reads_as_string(key) ? key : json_string(key);
}

bool is_leaf(const Node& node) {
  return node.is_null() || node.is_scalar() || (node.items().empty() && node.entries().empty());
}

bool is_flow(const Node& node) {
  return node.is_sequence() && std::all_of(node.items().begin(), node.items().end(), is_leaf);
}

std::string yaml_leaf(const Node& node) {
  if (node.is_mapping()) return "{}";
  if (!node.is_sequence()) return yaml_scalar(node);
  std::vector<std::string> parts;
  for (const Node& item : node.items()) parts.push_back(yaml_leaf(item));
  return "[" + join(parts) + "]";
}

void write_yaml(const Node& node, size_t indent, bool origins, std::string& out) {
  std::string blank(indent, ' ');
  auto leaf = [&](const Node& value) {
    out += " " + yaml_leaf(value);
    const std::string origin = value.origin();
    if (origins) out += origin.empty() ? "  # default" : "  # from " + origin;
    out += "\n";
  };
  auto child = [&](const Node& value) {
    if (is_leaf(value) || is_flow(value)) {
      leaf(value);
    } else {
      out += "\n";
      write_yaml(value, indent + 2, origins, out);
    }
  };
  for (const Node::Entry& entry : node.entries()) {
    out += blank + yaml_key(entry.key) + ":";
    child(entry.value);
  }
  for (const Node& item : node.items()) {
    out += blank + "-";
    child(item);
  }
}

}  // namespace

std::string to_yaml(const Node& node, bool origins) {
  if (is_leaf(node) || is_flow(node)) return yaml_leaf(node) + "\n";
  std::string out;
  write_yaml(node, 0, origins, out);
  return out;
}

}  // namespace lvtext
