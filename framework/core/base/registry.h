// Registry of components by name.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {

/// True for a name such as "vae" or "kl_weight_2": lower-case letters, digits and '_', a letter
/// first.
inline bool is_lower_snake(const std::string& name) {
  if (name.empty() || name[0] < 'a' || name[0] > 'z') return false;
  for (char c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return true;
}

/// The components of one kind ("model", "evaluator"), filled by explicit calls of add(): at
/// start-up and when plug-ins are loaded. Concurrent reads are safe while no entry is added.
template <class Entry>
class Registry {
 public:
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  /// Adds a component from `origin` ("lvtext" or a plug-in's file). Throws std::logic_error if the
  /// name is not lower_snake, or is in use (the message contains both origins).
  void add(const std::string& name, Entry entry, const std::string& origin = "lvtext") {
    LVT_ASSERT(is_lower_snake(name), "the " + kind_ + " name '" + name + "' is not lower_snake");
    auto found = entries_.find(name);
    LVT_ASSERT(found == entries_.end(), "two " + kind_ + "s are named '" + name + "': from " +
                                            found->second.origin + " and from " + origin);
    entries_.emplace(name, Registered{std::move(entry), origin});
  }

  /// The component, or null.
  const Entry* find(const std::string& name) const {
    auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second.entry;
  }
  /// The component. Throws ConfigError with the nearest name and all names.
  const Entry& get(const std::string& name) const {
    if (const Entry* entry = find(name)) return *entry;
    throw ConfigError(unknown_message(name) + "; " + known_message(name));
  }
  bool contains(const std::string& name) const { return find(name) != nullptr; }

  /// "unknown model 'vea'".
  std::string unknown_message(const std::string& name) const {
    return "unknown " + kind_ + " '" + name + "'";
  }
  /// "did you mean 'vae'? (all: ae, vae)".
  std::string known_message(const std::string& name) const { return suggestion(name, names()); }

  /// All names, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& each : entries_) all.push_back(each.first);
    return all;
  }
  const std::string& kind() const { return kind_; }

 private:
  struct Registered {
    Entry entry;
    std::string origin;
  };
  std::string kind_;
  std::map<std::string, Registered> entries_;
};

}  // namespace lvtext
