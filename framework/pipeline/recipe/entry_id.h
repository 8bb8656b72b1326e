// Ids of a recipe's entries: "ae", or "ent[wt2,1.1]" for a member of an entry with `over`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lvtext {

/// Maximum length of ids, values of axes, profiles and each part of a recipe's name. Folder names,
/// which have at most 255 bytes, combine several of these.
inline constexpr size_t kLongestName = 40;

struct EntryId {
  std::string id;  ///< as written, lower_snake
  std::vector<std::string>
      values;  ///< values of the axes in `over`, in order; empty without `over`

  /// "id" or "id[v,w]".
  std::string text() const;
  bool operator==(const EntryId&) const = default;
};

/// Parses an id; none if it is invalid.
std::optional<EntryId> parse_entry_id(const std::string& text);
/// Why an id is invalid, with the allowed form in `hint`; empty if it is valid.
std::string problem_of_id(const std::string& text, std::string& hint);
/// True for a valid value of an axis: letters, digits, '.', '_', '+' and '-'.
bool is_axis_value(const std::string& text);

/// An id as part of names of files and folders, without brackets, which are shell patterns:
/// "ent=wt2,1.1". Different ids have different names.
std::string file_name_of(const std::string& id);
/// Inverse of file_name_of().
std::string id_of_file_name(const std::string& name);

}  // namespace lvtext
