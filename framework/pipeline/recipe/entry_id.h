// Ids of a recipe's entries: "ae", or "ent[wt2,1.1]" for a member of an entry with `over`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// Maximum length of an id, an axis value, a profile and each half of a recipe's name. Folder names
/// are composed of several of these and are limited to 255 bytes.
inline constexpr size_t kMaxNameLength = 40;

struct EntryId {
  std::string id;                   ///< id as written in the recipe, lower_snake
  std::vector<std::string> values;  ///< axis values in the order of `over`; empty without `over`

  /// "id" or "id[v,w]".
  std::string text() const;
  bool operator==(const EntryId&) const = default;
};

/// None if the text is not a valid id.
std::optional<EntryId> parse_entry_id(const std::string& text);
/// Describes what is wrong with an id; empty if it is valid. `hint` is set to what is allowed.
std::string problem_of_id(const std::string& text, std::string& hint);
/// Whether a text is a valid axis value: at most kMaxNameLength letters, digits, '.', '_', '+',
/// '-'.
bool is_axis_value(const std::string& text);

/// An id in the form used in file and folder names, without brackets, which the shell would expand
/// as patterns: "ent=wt2,1.1". Different ids have different names.
std::string file_name_of(const std::string& id);
/// Inverse of file_name_of().
std::string id_of_file_name(const std::string& name);

}  // namespace lvtext
