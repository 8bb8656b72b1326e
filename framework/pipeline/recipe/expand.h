// The loop of a recipe: an entry with `over: axis` is written once for each value.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"
#include "framework/pipeline/recipe/entry_id.h"

namespace lvtext {

/// The sections of a recipe whose entries have ids and may have `over`, in the order in which they
/// are read.
const std::vector<std::string>& entry_sections();

/// A value that a profile or an override took away, with the reason that its members show.
struct RemovedValue {
  std::string id, reason;
};
/// By axis.
using RemovedValues = std::map<std::string, std::vector<RemovedValue>>;

/// What `axes` lost from one tree to the one that is laid on it: values that are null now, or not
/// in the list any more. They are added to `removed`.
void add_removed_values(const Node& before, const Node& after, const std::string& reason,
                        RemovedValues& removed);

/// An entry as it was before: how many members it became.
struct ExpandedEntry {
  std::string section, id;
  std::vector<std::string> over;
  size_t members = 0;
};

struct Expansion {
  Node tree;                                        ///< without axes, loops and substitutions
  std::vector<ExpandedEntry> entries;               ///< those that had `over`
  std::map<std::string, std::string> removed = {};  ///< members that are not there: id -> reason
};

/// Writes each entry with `over` as its members, named `id[v,w]` in the order of `over`, the last
/// axis running fastest, with `$a`, `$a.x` and `$$` replaced in every scalar; `axes` goes. Tables
/// keep `{each: axis}` as the list of the axis' values, and lines that name `$axis` as a mapping of
/// value -> reference. Every mistake goes to `errors`.
///
/// - `$a` is the value's id, `$a.x` its field x; a missing `label` is the id. Names are the longest
///   `[a-z0-9_]+`; `$(a)` ends one. A scalar that is nothing else keeps the type of the value.
/// - `$$` is a dollar sign, in entries with `over` alone: elsewhere nothing is replaced.
Expansion expand(const Node& tree, const RemovedValues& removed, Errors& errors);

}  // namespace lvtext
