// The tree that a YAML text becomes: immutable, with the place of every key and value.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lvtext {

/// A text that values come from: a file, or one override of the command line.
struct Source {
  std::string name;          // a path as the user wrote it, or "command line, override 2"
  std::string text;          // for showing the line of an error
  bool is_override = false;  // its errors are the command line's (exit code 64)
};

/// A place in a source. Lines and columns count from 1; line 0: no place (a default).
struct SourceLocation {
  std::shared_ptr<const Source> source;
  int line = 0;
  int column = 0;
  int width = 1;  // bytes to underline

  /// "recipes/x.yaml:14:5", "command line, override 2", or "" for a default.
  std::string text() const;
};

/// One value of an options tree: null, a scalar, a sequence or a mapping (in the order of the
/// file). Copies share the content; nothing changes a node after it was made.
class Node {
 public:
  enum class Kind { kNull, kScalar, kSequence, kMapping };
  struct Entry;

  /// Null, without a place.
  Node();
  /// A scalar. `quoted` says that its text is a string whatever it looks like.
  static Node scalar(std::string text, bool quoted = false, SourceLocation location = {});
  static Node sequence(std::vector<Node> items, SourceLocation location = {});
  /// The keys must differ.
  static Node mapping(std::vector<Entry> entries, SourceLocation location = {});
  static Node null(SourceLocation location);

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_scalar() const { return kind() == Kind::kScalar; }
  bool is_sequence() const { return kind() == Kind::kSequence; }
  bool is_mapping() const { return kind() == Kind::kMapping; }
  /// The scalar's text; "" for other kinds.
  const std::string& text() const;
  bool quoted() const;
  /// A sequence's items; empty for other kinds.
  const std::vector<Node>& items() const;
  /// A mapping's entries; empty for other kinds.
  const std::vector<Entry>& entries() const;
  /// The value of a key, or nullptr. Valid as long as this node.
  const Node* find(std::string_view key) const;
  const Entry* find_entry(std::string_view key) const;

  const SourceLocation& location() const;
  /// Where the value was written: "recipes/x.yaml:14", "profile cpu, recipes/x.yaml:40",
  /// "command line, override 1"; "" for a default.
  std::string origin() const;
  /// The same tree whose every value says "`layer`, " before its origin.
  Node with_layer(const std::string& layer) const;

  /// A copy with the entry set (in place, or appended).
  Node with(Entry entry) const;
  /// A copy without the key.
  Node without(std::string_view key) const;

  /// The same tree with `replace(scalar)` in the place of each scalar.
  Node with_scalars(const std::function<Node(const Node&)>& replace) const;
  /// A scalar of another text at this one's place.
  Node with_text(std::string text, bool quoted) const;

  /// The same kinds, keys, order and scalars; places do not count.
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

/// `over` laid on `under`: mappings merge key by key, everything else (lists too) is replaced.
/// Keys of `under` come first, in its order.
Node merge(const Node& under, const Node& over);

}  // namespace lvtext
