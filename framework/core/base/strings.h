// Lists of names; text for messages: nearest names, lists, numbers, sizes, durations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lvtext {

/// True if a list has an element equal to `value`.
template <class T>
bool contains(const std::vector<T>& list, const std::type_identity_t<T>& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}
/// Appends `value` unless the list contains it.
template <class T>
void add_new(std::vector<T>& list, const std::type_identity_t<T>& value) {
  if (!contains(list, value)) list.push_back(value);
}

/// The entry of `names` nearest to `requested`: equal up to case and '-'/'_', otherwise the only
/// one that starts with `requested`, otherwise with the smallest edit distance of at most a third
/// of its length (at least 1, at most 3), otherwise the first that starts with `requested`. None if
/// there is none. Prefixes have at least 3 characters.
std::optional<std::string> nearest(std::string_view requested,
                                   const std::vector<std::string>& names);

/// Suggestion for a name that is not in `names`: "did you mean 'vae'? (all: ae, vae)", or only the
/// list if no name is near.
std::string suggestion(std::string_view requested, const std::vector<std::string>& names);

/// Levenshtein distance between two byte strings, with adjacent transpositions counted as one edit.
size_t edit_distance(std::string_view a, std::string_view b);

/// "a, b, c".
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");
std::vector<std::string> split(std::string_view text, char separator);
/// Removes white space at both ends.
std::string_view trim(std::string_view text);

/// The shortest decimal text that parses to exactly `value`; "nan", "inf", "-inf".
std::string format_number(double value);
/// A number with `digits` significant digits: "46.1", "0.00225".
std::string significant(double value, int digits);
/// "1.5 GiB".
std::string format_bytes(uint64_t bytes);
/// "2h41m", "3m05s", "12.3s".
std::string format_seconds(double seconds);
/// 12345678 -> "12,345,678".
std::string format_count(int64_t count);

}  // namespace lvtext
