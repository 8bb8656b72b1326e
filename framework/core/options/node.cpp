#include "framework/core/options/node.h"

#include <map>

#include "framework/core/base/error.h"

namespace lvtext {

struct Node::Content {
  Kind kind = Kind::kNull;
  std::string text;
  bool quoted = false;
  std::vector<Node> items;
  std::vector<Entry> entries;
  SourceLocation location;
  std::string layer;
};

std::string SourceLocation::text() const {
  if (!source) return "";
  if (source->is_override || line == 0) return source->name;
  return source->name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

Node::Node() {
  static const auto null = std::make_shared<const Content>();
  content_ = null;
}

Node Node::scalar(std::string text, bool quoted, SourceLocation location) {
  return Node(std::make_shared<const Content>(
      Content{Kind::kScalar, std::move(text), quoted, {}, {}, std::move(location), ""}));
}

Node Node::sequence(std::vector<Node> items, SourceLocation location) {
  return Node(std::make_shared<const Content>(
      Content{Kind::kSequence, "", false, std::move(items), {}, std::move(location), ""}));
}

Node Node::mapping(std::vector<Entry> entries, SourceLocation location) {
  return Node(std::make_shared<const Content>(
      Content{Kind::kMapping, "", false, {}, std::move(entries), std::move(location), ""}));
}

Node Node::null(SourceLocation location) {
  return Node(std::make_shared<const Content>(
      Content{Kind::kNull, "", false, {}, {}, std::move(location), ""}));
}

Node::Kind Node::kind() const {
  return content_->kind;
}
const std::string& Node::text() const {
  return content_->text;
}
bool Node::quoted() const {
  return content_->quoted;
}
const std::vector<Node>& Node::items() const {
  return content_->items;
}
const std::vector<Node::Entry>& Node::entries() const {
  return content_->entries;
}
const SourceLocation& Node::location() const {
  return content_->location;
}

const Node::Entry* Node::find_entry(std::string_view key) const {
  for (const Entry& entry : content_->entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

const Node* Node::find(std::string_view key) const {
  const Entry* entry = find_entry(key);
  return entry ? &entry->value : nullptr;
}

std::string Node::origin() const {
  const SourceLocation& location = content_->location;
  if (!location.source) return "";
  std::string text = location.source->name;
  if (!location.source->is_override) text += ":" + std::to_string(location.line);
  return content_->layer.empty() ? text : content_->layer + ", " + text;
}

Node Node::with_layer(const std::string& layer) const {
  Content copy = *content_;
  copy.layer = layer;
  for (Node& item : copy.items) item = item.with_layer(layer);
  for (Entry& entry : copy.entries) entry.value = entry.value.with_layer(layer);
  return Node(std::make_shared<const Content>(std::move(copy)));
}

Node Node::with(Entry entry) const {
  LVT_ASSERT(is_mapping(), "an entry was set in a node that is not a mapping");
  Content copy = *content_;
  for (Entry& each : copy.entries) {
    if (each.key == entry.key) {
      each = std::move(entry);
      return Node(std::make_shared<const Content>(std::move(copy)));
    }
  }
  copy.entries.push_back(std::move(entry));
  return Node(std::make_shared<const Content>(std::move(copy)));
}

Node Node::without(std::string_view key) const {
  Content copy = *content_;
  std::erase_if(copy.entries, [&](const Entry& entry) { return entry.key == key; });
  return Node(std::make_shared<const Content>(std::move(copy)));
}

Node Node::with_scalars(const std::function<Node(const Node&)>& replace) const {
  if (is_scalar()) return replace(*this);
  Content copy = *content_;
  for (Node& item : copy.items) item = item.with_scalars(replace);
  for (Entry& entry : copy.entries) entry.value = entry.value.with_scalars(replace);
  return Node(std::make_shared<const Content>(std::move(copy)));
}

Node Node::with_text(std::string text, bool quoted) const {
  Content copy = *content_;
  copy.kind = Kind::kScalar;
  copy.text = std::move(text);
  copy.quoted = quoted;
  return Node(std::make_shared<const Content>(std::move(copy)));
}

bool Node::operator==(const Node& other) const {
  const Content& a = *content_;
  const Content& b = *other.content_;
  if (&a == &b) return true;
  if (a.kind != b.kind || a.text != b.text || a.quoted != b.quoted || a.items != b.items) {
    return false;
  }
  if (a.entries.size() != b.entries.size()) return false;
  for (size_t i = 0; i < a.entries.size(); ++i) {
    if (a.entries[i].key != b.entries[i].key || !(a.entries[i].value == b.entries[i].value)) {
      return false;
    }
  }
  return true;
}

Node merge(const Node& under, const Node& over) {
  if (!under.is_mapping() || !over.is_mapping() || over.find("type")) return over;
  std::vector<Node::Entry> entries = under.entries();
  std::map<std::string_view, size_t> index;
  for (size_t i = 0; i < under.entries().size(); ++i) index[under.entries()[i].key] = i;
  for (const Node::Entry& entry : over.entries()) {
    auto found = index.find(entry.key);
    if (found == index.end()) {
      entries.push_back(entry);
    } else {
      Node::Entry& location = entries[found->second];
      location = {entry.key, merge(location.value, entry.value), entry.key_location};
    }
  }
  return Node::mapping(std::move(entries), over.location());
}

}  // namespace lvtext
