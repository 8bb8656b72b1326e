// Finds the element with an id in a list.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace lvtext {

/// The entry with an id, or null.
template <class Entry>
const Entry* find_entry(const std::vector<Entry>& entries, const std::string& id) {
  for (const Entry& entry : entries) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}
/// The same for shared entries.
template <class Entry>
const Entry* find_entry(const std::vector<std::shared_ptr<const Entry>>& entries,
                        const std::string& id) {
  for (const auto& entry : entries) {
    if (entry->id == id) return entry.get();
  }
  return nullptr;
}

}  // namespace lvtext
