#include "framework/core/options/parts.h"

#include <algorithm>
#include <set>

namespace lvtext::options_detail {
namespace {

constexpr const char* kAllowed = "allowed: letters, digits, '.', '_', '+' and '-'";

bool is_part_id(const std::string& id) {
  return !id.empty() && std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '_' || c == '+' || c == '-';
  });
}

}  // namespace

std::vector<WrittenPart> written_parts(const ParseContext& context) {
  std::vector<WrittenPart> parts;
  if (!expect_mapping(context)) return parts;
  std::set<std::string> ids;
  const auto add = [&](const std::string& id, const Node& options, const SourceLocation& location) {
    if (!is_part_id(id)) {
      context.errors.add(location, shown(id) + " is not a valid name in " + context.path, kAllowed);
    } else if (!ids.insert(id).second) {
      context.errors.add(location, context.path + " has two parts named " + shown(id));
    } else {
      parts.push_back({id, options, location});
    }
  };
  for (const Node::Entry& entry : context.node.entries()) {
    const Node::Entry* list = nullptr;
    bool has_two = false;
    for (const Node::Entry& option : entry.value.entries()) {
      if (!option.value.is_sequence()) continue;
      has_two = has_two || list != nullptr;
      list = &option;
    }
    if (has_two) {
      context.errors.add(
          entry.key_location,
          child_path(context.path, entry.key) + " has two options that are lists",
          "only one option may be a list; write an entry for each value of the other");
    } else if (!list) {
      add(entry.key, entry.value, entry.key_location);
    } else if (list->value.items().empty()) {
      context.errors.add(
          list->key_location,
          child_path(context.path, entry.key) + "." + list->key + " is an empty list",
          "allowed: a value, or a list of values");
    } else {
      for (const Node& element : list->value.items()) {
        if (!element.is_scalar()) {
          context.errors.add(element.location(), child_path(context.path, entry.key) + "." +
                                                     list->key +
                                                     ": the elements of this list must be scalars");
          continue;
        }
        add(entry.key + "_" + element.text(),
            entry.value.with({list->key, element, list->key_location}), element.location());
      }
    }
  }
  check_not_empty(context, context.node.entries().empty());
  return parts;
}

}  // namespace lvtext::options_detail
