#include "framework/pipeline/recipe/reference.h"

#include <algorithm>

#include "framework/core/base/counts.h"
#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/numbers.h"

namespace lvtext {
namespace {

constexpr size_t kShownMembers = 12;

bool matches(const EntryId& entry, const std::vector<std::string>& values) {
  if (entry.values.size() != values.size()) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != "*" && values[i] != entry.values[i]) return false;
  }
  return true;
}

/// "a, b, c and 4 more".
std::string listed(const std::vector<std::string>& ids) {
  if (ids.size() <= kShownMembers) return join(ids);
  return join({ids.begin(), ids.begin() + kShownMembers}) + " and " +
         std::to_string(ids.size() - kShownMembers) + " more";
}

bool is_checkpoint(const std::string& at) {
  if (at == "last" || at == "best") return true;
  if (at.starts_with("step:")) return parse_int(at.substr(5)).value_or(-1) >= 0;
  return parse_entry_id(at).has_value();
}

bool is_part(const std::string& part) {
  return !part.empty() && std::none_of(part.begin(), part.end(), [](char c) {
    return c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '\n';
  });
}

}  // namespace

bool Reference::is_pattern() const {
  return std::find(values.begin(), values.end(), "*") != values.end();
}

std::string Reference::text() const {
  return entry() + (part.empty() ? "" : "." + part) + (at.empty() ? "" : "@" + at);
}

std::string matched(const Reference& pattern, const std::string& id) {
  const auto values = parse_entry_id(id).value_or(EntryId{}).values;
  std::vector<std::string> found;
  for (size_t i = 0; i < values.size() && i < pattern.values.size(); ++i) {
    if (pattern.values[i] == "*") found.push_back(values[i]);
  }
  return join(found, "_");
}

std::optional<Reference> parse_reference(const std::string& text) {
  Reference reference;
  std::string rest = text;
  if (const size_t at = rest.rfind('@'); at != std::string::npos) {
    reference.at = rest.substr(at + 1);
    rest = rest.substr(0, at);
    if (!is_checkpoint(reference.at)) return std::nullopt;
  }
  const size_t open = rest.find_first_of(".[");
  reference.id = rest.substr(0, open);
  if (!is_lower_snake(reference.id)) return std::nullopt;
  if (open == std::string::npos) return reference;
  size_t behind = open;
  if (rest[open] == '[') {
    const size_t close = rest.find(']', open);
    if (close == std::string::npos) return std::nullopt;
    reference.values = split(rest.substr(open + 1, close - open - 1), ',');
    for (const auto& value : reference.values) {
      if (value != "*" && !is_axis_value(value)) return std::nullopt;
    }
    behind = close + 1;
  }
  if (behind == rest.size()) return reference;
  if (rest[behind] != '.') return std::nullopt;
  reference.part = rest.substr(behind + 1);
  if (!is_part(reference.part)) return std::nullopt;
  return reference;
}

void EntryNames::add(const std::string& id) {
  ids_.push_back(id);
  entries_.push_back(parse_entry_id(id).value_or(EntryId{id, {}}));
}

void EntryNames::add_removed(const std::string& id, const std::string& reason) {
  removed_[id] = reason;
  removed_entries_.push_back(parse_entry_id(id).value_or(EntryId{id, {}}));
}

bool EntryNames::contains(const std::string& id) const {
  return std::find(ids_.begin(), ids_.end(), id) != ids_.end();
}

std::optional<std::string> EntryNames::removed(const std::string& id) const {
  const auto found = removed_.find(id);
  return found == removed_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<EntryId> EntryNames::entries_of(const std::string& id) const {
  std::vector<EntryId> found;
  for (const auto* list : {&entries_, &removed_entries_}) {
    std::copy_if(list->begin(), list->end(), std::back_inserter(found),
                 [&id](const EntryId& entry) { return entry.id == id; });
  }
  return found;
}

Named EntryNames::unknown(const std::string& id) const {
  std::vector<std::string> all;
  for (const auto* list : {&entries_, &removed_entries_}) {
    for (const EntryId& entry : *list) {
      if (std::find(all.begin(), all.end(), entry.id) == all.end()) all.push_back(entry.id);
    }
  }
  Named named;
  named.problem = "unknown name " + shown(id);
  named.hint = all.empty() ? "no names are available here" : suggestion(id, all);
  return named;
}

Named EntryNames::match(const Reference& reference) const {
  Named named;
  const std::string requested = reference.entry();
  if (!reference.is_pattern()) {
    if (contains(requested)) {
      named.ids = {requested};
      return named;
    }
    if (const auto reason = removed(requested)) {
      named.removed = {*reason};
      return named;
    }
  }
  const std::vector<EntryId> members = entries_of(reference.id);
  if (members.empty()) return unknown(reference.id);
  const size_t axes = members[0].values.size();
  if (reference.values.empty() || axes != reference.values.size()) {
    return unmatched(reference, members);
  }
  for (const EntryId& entry : entries_) {
    if (entry.id == reference.id && matches(entry, reference.values)) {
      named.ids.push_back(entry.text());
    }
  }
  // A pattern matches the remaining members; if it matches only removed ones, return a reason.
  for (const EntryId& entry : removed_entries_) {
    if (!named.ids.empty() || entry.id != reference.id || !matches(entry, reference.values))
      continue;
    named.removed = {removed_.at(entry.text())};
  }
  return named.ids.empty() && named.removed.empty() ? unmatched(reference, members) : named;
}

Named EntryNames::unmatched(const Reference& reference, const std::vector<EntryId>& members) {
  Named named;
  const std::string requested = reference.entry();
  std::vector<std::string> known;
  for (const EntryId& entry : members) known.push_back(entry.text());
  if (reference.values.empty()) {
    named.problem = shown(reference.id) + " matches " + format_count(std::ssize(members), "member");
    named.hint = "specify one, or all as " +
                 EntryId{reference.id, {members[0].values.size(), "*"}}.text() + ": " +
                 listed(known);
    return named;
  }
  const size_t axes = members[0].values.size();
  if (axes != reference.values.size()) {
    named.problem = axes == 0
                        ? shown(reference.id) + " has no members"
                        : shown(requested) + " has " + std::to_string(reference.values.size()) +
                              " values, and the members of " + reference.id + " have " +
                              std::to_string(axes);
    named.hint = axes == 0 ? "write " + reference.id : "such as " + known[0];
    return named;
  }
  for (size_t i = 0; i < axes; ++i) {
    std::vector<std::string> values;
    for (const EntryId& entry : members) {
      if (std::find(values.begin(), values.end(), entry.values[i]) == values.end()) {
        values.push_back(entry.values[i]);
      }
    }
    const std::string& value = reference.values[i];
    if (value == "*" || std::find(values.begin(), values.end(), value) != values.end()) continue;
    named.problem = shown(reference.text()) + ": no member of " + reference.id + " has the value " +
                    shown(value);
    named.hint = suggestion(value, values);
    return named;
  }
  named.problem = shown(requested) + " is not a member of " + reference.id;
  named.hint = "allowed: " + listed(known);
  return named;
}

}  // namespace lvtext
