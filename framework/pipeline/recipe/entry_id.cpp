#include "framework/pipeline/recipe/entry_id.h"

#include <algorithm>

#include "framework/core/base/characters.h"
#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"

namespace lvtext {

std::string EntryId::text() const {
  return values.empty() ? id : id + "[" + join(values, ",") + "]";
}

bool is_axis_value(const std::string& text) {
  const auto is_allowed = [](char c) {
    return is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || c == '.' ||
           c == '_' || c == '+' || c == '-';
  };
  return !text.empty() && text.size() <= kMaxNameLength &&
         std::all_of(text.begin(), text.end(), is_allowed);
}

std::optional<EntryId> parse_entry_id(const std::string& text) {
  const size_t open = text.find('[');
  EntryId parsed{text.substr(0, open), {}};
  if (!is_lower_snake(parsed.id) || parsed.id.size() > kMaxNameLength) return std::nullopt;
  if (open == std::string::npos) return parsed;
  if (!text.ends_with("]")) return std::nullopt;
  parsed.values = split(text.substr(open + 1, text.size() - open - 2), ',');
  for (const auto& value : parsed.values) {
    if (!is_axis_value(value)) return std::nullopt;
  }
  return parsed;
}

std::string problem_of_id(const std::string& text, std::string& hint) {
  if (parse_entry_id(text)) return "";
  const std::string id = text.substr(0, text.find('['));
  if (is_lower_snake(id) && id.size() > kMaxNameLength) {
    hint = "used in file names: at most " + std::to_string(kMaxNameLength);
    return "the id " + shown(id) + " has " + std::to_string(id.size()) + " characters";
  }
  hint = "used in file names: lower-case letters, digits and '_', starting with a letter";
  return "the id " + shown(text) + " is not lower_snake";
}

std::string file_name_of(const std::string& id) {
  std::string name;
  for (const char c : id) {
    if (c != ']') name += c == '[' ? '=' : c;
  }
  return name;
}

std::string id_of_file_name(const std::string& name) {
  const size_t values = name.find('=');
  if (values == std::string::npos) return name;
  return name.substr(0, values) + "[" + name.substr(values + 1) + "]";
}

}  // namespace lvtext
