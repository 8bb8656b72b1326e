// References of a recipe: "data.test", "row.samples", "lm[negative]", "transfer[*]@acc80".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/recipe/entry_id.h"

namespace lvtext {

/// Names an entry, a part of one, or all members of one.
struct Reference {
  std::string id;                   ///< of an entry, or "row", "data"
  std::vector<std::string> values;  ///< of its axes; "*": every value
  std::string part;                 ///< between the first point outside brackets and '@'
  std::string at;                   ///< "last", "best", "step:100", or the id of a select

  /// Whether it may stand for several members.
  bool is_pattern() const;
  /// "id" or "id[v,w]".
  std::string entry() const { return EntryId{id, values}.text(); }
  /// As a recipe writes it.
  std::string text() const;
};

/// What the stars of a pattern stand for in an id that it matched: "1.2".
std::string matched(const Reference& pattern, const std::string& id);

/// None if the text has not the form of a reference.
std::optional<Reference> parse_reference(const std::string& text);

/// What a reference names here: entries, in the order of the recipe, or what is wrong.
struct Named {
  std::vector<std::string> ids;
  /// Of members that a profile took away: why.
  std::vector<std::string> removed;
  std::string problem, hint;
};

/// The entries of one namespace.
class EntryNames {
 public:
  /// An entry that is there. An id twice is for the caller to report (contains()).
  void add(const std::string& id);
  /// A member that is not there, and why.
  void add_removed(const std::string& id, const std::string& reason);

  bool contains(const std::string& id) const;
  /// Why a member is not there; none if that is not known.
  std::optional<std::string> removed(const std::string& id) const;
  const std::vector<std::string>& ids() const { return ids_; }

  /// The entry that a reference names; of a pattern all members in order. Problems are: no such
  /// entry (with the nearest name), a value that no member has, another number of values, and an id
  /// alone that has members (they are listed).
  Named match(const Reference& reference) const;

 private:
  std::vector<EntryId> entries_of(const std::string& id) const;
  std::vector<std::string> ids_;
  std::vector<EntryId> entries_;
  std::vector<EntryId> removed_entries_;
  std::map<std::string, std::string> removed_;
};

}  // namespace lvtext
