#include "framework/pipeline/recipe/expand.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "framework/core/base/characters.h"
#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"

namespace lvtext {
namespace {

/// Upper limit that catches mistakes before they exhaust memory.
constexpr size_t kMaxMembers = 100'000;

struct AxisValue {
  std::string id;
  Node scalar;  ///< the id as written in the recipe
  Node fields = Node::mapping({});
  std::string removed;  ///< reason for its removal; empty: not removed
};
using Axis = std::vector<AxisValue>;
using Axes = std::map<std::string, Axis>;

/// The values of one member by axis.
using Values = std::map<std::string, const AxisValue*>;

/// Reads the longest name starting at `at` and advances `at` past it.
std::string read_name(const std::string& text, size_t& at) {
  const size_t begin = at;
  while (at < text.size() && is_name_character(text[at])) ++at;
  return text.substr(begin, at - begin);
}

/// Replaces `$a`, `$a.x`, `$(a)` and `$$` in the scalars of an entry.
class Substitution {
 public:
  Substitution(const Values& values, const Axes& axes, Errors& errors)
      : values_(values), axes_(axes), errors_(errors) {}

  /// Leaves references to these axes unreplaced.
  void keep(std::set<std::string> axes) { kept_ = std::move(axes); }

  Node apply(const Node& tree) {
    return tree.with_scalars([this](const Node& scalar) { return replaced(scalar); });
  }

 private:
  Node replaced(const Node& scalar) {
    const std::string& text = scalar.text();
    if (text.find('$') == std::string::npos) return scalar;
    std::string result;
    for (size_t at = 0; at < text.size();) {
      if (text[at] != '$') {
        result += text[at++];
        continue;
      }
      if (text.compare(at, 2, "$$") == 0) {
        result += '$';
        at += 2;
        continue;
      }
      const size_t begin = at++;
      const size_t before = errors_.count();
      const Node* value = read(scalar, text, at);
      if (errors_.count() != before) return scalar;
      if (!value) {  // an axis that is kept
        result += text.substr(begin, at - begin);
        continue;
      }
      if (begin == 0 && at == text.size()) {
        return value->is_scalar() ? scalar.with_text(value->text(), value->quoted()) : *value;
      }
      if (!value->is_scalar()) {
        errors_.add(scalar.location(),
                    shown(text) + " holds " + shown(text.substr(begin, at - begin)) +
                        ", which is not a single value",
                    "such a field must be the whole value");
        return scalar;
      }
      result += value->text();
    }
    return scalar.with_text(result, true);
  }

  /// The value of the axis, or of its field, whose name begins at `at`; nullptr if the axis is kept
  /// or an error was added.
  const Node* read(const Node& scalar, const std::string& text, size_t& at) {
    const bool is_delimited = at < text.size() && text[at] == '(';
    if (is_delimited) ++at;
    const std::string axis = read_name(text, at);
    if (kept_.contains(axis)) return nullptr;
    if (is_delimited) {
      if (at == text.size() || text[at] != ')') {
        return refuse(scalar, shown(text) + " contains '$(' without ')'", "such as $(split)");
      }
      ++at;
    }
    if (axis.empty()) {
      return refuse(scalar, shown(text) + " has a '$' without an axis",
                    "a dollar sign is written $$ in an entry with `over`");
    }
    const auto found = values_.find(axis);
    if (found == values_.end()) {
      std::vector<std::string> known;
      for (const auto& [name, value] : values_) known.push_back(name);
      return refuse(scalar,
                    axes_.contains(axis) ? "'$" + axis + "': the entry is not over '" + axis + "'"
                                         : "unknown axis '$" + axis + "'",
                    suggestion(axis, known));
    }
    if (is_delimited || at == text.size() || text[at] != '.') return &found->second->scalar;
    size_t behind = at + 1;
    const std::string field = read_name(text, behind);
    at = behind;
    if (const Node* value = found->second->fields.find(field)) return value;
    if (field == "label") return &found->second->scalar;
    return refuse(scalar,
                  "the value '" + found->second->id + "' of the axis '" + axis +
                      "' has no field '" + field + "'",
                  field.empty() ? "write $(" + axis + ") before a literal '.'"
                                : suggestion(field, keys_of(found->second->fields)));
  }

  const Node* refuse(const Node& scalar, const std::string& message, const std::string& hint) {
    errors_.add(scalar.location(), message, hint);
    return nullptr;
  }

  const Values& values_;
  const Axes& axes_;
  Errors& errors_;
  std::set<std::string> kept_;
};

class Expander {
 public:
  Expander(const Node& tree, const RemovedValues& removed, Errors& errors)
      : tree_(tree), errors_(errors) {
    if (const Node* axes = tree.find("axes")) read_axes(*axes, removed);
  }

  Expansion expand() {
    expansion_.tree = tree_.without("axes");
    for (const auto& section : entry_sections()) {
      const Node::Entry* entries = tree_.find_entry(section);
      if (!entries || !entries->value.is_mapping()) continue;
      std::vector<Node::Entry> flat;
      for (const Node::Entry& entry : entries->value.entries()) {
        add_members(section, entry, flat);
      }
      const Node now = Node::mapping(std::move(flat), entries->value.location());
      expansion_.tree = expansion_.tree.with({section, now, entries->key_location});
    }
    return std::move(expansion_);
  }

 private:
  void read_axes(const Node& axes, const RemovedValues& removed) {
    if (!axes.is_mapping()) {
      errors_.add(axes.location(), "'axes' must be a mapping of ids", "such as alpha: [1.1, 1.2]");
      return;
    }
    for (const Node::Entry& entry : axes.entries()) {
      const size_t before = errors_.count();
      Axis& axis = axes_[entry.key];
      if (!is_lower_snake(entry.key) || entry.key.size() > kMaxNameLength) {
        errors_.add(entry.key_location, "the axis " + shown(entry.key) + " is not lower_snake",
                    "at most " + std::to_string(kMaxNameLength) + " characters");
      }
      if (entry.value.is_sequence()) {
        for (const Node& item : entry.value.items()) {
          add_value(entry.key, item, Node::mapping({}), axis);
        }
      } else if (entry.value.is_mapping()) {
        for (const Node::Entry& value : entry.value.entries()) {
          const Node id = Node::scalar(value.key, false, value.key_location);
          add_value(entry.key, id, value.value, axis);
        }
      } else {
        errors_.add(entry.value.location(), "'axes." + entry.key + "' is not a list of values",
                    "such as [1.1, 1.2], or a mapping of value: fields");
      }
      const auto gone = removed.find(entry.key);
      for (const RemovedValue& value :
           gone == removed.end() ? std::vector<RemovedValue>() : gone->second) {
        const bool is_there = std::any_of(
            axis.begin(), axis.end(), [&](const AxisValue& each) { return each.id == value.id; });
        if (!is_there) axis.push_back({value.id, Node::scalar(value.id), {}, value.reason});
      }
      if (axis.empty() && errors_.count() == before) {
        errors_.add(entry.key_location, "'axes." + entry.key + "' has no values",
                    "such as [1.1, 1.2]; a profile that removes all values shows their members as "
                    "not run");
      }
    }
  }

  void add_value(const std::string& axis, const Node& id, const Node& fields, Axis& values) {
    const std::string path = "axes." + axis;
    if (!id.is_scalar() || !is_axis_value(id.text())) {
      errors_.add(id.location(), path + ": a value must be one word",
                  "letters, digits, '.', '_', '+' and '-', at most " +
                      std::to_string(kMaxNameLength) + "; all other keys are its fields");
      return;
    }
    for (const AxisValue& value : values) {
      if (value.id == id.text())
        errors_.add(id.location(), path + " has " + shown(id.text()) + " twice");
    }
    if (!fields.is_mapping()) {
      errors_.add(fields.location(), shown(path + "." + id.text()) + " must be a mapping of fields",
                  "{} for a value without fields");
      return;
    }
    values.push_back({id.text(), id, fields, ""});
  }

  /// The axes of an entry's `over`; none if an error was added.
  std::optional<std::vector<std::string>> axes_of(const Node& over, const std::string& path) {
    const std::vector<Node> one = {over};
    std::vector<std::string> known, axes;
    for (const auto& [name, values] : axes_) known.push_back(name);
    bool is_right = true;
    for (const Node& each : over.is_sequence() ? over.items() : one) {
      const bool is_new = std::find(axes.begin(), axes.end(), each.text()) == axes.end();
      if (!each.is_scalar() || !axes_.contains(each.text())) {
        errors_.add(each.location(), path + ".over: unknown axis " + shown(each.text()),
                    known.empty() ? "the recipe has no `axes`" : suggestion(each.text(), known));
        is_right = false;
      } else if (!is_new) {
        errors_.add(each.location(), path + ".over has " + shown(each.text()) + " twice");
        is_right = false;
      }
      axes.push_back(each.text());
    }
    if (axes.empty()) {
      errors_.add(over.location(), path + ".over is empty", suggestion("", known));
      is_right = false;
    }
    return is_right ? std::optional(axes) : std::nullopt;
  }

  void add_members(const std::string& section, const Node::Entry& entry,
                   std::vector<Node::Entry>& flat) {
    const Node* over = entry.value.is_mapping() ? entry.value.find("over") : nullptr;
    if (!over) {
      flat.push_back(section == "tables" ? with_blocks(entry) : entry);
      return;
    }
    const std::string path = section + "." + entry.key;
    const auto axes = axes_of(*over, path);
    if (!axes) return;
    size_t count = 1;
    for (const auto& axis : *axes) {
      count *= std::max<size_t>(axes_.at(axis).size(), 1);
      if (count <= kMaxMembers) continue;
      errors_.add(over->location(),
                  path + " expands to more than " + std::to_string(kMaxMembers) + " members");
      return;
    }
    Node::Entry loop = entry;
    loop.value = entry.value.without("over");
    ExpandedEntry expanded{section, entry.key, *axes, 0};
    EntryId id{entry.key, std::vector<std::string>(axes->size())};
    Values values;
    // An error in one member usually repeats in all; report it for the first one only. The other
    // members are recorded as removed so that references to them cause no further errors.
    const size_t before = errors_.count();
    constexpr const char* kWrong = "it has an error";
    const std::function<void(size_t, const std::string&)> add = [&](size_t depth,
                                                                    const std::string& gone) {
      if (depth < axes->size()) {
        const std::string& axis = (*axes)[depth];
        for (const AxisValue& value : axes_.at(axis)) {
          id.values[depth] = value.id;
          values[axis] = &value;
          add(depth + 1, gone.empty() ? value.removed : gone);
        }
      } else if (!gone.empty()) {
        expansion_.removed[section][id.text()] = gone;
      } else if (errors_.count() != before) {
        expansion_.removed[section][id.text()] = kWrong;
      } else {
        ++expanded.members;
        Node::Entry one = member(section, loop, id, values);
        if (errors_.count() == before) {
          flat.push_back(std::move(one));
        } else {
          expansion_.removed[section][id.text()] = kWrong;
        }
      }
    };
    add(0, "");
    expansion_.entries.push_back(std::move(expanded));
  }

  Node::Entry member(const std::string& section, const Node::Entry& loop, const EntryId& id,
                     const Values& values) {
    Node::Entry result = loop;
    result.key = id.text();
    const bool is_table = section == "tables";
    Substitution substitution(values, axes_, errors_);
    if (is_table) substitution.keep(block_axes(loop.value));
    result.value = substitution.apply(loop.value);
    return is_table ? with_blocks(result) : result;
  }

  /// The axes of the `{each: axis}` columns of a table.
  std::set<std::string> block_axes(const Node& table) const {
    std::set<std::string> axes;
    const Node* columns = table.find("columns");
    for (const Node& column : columns ? columns->items() : std::vector<Node>()) {
      const Node* each = column.find("each");
      if (each && each->is_scalar()) axes.insert(each->text());
    }
    return axes;
  }

  /// The table with its column blocks and lines expanded for each value.
  Node::Entry with_blocks(const Node::Entry& table) {
    const std::set<std::string> axes = block_axes(table.value);
    if (axes.empty()) return table;
    const Node& columns = *table.value.find("columns");
    std::vector<Node> blocks;
    for (const Node& column : columns.items()) {
      const Node* each = column.find("each");
      if (!each || !each->is_scalar()) {
        blocks.push_back(column);
      } else if (const Axis* axis = axis_of(*each, "tables." + table.key)) {
        for (const AxisValue& value : *axis) blocks.push_back(block_of(column, *each, value));
      }
    }
    Node::Entry result = table;
    result.value = result.value.with(
        {"columns", Node::sequence(std::move(blocks), columns.location()), columns.location()});
    const Node::Entry* rows = table.value.find_entry("rows");
    if (!rows) return result;
    if (rows->value.is_mapping()) {
      Node lines = rows->value;
      for (const Node::Entry& line : rows->value.entries()) {
        lines = lines.with({line.key, line_of(line.value, axes), line.key_location});
      }
      result.value = result.value.with({"rows", lines, rows->key_location});
    }
    for (const Node& row : rows->value.items()) {
      if (row.text().find('$') == std::string::npos) continue;
      errors_.add(row.location(),
                  "tables." + table.key + ".rows: a line whose row varies by column needs an id",
                  "write rows as a mapping of line id: row");
    }
    return result;
  }

  const Axis* axis_of(const Node& each, const std::string& path) {
    const auto found = axes_.find(each.text());
    if (found != axes_.end()) return &found->second;
    std::vector<std::string> known;
    for (const auto& [name, values] : axes_) known.push_back(name);
    errors_.add(each.location(), path + ": `each` has an unknown axis " + shown(each.text()),
                suggestion(each.text(), known));
    return nullptr;
  }

  Node block_of(const Node& column, const Node& each, const AxisValue& value) {
    const Values values = {{each.text(), &value}};
    Node block = Substitution(values, axes_, errors_).apply(column);
    block = block.with({"each", Node::sequence({value.scalar}, each.location()), each.location()});
    if (value.removed.empty()) return block;
    return block.with(
        {"not_run", Node::scalar(value.removed, true, each.location()), each.location()});
  }

  /// The row of a line for each value of the axis that it refers to.
  Node line_of(const Node& row, const std::set<std::string>& axes) {
    if (!row.is_scalar() || row.text().find('$') == std::string::npos) return row;
    std::string named;
    for (const auto& axis : axes) {
      const bool is_named = row.text().find("$" + axis) != std::string::npos ||
                            row.text().find("$(" + axis + ")") != std::string::npos;
      if (is_named && axis.size() > named.size()) named = axis;
    }
    const auto found = axes_.find(named);
    if (found == axes_.end()) {
      errors_.add(row.location(), shown(row.text()) + " contains no axis of the table's columns",
                  suggestion("", {axes.begin(), axes.end()}));
      return row;
    }
    std::vector<Node::Entry> by_value;
    for (const AxisValue& value : found->second) {
      const Values values = {{named, &value}};
      by_value.push_back(
          {value.id, Substitution(values, axes_, errors_).apply(row), row.location()});
    }
    return Node::mapping(std::move(by_value), row.location());
  }

  const Node& tree_;
  Errors& errors_;
  Axes axes_;
  Expansion expansion_;
};

/// The ids of the values of an axis.
std::vector<std::string> values_of(const Node& axis) {
  std::vector<std::string> ids;
  for (const Node& item : axis.items()) ids.push_back(item.text());
  for (const Node::Entry& entry : axis.entries()) ids.push_back(entry.key);
  return ids;
}

}  // namespace

const std::vector<std::string>& entry_sections() {
  static const std::vector<std::string> sections = {"data",       "artifacts", "models", "rows",
                                                    "generation", "evaluate",  "select", "tables",
                                                    "figures",    "sheets"};
  return sections;
}

void add_removed_values(const Node& before, const Node& after, const std::string& reason,
                        RemovedValues& removed) {
  const Node* had = before.find("axes");
  const Node* has = after.find("axes");
  if (!had || !has || !had->is_mapping()) return;
  for (const Node::Entry& axis : had->entries()) {
    const Node* now = has->find(axis.key);
    const bool is_mapping = now && now->is_mapping() && axis.value.is_mapping();
    const auto kept = now ? values_of(*now) : std::vector<std::string>();
    for (const auto& id : values_of(axis.value)) {
      const bool is_null = is_mapping && now->find(id) && now->find(id)->is_null();
      const bool is_there = std::find(kept.begin(), kept.end(), id) != kept.end();
      if (is_null || !is_there) removed[axis.key].push_back({id, reason});
    }
  }
}

Expansion expand(const Node& tree, const RemovedValues& removed, Errors& errors) {
  return Expander(tree, removed, errors).expand();
}

}  // namespace lvtext
