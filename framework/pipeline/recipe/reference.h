// References in a recipe: "data.test", "row.samples", "lm[negative]", "transfer[*]@acc80".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/recipe/entry_id.h"

namespace lvtext {

/// Reference to an entry, a part of an entry, or all members of an entry.
struct Reference {
  std::string id;                   ///< id of an entry, or "row", "data"
  std::vector<std::string> values;  ///< axis values; "*": every value
  std::string part;                 ///< text between the first '.' outside brackets and '@'
  std::string at;                   ///< "last", "best", "step:100", or the id of a select

  /// Whether it may match several members.
  bool is_pattern() const;
  /// "id" or "id[v,w]".
  std::string entry() const { return EntryId{id, values}.text(); }
  /// The reference as written in a recipe.
  std::string text() const;
};

/// The axis values matched by the '*' of a pattern in an id, joined by '_': "1.2".
std::string matched(const Reference& pattern, const std::string& id);

/// None if the text is not a valid reference.
std::optional<Reference> parse_reference(const std::string& text);

/// Result of looking up a reference: entries in recipe order, or a problem.
struct Named {
  std::vector<std::string> ids;
  /// Reasons, for members that were removed.
  std::vector<std::string> removed;
  std::string problem, hint;
};

/// The entries of one namespace.
class EntryNames {
 public:
  /// Adds an existing entry. The caller must check for duplicates with contains().
  void add(const std::string& id);
  /// Adds a removed member and the reason for its removal.
  void add_removed(const std::string& id, const std::string& reason);

  bool contains(const std::string& id) const;
  /// The reason for a member's removal; none if it was not removed.
  std::optional<std::string> removed(const std::string& id) const;
  const std::vector<std::string>& ids() const { return ids_; }

  /// The entry that a reference names; for a pattern all matching members in order. Problems: no
  /// such entry (with the nearest name), a value that no member has, a wrong number of values, and
  /// an id without values whose entry has members (they are listed).
  Named match(const Reference& reference) const;

 private:
  std::vector<EntryId> entries_of(const std::string& id) const;
  /// The problem of a reference to an entry that does not exist.
  Named unknown(const std::string& id) const;
  /// The problem of a reference that names none of the members of its entry.
  static Named unmatched(const Reference& reference, const std::vector<EntryId>& members);
  std::vector<std::string> ids_;
  std::vector<EntryId> entries_;
  std::vector<EntryId> removed_entries_;
  std::map<std::string, std::string> removed_;
};

}  // namespace lvtext
