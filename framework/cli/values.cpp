#include "framework/cli/values.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/numbers.h"

namespace lvtext {
namespace {

/// `read` parses a text to an optional number, and `is_allowed` checks that.
template <class Read, class IsAllowed>
CLI::Validator number_check(const std::string& what, const std::string& range, const Read& read,
                            const IsAllowed& is_allowed) {
  return CLI::Validator(
      [=](const std::string& text) {
        const auto number = read(text);
        if (number && is_allowed(*number)) return std::string();
        return "must be " + what + ", " + range + ", got " + shown(text);
      },
      range);
}

}  // namespace

CLI::Validator whole_number(int64_t least, int64_t most) {
  const bool open = most == std::numeric_limits<int64_t>::max();
  return number_check(
      "a whole number", std::to_string(least) + (open ? " or more" : " to " + std::to_string(most)),
      [](const std::string& text) { return parse_int(text); },
      [=](int64_t number) { return number >= least && number <= most; });
}

CLI::Validator positive_number(double most) {
  return number_check(
      "a number", "0 < x <= " + format_number(most),
      [](const std::string& text) { return parse_number(text); },
      [=](double number) { return number > 0 && number <= most; });
}

CLI::Validator name_among(const std::vector<std::string>& names) {
  return CLI::Validator(
      [names](const std::string& text) {
        if (std::find(names.begin(), names.end(), text) != names.end()) return std::string();
        return "unknown value " + shown(text) + "; " + suggestion(text, names);
      },
      "{" + join(names, ",") + "}");
}

std::string empty_value_text(const CLI::Option& option) {
  return "must not be empty; expected " + option.get_type_name() + " (" + option.get_description() +
         ")";
}

void refuse_empty_values(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag without a value
    option->check([option](const std::string& text) {
      return trim(text).empty() ? empty_value_text(*option) : std::string();
    });
  }
}

std::vector<std::string> name_list(const std::string& flag, const std::string& text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  std::string open;  // "ae[small" of "ae[small,0.05]"
  for (const auto& part : split(text, ',')) {
    open += (open.empty() ? "" : ",") + part;
    if (std::count(open.begin(), open.end(), '[') > std::count(open.begin(), open.end(), ']')) {
      continue;
    }
    names.emplace_back(trim(open));
    open.clear();
    if (names.back().empty()) {
      throw UsageError(flag + ": " + shown(text) +
                       " contains an empty name; separate names with commas");
    }
  }
  if (!open.empty()) names.emplace_back(trim(open));
  return names;
}

}  // namespace lvtext
