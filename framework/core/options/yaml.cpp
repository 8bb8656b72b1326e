#include "framework/core/options/yaml.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/utf8.h"

namespace lvtext {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr size_t kMaxNodes = 100000;
constexpr size_t kMaxDepth = 64;
// YAML limits a key on one line to 1024 characters; a written byte has at most six (\u0001).
constexpr size_t kMaxKeyBytes = 160;

// An error that ends parsing.
struct Refusal {
  SourceLocation location;
  std::string message, hint;
};

// The bracket of a flow collection that is not closed, or closed by the other bracket; brackets and
// quotes within plain text are skipped. yaml-cpp reports it at a later and unrelated location.
std::optional<Refusal> find_unclosed(const std::shared_ptr<const Source>& source) {
  struct Open {
    char closing;
    SourceLocation location;
  };
  std::vector<Open> open;
  const std::string& text = source->text;
  int line = 1;
  size_t line_start = 0;
  char quote = '\0';   // the quotes of the scalar that contains text[i]
  bool begins = true;  // a value may begin here
  bool is_comment = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      line_start = i + 1;
      is_comment = false;
      begins = true;
    } else if (is_comment) {
      continue;
    } else if (quote != '\0') {
      const bool is_last = i + 1 == text.size() || text[i + 1] == '\n';
      const bool escapes = quote == '"' ? c == '\\' && !is_last : text.compare(i, 2, "''") == 0;
      if (escapes) {
        ++i;
      } else if (c == quote) {
        quote = '\0';
      }
    } else if (c == '#' && (i == line_start || text[i - 1] == ' ')) {
      is_comment = true;
    } else if (begins && (c == '"' || c == '\'')) {
      quote = c;
      begins = false;
    } else if ((c == '[' || c == '{') && (begins || !open.empty())) {
      const int column = static_cast<int>(i - line_start) + 1;
      open.push_back({c == '[' ? ']' : '}', {source, line, column, 1}});
      begins = true;
    } else if ((c == ']' || c == '}') && !open.empty()) {
      if (open.back().closing != c) break;
      open.pop_back();
      begins = false;
    } else if (c != ' ') {
      const bool ends = i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\n';
      begins = c == ',' || ((c == ':' || c == '-') && ends);
    }
  }
  if (open.empty()) return std::nullopt;
  return Refusal{open.back().location,
                 std::string("not valid YAML: a closing ") + open.back().closing + " is missing",
                 source->is_override ? as_text_hint(source->text) : ""};
}

// Builds a Node from yaml-cpp's events. yaml-cpp's own tree silently accepts duplicate keys and
// cycles, and an alias bomb is detectable only by traversing it.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  Node take_root() { return root_.value_or(Node::null(SourceLocation{source_, 1, 1, 1})); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!root_) return;
    throw Refusal{at(mark), "a second document begins here", "a file must contain one document"};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    SourceLocation location = at(mark);
    charge(location, 1);
    if (expects_key()) throw Refusal{location, "a key must not be empty", "write key: value"};
    // yaml-cpp locates an absent value at the next token; use the location of its key instead.
    if (!frames_.empty() && frames_.back().is_mapping) location = frames_.back().key_location;
    finish({Node::null(location), 1, 1}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    SourceLocation location = at(mark);
    auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw Refusal{location, "this alias refers to the value that contains it",
                    "cycles are not allowed"};
    }
    charge(location, found->second.nodes);
    if (frames_.size() + found->second.height > kMaxDepth) refuse_depth(location);
    if (expects_key()) throw Refusal{location, "a key must not be an alias", "write it out"};
    finish(found->second, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    bool quoted = tag == "!";
    if (!quoted && tag != "?") refuse_tag(at(mark), tag);
    SourceLocation location = at(mark);
    location.width = static_cast<int>(value.size()) + (quoted ? 2 : 0);
    charge(location, 1);
    if (expects_key()) {
      set_key(location, value, quoted);
      if (anchor) throw Refusal{location, "a key must not have an anchor", "remove the &name"};
    } else {
      finish({Node::scalar(value, quoted, location), 1, 1}, anchor);
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
  // A parsed value, with its number of nodes and levels after expanding aliases.
  struct Value {
    Node node;
    size_t nodes, height;
  };
  struct Frame {
    bool is_mapping;
    SourceLocation location;
    YAML::anchor_t anchor;
    std::vector<Node> items;
    std::vector<Node::Entry> entries;
    std::map<std::string, int> lines;  // key -> line, for duplicates
    bool has_key = false;
    std::string key;
    SourceLocation key_location;
    size_t nodes = 1, height = 0;
  };

  SourceLocation at(const YAML::Mark& mark) const {
    return {source_, mark.line + 1, mark.column + 1, 1};
  }

  bool expects_key() const {
    return !frames_.empty() && frames_.back().is_mapping && !frames_.back().has_key;
  }

  void charge(const SourceLocation& location, size_t nodes) {
    nodes_ += nodes;
    if (nodes_ <= kMaxNodes) return;
    throw Refusal{location, "more than 100,000 values after expanding aliases",
                  "the limit is 100,000"};
  }

  [[noreturn]] static void refuse_depth(const SourceLocation& location) {
    throw Refusal{location, "nested deeper than 64 levels", "the limit is 64"};
  }
  [[noreturn]] static void refuse_tag(const SourceLocation& location, const std::string& tag) {
    throw Refusal{location, "the tag " + shown(tag) + " is not supported", "remove the tag"};
  }

  void set_key(const SourceLocation& location, const std::string& key, bool quoted) {
    Frame& frame = frames_.back();
    if (key == "<<" && !quoted) {
      throw Refusal{location, "the merge key '<<' is not supported",
                    "'base: FILE' inherits from another recipe"};
    }
    if (key.size() > kMaxKeyBytes) {
      throw Refusal{location, "a key of " + std::to_string(key.size()) + " bytes",
                    "the limit is " + std::to_string(kMaxKeyBytes)};
    }
    auto [found, is_new] = frame.lines.emplace(key, location.line);
    if (!is_new) {
      throw Refusal{location, "duplicate key " + shown(key),
                    "first at line " + std::to_string(found->second)};
    }
    frame.key = key;
    frame.key_location = location;
    frame.has_key = true;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, bool mapping) {
    SourceLocation location = at(mark);
    if (tag != "?" && !tag.empty()) refuse_tag(location, tag);
    charge(location, 1);
    if (frames_.size() >= kMaxDepth) refuse_depth(location);
    if (expects_key()) {
      if (auto unclosed = find_unclosed(source_)) throw std::move(*unclosed);
      throw Refusal{location, "a key must be a scalar", "write key: value"};
    }
    Frame frame{};
    frame.is_mapping = mapping;
    frame.location = location;
    frame.anchor = anchor;
    frames_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    Node node = frame.is_mapping ? Node::mapping(std::move(frame.entries), frame.location)
                                 : Node::sequence(std::move(frame.items), frame.location);
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
      frame.entries.push_back({frame.key, value.node, frame.key_location});
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

// Finds errors that yaml-cpp accepts or reports unclearly.
std::optional<Refusal> check_bytes(const std::shared_ptr<const Source>& source) {
  const std::string& text = source->text;
  if (text.size() > kMaxBytes) {
    return Refusal{{source, 1, 1, 1}, "larger than 1 MiB", "the limit is 1 MiB"};
  }
  if (text.starts_with("\xef\xbb\xbf")) {
    return Refusal{{source, 1, 1, 1}, "a byte order mark", "save the file as UTF-8 without BOM"};
  }
  const auto problem = find_invalid_utf8(text);
  int line = 1;
  size_t line_start = 0;
  bool indenting = true;
  for (size_t i = 0; i < text.size(); ++i) {
    auto here = [&] {
      return SourceLocation{source, line, static_cast<int>(i - line_start) + 1, 1};
    };
    const char c = text[i];
    if (problem && problem->at == i && c != '\0') {
      return Refusal{here(), std::string("invalid UTF-8: ") + problem->what,
                     "save the file as UTF-8"};
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
    errors.add(refusal->location, refusal->message, refusal->hint);
    return Node::null(refusal->location);
  }
  SourceLocation start{source, 1, 1, 1};
  try {
    std::istringstream stream(source->text);
    YAML::Parser parser(stream);
    Builder builder(source);
    if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
    return builder.take_root();
  } catch (const Refusal& refusal) {
    errors.add(refusal.location, refusal.message, refusal.hint);
  } catch (const YAML::DeepRecursion& error) {
    errors.add({source, error.mark.line + 1, error.mark.column + 1, 1},
               "nested deeper than 64 levels", "the limit is 64");
  } catch (const YAML::Exception& error) {
    if (const auto unclosed = find_unclosed(source)) {
      errors.add(unclosed->location, unclosed->message, unclosed->hint);
      return Node::null(start);
    }
    bool located = !error.mark.is_null();
    errors.add(
        located ? SourceLocation{source, error.mark.line + 1, error.mark.column + 1, 1} : start,
        "not valid YAML: " + error.msg,
        std::string("a comma or a bracket may be missing; ") +
            (source->is_override ? as_text_hint(source->text)
                                 : "quote text that contains : # [ ] { } or starts with * &"));
  }
  return Node::null(start);
}

std::string as_text_hint(const std::string& value) {
  std::string text;
  for (const char c : value)
    text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return "to give it as text, quote it for YAML and for the shell: KEY='\"" + text + "\"'";
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
    SourceLocation location{source, 1, 1, 1};
    errors.add(location, "larger than 1 MiB", "the limit is 1 MiB");
    return Node::null(location);
  }
  return parse_yaml(std::make_shared<const Source>(Source{shown_name, read_file(path), false}),
                    errors);
}

}  // namespace lvtext
