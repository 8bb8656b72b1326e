// Ids of a recipe's entries: "ae", or "ent[wt2,1.1]" for a member of an entry with `over`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// The longest id, value of an axis, profile and half of a recipe's name: names of folders are made
/// of several of these, and have 255 bytes at most.
inline constexpr size_t kLongestName = 40;

struct EntryId {
  std::string id;                   ///< as the recipe writes it, lower_snake
  std::vector<std::string> values;  ///< of the axes of `over`, in its order; none without `over`

  /// "id" or "id[v,w]".
  std::string text() const;
  bool operator==(const EntryId&) const = default;
};

/// None if the text is no id.
std::optional<EntryId> parse_entry_id(const std::string& text);
/// What is wrong with an id, empty if nothing is; `hint` says what is allowed.
std::string problem_of_id(const std::string& text, std::string& hint);
/// Whether a text can be a value of an axis: letters, digits, '.', '_', '+' and '-'.
bool is_axis_value(const std::string& text);

/// An id as a part of names of files and folders, where brackets would be patterns of the shell:
/// "ent=wt2,1.1". No two ids have one name.
std::string file_name_of(const std::string& id);
/// The id whose file_name_of() this is.
std::string id_of_file_name(const std::string& name);

}  // namespace lvtext
