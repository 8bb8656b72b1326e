// Validators of flag values.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace lvtext {

/// A whole decimal number from `least` to `most`.
CLI::Validator whole_number(int64_t least, int64_t most = std::numeric_limits<int64_t>::max());
/// A decimal number greater than 0 and at most `most`.
CLI::Validator positive_number(double most);

/// One of `names`, which completions offer.
CLI::Validator name_among(const std::vector<std::string>& names);

/// The name of a value of an enum.
template <class Enum>
CLI::Validator name_of_enum() {
  std::vector<std::string> names;
  for (const auto& each : enum_names(Enum())) names.emplace_back(each.name);
  return name_among(names);
}

/// The error of an empty value of `option`, without the option's name.
std::string empty_value_text(const CLI::Option& option);
/// Makes every option of `command` that takes a value reject empty values.
void refuse_empty_values(CLI::App& command);

/// Parses "A, B", the value of `flag`; no names if `text` is empty (flag not set). Throws
/// UsageError for an empty name.
std::vector<std::string> name_list(const std::string& flag, const std::string& text);

}  // namespace lvtext
