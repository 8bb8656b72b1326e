// Expands the loops of a recipe: an entry with `over: axis` becomes one entry per value.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"
#include "framework/pipeline/recipe/entry_id.h"

namespace lvtext {

/// The sections of a recipe whose entries have ids and may have `over`, in the order of parsing.
const std::vector<std::string>& entry_sections();

/// A value removed by a profile or an override, with the reason shown for its members.
struct RemovedValue {
  std::string id, reason;
};
/// Removed values by axis.
using RemovedValues = std::map<std::string, std::vector<RemovedValue>>;

/// Adds the values of `axes` that a merge removed to `removed`: those that are null in `after`, or
/// missing in its list.
void add_removed_values(const Node& before, const Node& after, const std::string& reason,
                        RemovedValues& removed);

/// An entry with `over`, with its number of members.
struct ExpandedEntry {
  std::string section, id;
  std::vector<std::string> over;
  size_t members = 0;
};

struct Expansion {
  Node tree;                                        ///< without axes, loops and substitutions
  std::vector<ExpandedEntry> entries;               ///< entries with `over`
  std::map<std::string, std::string> removed = {};  ///< removed members: id -> reason
};

/// Replaces each entry with `over` by its members, named `id[v,w]` in the order of `over` with the
/// last axis fastest, and replaces `$a`, `$a.x` and `$$` in every scalar; removes `axes`. In
/// tables,
/// `{each: axis}` becomes the list of the axis' values, and lines that contain `$axis` become
/// mappings of value -> reference. Adds mistakes to `errors`.
///
/// - `$a` is the value's id, `$a.x` its field x; a missing `label` is the id. Names are the longest
///   match of `[a-z0-9_]+`; `$(a)` delimits one. A scalar that consists of one `$a` keeps the type
///   of the value.
/// - `$$` is a dollar sign, only in entries with `over`; other entries are not changed.
Expansion expand(const Node& tree, const RemovedValues& removed, Errors& errors);

}  // namespace lvtext
