// Expansion of a recipe's loops: an entry with `over: axis` becomes one entry per axis value.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"
#include "framework/pipeline/recipe/entry_id.h"

namespace lvtext {

/// The sections of a recipe whose entries have ids and may have `over`, in processing order.
const std::vector<std::string>& entry_sections();

/// An axis value removed by a profile or an override, with the reason shown for its members.
struct RemovedValue {
  std::string id, reason;
};
/// Removed values by axis.
using RemovedValues = std::map<std::string, std::vector<RemovedValue>>;

/// Adds to `removed` the axis values that `before` has and `after`, the tree with a layer merged
/// in, does not: values that are now null or no longer in the list.
void add_removed_values(const Node& before, const Node& after, const std::string& reason,
                        RemovedValues& removed);

/// An entry with `over`, and the number of members that it was expanded to.
struct ExpandedEntry {
  std::string section, id;
  std::vector<std::string> over;
  size_t members = 0;
};

/// Entries that do not exist: section -> id -> reason.
using RemovedEntries = std::map<std::string, std::map<std::string, std::string>>;

struct Expansion {
  Node tree;                           ///< tree without axes, loops and substitutions
  std::vector<ExpandedEntry> entries;  ///< entries that had `over`
  RemovedEntries removed = {};         ///< members without an entry
};

/// Replaces each entry with `over` by its members, named `id[v,w]` in the order of `over`, the last
/// axis varying fastest, with `$a`, `$a.x` and `$$` replaced in every scalar, and removes `axes`.
/// In tables, a block's `{each: axis}` becomes the block for each value, with `each` a list of that
/// value, and a line that contains `$axis` becomes a mapping of value -> reference. All errors are
/// added to `errors`.
///
/// - `$a` is the value's id, `$a.x` its field x; a missing `label` defaults to the id. A name is
///   the longest match of `[a-z0-9_]+`; `$(a)` delimits one. A scalar that consists of one
///   reference only keeps the type of the value.
/// - `$$` is a dollar sign, only in entries with `over`; elsewhere nothing is replaced.
Expansion expand(const Node& tree, const RemovedValues& removed, Errors& errors);

}  // namespace lvtext
