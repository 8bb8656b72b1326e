// References of a recipe: "data.test", "row.samples", "lm[negative]", "transfer[*]@acc80".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/recipe/entry_id.h"

namespace lvtext {

/// Refers to an entry, a part of one, or all members of one.
struct Reference {
  std::string id;                   ///< id of an entry, or "row", "data"
  std::vector<std::string> values;  ///< values of its axes; "*": all
  std::string part;                 ///< text between the first period outside brackets and '@'
  std::string at;                   ///< "last", "best", "step:100", or the id of a select

  /// True if it may match several members.
  bool is_pattern() const;
  /// "id" or "id[v,w]".
  std::string entry() const { return EntryId{id, values}.text(); }
  /// The reference as written in a recipe.
  std::string text() const;
};

/// The text that the stars of a pattern matched in an id: "1.2".
std::string matched(const Reference& pattern, const std::string& id);

/// Parses a reference; none if its form is invalid.
std::optional<Reference> parse_reference(const std::string& text);

/// Result of looking up a reference: entries in the order of the recipe, or a problem.
struct Named {
  std::vector<std::string> ids;
  /// Reasons of matched members that are removed.
  std::vector<std::string> removed;
  std::string problem, hint;
};

/// The entries of one namespace.
class EntryNames {
 public:
  /// Adds an entry. The caller reports duplicate ids (contains()).
  void add(const std::string& id);
  /// Adds a removed member with the reason.
  void add_removed(const std::string& id, const std::string& reason);

  bool contains(const std::string& id) const;
  /// Why a member was removed; none if it was not.
  std::optional<std::string> removed(const std::string& id) const;
  const std::vector<std::string>& ids() const { return ids_; }

  /// The entry of a reference; for a pattern, all members in order. Problems: unknown entry (with
  /// the nearest name), unknown value, wrong number of values, and an id without values that has
  /// members (they are listed).
  Named match(const Reference& reference) const;

 private:
  std::vector<EntryId> entries_of(const std::string& id) const;
  std::vector<std::string> ids_;
  std::vector<EntryId> entries_;
  std::vector<EntryId> removed_entries_;
  std::map<std::string, std::string> removed_;
};

}  // namespace lvtext
