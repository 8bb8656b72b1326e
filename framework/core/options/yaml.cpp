#include "framework/core/options/yaml.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/utf8.h"

namespace lvtext {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr size_t kMaxNodes = 100000;
constexpr size_t kMaxDepth = 64;

// A mistake that ends the parse.
struct Refusal {
  Mark mark;
  std::string message, hint;
};

// Builds a Node from yaml-cpp's events. yaml-cpp's own tree would accept duplicate keys and cycles
// without a word, and would show an alias bomb only when it is traversed.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  Node take_root() { return root_.value_or(Node::null(Mark{source_, 1, 1, 1})); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!root_) return;
    throw Refusal{at(mark), "a second document begins here", "one file holds one document"};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Mark place = at(mark);
    charge(place, 1);
    if (expects_key()) throw Refusal{place, "a key must not be empty", "write key: value"};
    // yaml-cpp places an absent value at the next token: the key is the better place.
    if (!frames_.empty() && frames_.back().is_mapping) place = frames_.back().key_mark;
    finish({Node::null(place), 1, 1}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Mark place = at(mark);
    auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw Refusal{place, "this alias refers to the value that it stands in",
                    "cycles are refused"};
    }
    charge(place, found->second.nodes);
    if (frames_.size() + found->second.height > kMaxDepth) refuse_depth(place);
    if (expects_key()) throw Refusal{place, "a key must not be an alias", "write it out"};
    finish(found->second, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    bool quoted = tag == "!";
    if (!quoted && tag != "?") refuse_tag(at(mark), tag);
    Mark place = at(mark);
    place.width = static_cast<int>(value.size()) + (quoted ? 2 : 0);
    charge(place, 1);
    if (expects_key()) {
      set_key(place, value, quoted);
      if (anchor) throw Refusal{place, "a key must not have an anchor", "remove the &name"};
    } else {
      finish({Node::scalar(value, quoted, place), 1, 1}, anchor);
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, false);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, true);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  // A finished value with the number of nodes and levels that it holds, aliases written out.
  struct Value {
    Node node;
    size_t nodes, height;
  };
  struct Frame {
    bool is_mapping;
    Mark mark;
    YAML::anchor_t anchor;
    std::vector<Node> items;
    std::vector<Node::Entry> entries;
    std::map<std::string, int> lines;  // key -> line, for duplicates
    bool has_key = false;
    std::string key;
    Mark key_mark;
    size_t nodes = 1, height = 0;
  };

  Mark at(const YAML::Mark& mark) const { return {source_, mark.line + 1, mark.column + 1, 1}; }

  bool expects_key() const {
    return !frames_.empty() && frames_.back().is_mapping && !frames_.back().has_key;
  }

  void charge(const Mark& place, size_t nodes) {
    nodes_ += nodes;
    if (nodes_ <= kMaxNodes) return;
    throw Refusal{place, "more than 100,000 values, aliases written out", "the limit is 100,000"};
  }

  [[noreturn]] static void refuse_depth(const Mark& place) {
    throw Refusal{place, "nested deeper than 64 levels", "the limit is 64"};
  }
  [[noreturn]] static void refuse_tag(const Mark& place, const std::string& tag) {
    throw Refusal{place, "the tag " + shown(tag) + " is not supported", "remove the tag"};
  }

  void set_key(const Mark& place, const std::string& key, bool quoted) {
    Frame& frame = frames_.back();
    if (key == "<<" && !quoted) {
      throw Refusal{place, "the merge key '<<' is not supported",
                    "'base: FILE' inherits from another recipe"};
    }
    auto [found, is_new] = frame.lines.emplace(key, place.line);
    if (!is_new) {
      throw Refusal{place, "duplicate key " + shown(key),
                    "first at line " + std::to_string(found->second)};
    }
    frame.key = key;
    frame.key_mark = place;
    frame.has_key = true;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, bool mapping) {
    Mark place = at(mark);
    if (tag != "?" && !tag.empty()) refuse_tag(place, tag);
    charge(place, 1);
    if (frames_.size() >= kMaxDepth) refuse_depth(place);
    if (expects_key()) throw Refusal{place, "a key must be a single word", "write key: value"};
    Frame frame{};
    frame.is_mapping = mapping;
    frame.mark = place;
    frame.anchor = anchor;
    frames_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    Node node = frame.is_mapping ? Node::mapping(std::move(frame.entries), frame.mark)
                                 : Node::sequence(std::move(frame.items), frame.mark);
    finish({std::move(node), frame.nodes, frame.height + 1}, frame.anchor);
  }

  void finish(Value value, YAML::anchor_t anchor) {
    if (anchor) anchors_.insert_or_assign(anchor, value);
    if (frames_.empty()) {
      root_ = value.node;
      return;
    }
    Frame& frame = frames_.back();
    frame.nodes += value.nodes;
    frame.height = std::max(frame.height, value.height);
    if (frame.is_mapping) {
      frame.entries.push_back({frame.key, value.node, frame.key_mark});
      frame.has_key = false;
    } else {
      frame.items.push_back(value.node);
    }
  }

  std::shared_ptr<const Source> source_;
  std::optional<Node> root_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Value> anchors_;
  size_t nodes_ = 0;
};

// What yaml-cpp would accept or explain badly.
std::optional<Refusal> check_bytes(const std::shared_ptr<const Source>& source) {
  const std::string& text = source->text;
  if (text.size() > kMaxBytes) {
    return Refusal{{source, 1, 1, 1}, "larger than 1 MiB", "the limit is 1 MiB"};
  }
  if (text.starts_with("\xef\xbb\xbf")) {
    return Refusal{{source, 1, 1, 1}, "a byte order mark", "save the file as UTF-8 without BOM"};
  }
  const auto flaw = find_utf8_flaw(text);
  int line = 1;
  size_t line_start = 0;
  bool indenting = true;
  for (size_t i = 0; i < text.size(); ++i) {
    auto here = [&] { return Mark{source, line, static_cast<int>(i - line_start) + 1, 1}; };
    const char c = text[i];
    if (flaw && flaw->at == i && c != '\0') {
      return Refusal{here(), std::string("invalid UTF-8: ") + flaw->what, "save the file as UTF-8"};
    }
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
        c == 0x7f) {
      return Refusal{here(), "a control character", "remove it"};
    }
    if (c == '\t' && indenting) {
      return Refusal{here(), "a tab in the indentation", "indent with spaces"};
    }
    indenting = c == '\n' || (indenting && c == ' ');
    if (c == '\n') {
      ++line;
      line_start = i + 1;
    }
  }
  return std::nullopt;
}

}  // namespace

Node parse_yaml(const std::shared_ptr<const Source>& source, Errors& errors) {
  if (auto refusal = check_bytes(source)) {
    errors.add(refusal->mark, refusal->message, refusal->hint);
    return Node::null(refusal->mark);
  }
  Mark start{source, 1, 1, 1};
  try {
    std::istringstream stream(source->text);
    YAML::Parser parser(stream);
    Builder builder(source);
    if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
    return builder.take_root();
  } catch (const Refusal& refusal) {
    errors.add(refusal.mark, refusal.message, refusal.hint);
  } catch (const YAML::DeepRecursion& error) {
    errors.add({source, error.mark.line + 1, error.mark.column + 1, 1},
               "nested deeper than 64 levels", "the limit is 64");
  } catch (const YAML::Exception& error) {
    bool placed = !error.mark.is_null();
    errors.add(placed ? Mark{source, error.mark.line + 1, error.mark.column + 1, 1} : start,
               "not valid YAML: " + error.msg,
               "quote text that holds : # [ ] { } or starts with * &");
  }
  return Node::null(start);
}

Node parse_yaml_or_throw(const std::string& text, const std::string& name) {
  Errors errors;
  Node node = parse_yaml(std::make_shared<const Source>(Source{name, text, false}), errors);
  errors.throw_if_any();
  return node;
}

Node load_yaml(const std::filesystem::path& path, Errors& errors, const std::string& name) {
  std::string shown_name = name.empty() ? path.string() : name;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) &&
      std::filesystem::file_size(path, ignored) > kMaxBytes) {
    auto source = std::make_shared<const Source>(Source{shown_name, "", false});
    Mark mark{source, 1, 1, 1};
    errors.add(mark, "larger than 1 MiB", "the limit is 1 MiB");
    return Node::null(mark);
  }
  return parse_yaml(std::make_shared<const Source>(Source{shown_name, read_file(path), false}),
                    errors);
}

}  // namespace lvtext
