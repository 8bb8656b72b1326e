#include "framework/pipeline/recipe/overrides.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "framework/core/base/characters.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/core/options/numbers.h"
#include "framework/core/options/yaml.h"

namespace lvtext {
namespace {

using Path = std::vector<std::string>;

constexpr size_t kMaxDepth = 64;

// Applies one override; errors are reported at `mark`.
struct Override {
  SourceLocation location;
  Errors& errors;
  const std::vector<std::string>& keys;
  bool failed = false;

  Node refuse(const Node& unchanged, const std::string& message, const std::string& hint = "") {
    errors.add(location, message, hint);
    failed = true;
    return unchanged;
  }

  // `node` with `value` set at `path`, starting from `depth`; missing mappings are created.
  Node set(const Node& node, const Path& path, size_t depth, const Node& value) {
    if (depth == path.size()) return value;
    const std::string& key = path[depth];
    std::string above = join(Path(path.begin(), path.begin() + static_cast<long>(depth)), ".");
    if (node.is_sequence()) {
      std::optional<int64_t> index = parse_int(key);
      std::vector<Node> items = node.items();
      if (!index || *index < 0 || *index >= static_cast<int64_t>(items.size())) {
        return refuse(node, shown(above) + " is a list: invalid index " + shown(key),
                      "it has " + std::to_string(items.size()) + " values, counted from 0");
      }
      Node& item = items[static_cast<size_t>(*index)];
      item = set(item, path, depth + 1, value);
      return Node::sequence(std::move(items), node.location());
    }
    if (node.is_scalar()) {
      return refuse(node, shown(above) + " is not a mapping: it has no key " + shown(key),
                    "its value is " + shown(node.text()));
    }
    Node base = node.is_null() ? Node::mapping({}, location) : node;
    const Node* child = base.find(key);
    return base.with({key, set(child ? *child : Node(), path, depth + 1, value), location});
  }

  // `models` with `value` at `path` in each row that sets it; `path` begins with "train".
  Node set_in_rows(const Node& models, const Path& path, const Node& value) {
    Node result = models;
    for (const Node::Entry& row : models.entries()) {
      const Node* at = row.value.find("train");
      for (size_t i = 1; at && i < path.size() && at->is_mapping(); ++i) at = at->find(path[i]);
      if (!at) continue;
      Node::Entry changed = row;
      changed.value = set(row.value, path, 0, value);
      result = result.with(changed);
    }
    return result;
  }

  // The fix of an unknown first key.
  std::string hint_of_key(const std::string& key, const Node& value) const {
    if (key == "profile") return "use --profile " + (value.is_scalar() ? value.text() : "NAME");
    const auto near = nearest(key.substr(0, 100), keys);
    return near ? "did you mean '" + *near + "'?" : "allowed: " + join(keys);
  }

  // How to add the entry that an override of its component refers to; "" for other overrides.
  static std::string addition(const Path& path, const Node& value) {
    const std::string component = path[0] == "models" ? "model" : "evaluator";
    if (path.size() != 3 || path[2] != component || !value.is_scalar()) return "";
    return "; to add one: " + path[0] + "." + path[1] + "={" + component + ": " + value.text() +
           "}";
  }

  Node apply(const Node& tree, const Path& path, const Node& value) {
    if (is_fixed_key(path[0])) {
      return refuse(tree, "'" + path[0] + "' cannot be overridden", "edit the recipe");
    }
    if (!keys.empty() && std::find(keys.begin(), keys.end(), path[0]) == keys.end()) {
      return refuse(tree, "unknown key " + shown(path[0]), hint_of_key(path[0], value));
    }
    const Node* section = tree.find(path[0]);
    bool has_entries = path[0] == "models" || path[0] == "evaluate";
    if (has_entries && path.size() > 2 && !(section && section->find(path[1]))) {
      std::vector<std::string> known = section ? keys_of(*section) : Path{};
      return refuse(tree,
                    (path[0] == "models" ? "unknown row " : "unknown metric ") + shown(path[1]),
                    suggestion(path[1], known) + addition(path, value));
    }
    Node result = set(tree, path, 0, value);
    const Node* models = result.find("models");
    if (path[0] == "train" && models && models->is_mapping()) {
      result = result.with(
          {"models", set_in_rows(*models, path, value), result.find_entry("models")->key_location});
    }
    return failed ? tree : result;
  }
};

// Whether a value was written with more than YAML reads as its text.
bool loses_text(const Node& value, const std::string& text) {
  if (value.is_scalar()) return !value.quoted() && trim(text) != value.text();
  if (!value.is_null()) return false;
  const auto written = trim(text);
  return !written.empty() && written != "~" && ascii_lower(std::string(written)) != "null";
}

}  // namespace

bool is_fixed_key(const std::string& key) {
  return key == "lvtext" || key == "base" || key == "profiles";
}

Node apply_values(Node tree, const std::vector<PathValue>& values, Errors& errors,
                  const std::vector<std::string>& keys) {
  for (const auto& [text, value, location] : values) {
    Override override{location, errors, keys};
    Path path = split(text, '.');
    const bool has_gap =
        std::any_of(path.begin(), path.end(), [](const auto& part) { return part.empty(); });
    if (has_gap || path.size() > kMaxDepth) {
      override.refuse(tree, shown(text) + " is not a path of keys", "such as train.batch.size");
      continue;
    }
    tree = override.apply(tree, path, value);
  }
  return tree;
}

Node apply_overrides(Node tree, const std::vector<std::string>& overrides, Errors& errors,
                     const std::vector<std::string>& keys) {
  for (size_t i = 0; i < overrides.size(); ++i) {
    size_t equals = overrides[i].find('=');
    auto source = std::make_shared<const Source>(
        Source{"command line, override " + std::to_string(i + 1),
               equals == std::string::npos ? "" : overrides[i].substr(equals + 1), true});
    Override override{{source, 1, 1, 1}, errors, keys};
    std::string key(trim(overrides[i].substr(0, equals)));
    Path path = split(key, '.');
    bool has_gap = std::any_of(path.begin(), path.end(), [](auto& part) { return part.empty(); });
    if (equals == std::string::npos || key.empty() || has_gap || path.size() > kMaxDepth) {
      override.refuse(tree, shown(overrides[i]) + " is not an override", "write key.path=value");
      continue;
    }
    size_t before = errors.count();
    Node value = parse_yaml(source, errors);
    if (errors.count() != before) continue;
    if (loses_text(value, source->text)) {
      override.refuse(
          tree,
          "YAML reads " + shown(source->text) + " as " +
              (value.is_null() ? "nothing" : shown(value.text())) +
              ": it has a tag (!), an anchor (&), a directive (%, ---) or a comment (#)",
          as_text_hint(source->text));
      continue;
    }
    tree = override.apply(tree, path, value);
  }
  return tree;
}

}  // namespace lvtext
