// Options trees, parsed from YAML: immutable, with the location of every key and value.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lvtext {

/// A source of values: a file, or an override on the command line.
struct Source {
  std::string name;          // the path as given by the user, or "command line, override 2"
  std::string text;          // for excerpts in error messages
  bool is_override = false;  // its errors have the exit code 64
};

/// A location in a source. Lines and columns start at 1; line 0: no location (a default).
struct SourceLocation {
  std::shared_ptr<const Source> source;
  int line = 0;
  int column = 0;
  int width = 1;  // bytes to underline

  /// "recipes/x.yaml:14:5", "command line, override 2", or "" for a default.
  std::string text() const;
};

/// A value in an options tree: null, a scalar, a sequence or a mapping (in the order of the file).
/// Immutable; copies share the content.
class Node {
 public:
  enum class Kind { kNull, kScalar, kSequence, kMapping };
  struct Entry;

  /// Null, without a location.
  Node();
  /// A scalar. `quoted`: its text is a string, even if it has the form of a number or bool.
  static Node scalar(std::string text, bool quoted = false, SourceLocation location = {});
  static Node sequence(std::vector<Node> items, SourceLocation location = {});
  /// Keys must be unique.
  static Node mapping(std::vector<Entry> entries, SourceLocation location = {});
  static Node null(SourceLocation location);

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_scalar() const { return kind() == Kind::kScalar; }
  bool is_sequence() const { return kind() == Kind::kSequence; }
  bool is_mapping() const { return kind() == Kind::kMapping; }
  /// Text of a scalar; "" for other kinds.
  const std::string& text() const;
  bool quoted() const;
  /// Items of a sequence; empty for other kinds.
  const std::vector<Node>& items() const;
  /// Entries of a mapping; empty for other kinds.
  const std::vector<Entry>& entries() const;
  /// The value of a key, or null. Valid for the lifetime of this node.
  const Node* find(std::string_view key) const;
  const Entry* find_entry(std::string_view key) const;

  const SourceLocation& location() const;
  /// Where the value was written: "recipes/x.yaml:14", "profile cpu, recipes/x.yaml:40",
  /// "command line, override 1"; "" for a default.
  std::string origin() const;
  /// The same tree with the prefix "`layer`, " in the origin of every value.
  Node with_layer(const std::string& layer) const;

  /// A copy with the entry replaced or appended.
  Node with(Entry entry) const;
  /// A copy without the key.
  Node without(std::string_view key) const;

  /// The same tree with each scalar replaced by `replace(scalar)`.
  Node with_scalars(const std::function<Node(const Node&)>& replace) const;
  /// A scalar with another text at the same location.
  Node with_text(std::string text, bool quoted) const;

  /// Compares kinds, keys, order and scalars, but not locations.
  bool operator==(const Node& other) const;

 private:
  struct Content;
  explicit Node(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

/// A key and its value.
struct Node::Entry {
  std::string key;
  Node value;
  SourceLocation key_location;
};

/// Merges `over` into `under`: mappings are merged key by key; all other values, including lists
/// and mappings of `over` that have the key `type`, replace those of `under`. Keys of `under` come
/// first, in its order.
Node merge(const Node& under, const Node& over);

}  // namespace lvtext
