// Conversion of field values from and to nodes, and the visitor Reader.
#include <algorithm>
#include <cmath>

#include "framework/core/base/characters.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"
#include "framework/core/options/options.h"
#include "framework/core/options/yaml.h"

namespace lvtext {
namespace options_detail {
namespace {

std::string given(const Node& node) {
  if (node.is_null()) return "nothing";
  if (node.is_sequence()) return "a list";
  if (node.is_mapping()) return "a mapping";
  return (node.quoted() ? "the string " : "") + shown(node.text());
}

std::string quoted_path(const ParseContext& context) {
  return context.path.empty() ? "the options" : "'" + context.path + "'";
}

// Hint for a reference to an axis outside a loop, which keeps it as written; "" for other values.
std::string loop_hint(const Node& node) {
  const std::string& text = node.text();
  const size_t begin = text.starts_with("$(") ? 2 : 1;
  size_t end = begin;
  while (end < text.size() && is_name_character(text[end])) ++end;
  if (!text.starts_with("$") || end == begin || is_digit(text[begin])) return "";
  return "an axis is replaced only in entries with `over`; add over: " +
         text.substr(begin, end - begin);
}

bool refuse(const ParseContext& context, const std::string& requested,
            const std::string& hint = "") {
  const std::string loop = loop_hint(context.node);
  context.errors.add(
      context.node.location(),
      quoted_path(context) + " must be " + requested + ", got " + given(context.node),
      loop.empty() ? hint : loop);
  return false;
}

// A type with its written forms and its range.
std::string with_range(const std::string& type, const Rules& rules) {
  const std::string forms = type == "int"      ? "a whole number such as 12 or -3"
                            : type == "number" ? "a number such as 12, -0.5 or 1e-4"
                                               : type;
  std::string range = rules.range();
  return range.empty() ? forms : forms + ", " + range;
}

// Hint for a scalar that is not a valid number.
std::string number_hint(const Node& node, const std::string& type, const Rules& rules) {
  if (!node.is_scalar()) return "allowed: " + with_range(type, rules);
  const std::string& text = node.text();
  if (node.quoted() && is_number_form(text)) return "remove the quotes: " + text;
  if (is_number_form(text)) {
    if (type == "int" && text.find_first_of(".eE") != std::string::npos) {
      return "allowed: " + with_range("a whole number without '.' or exponent", rules);
    }
    return type == "int" ? "it does not fit in 64 bits" : "it is out of the range of float64";
  }
  std::string plain = text;
  std::erase(plain, '_');
  size_t zeros = plain.find_first_not_of('0');
  if (zeros != std::string::npos && zeros > 0) plain = plain.substr(zeros);
  if (plain.starts_with("+")) plain = plain.substr(1);
  if (plain.starts_with(".")) plain = "0" + plain;
  if (plain.ends_with(".")) plain.pop_back();
  if (type == "number" && std::count(plain.begin(), plain.end(), ',') == 1) {
    std::replace(plain.begin(), plain.end(), ',', '.');
  }
  if (plain != text && is_number_form(plain)) return "write " + plain;
  return "allowed: " + with_range(type, rules);
}

bool check_range(const ParseContext& context, double value, const std::string& printed) {
  if (context.rules.contains(value)) return true;
  context.errors.add(
      context.node.location(),
      quoted_path(context) + " must be " + context.rules.range() + ", got " + printed,
      context.rules.unit.empty() ? "" : "unit: " + context.rules.unit);
  return false;
}

/// Limits of magnitude. Computations use float32: values outside its range are rejected here
/// instead of causing overflow or underflow in a kernel.
constexpr double kMaxNumber = 1e30;
constexpr double kMinNumber = 1e-30;

bool is_computable(double value) {
  const double size = std::abs(value);
  return value == 0 || (size >= kMinNumber && size <= kMaxNumber);
}

bool is_special_number(const std::string& text) {
  return text == ".nan" || text == ".inf" || text == "-.inf";
}

// Whether a scalar is a value of a type with few values, so that the field is probably meant.
bool is_value_of(const TypeSchema& type, const Rules& rules, const Node& node) {
  Errors ignored;
  const ParseContext context{node, "", rules, ignored};
  switch (type.kind) {
    case TypeSchema::Kind::kInt: {
      int64_t value = 0;
      return read(context, value);
    }
    case TypeSchema::Kind::kNumber: {
      double value = 0;
      return read(context, value);
    }
    case TypeSchema::Kind::kPeriod: {
      Period value;
      return read(context, value);
    }
    case TypeSchema::Kind::kEnum:
      return std::any_of(type.names.begin(), type.names.end(),
                         [&](const TypeSchema::Name& each) { return each.name == node.text(); });
    case TypeSchema::Kind::kOptional: return is_value_of(type.element[0], rules, node);
    default: return false;
  }
}

// The path of the option that `context` gives without the name of a map's entry:
// "optimizers.default.lr" for optimizers.lr; "" if it gives none.
std::string named_path(const ParseContext& context, const Schema& schema) {
  if (!context.map) return "";
  const std::string& above = context.map->path;
  const std::string key = context.path.substr(above.empty() ? 0 : above.size() + 1);
  const auto& fields = schema.fields;
  const auto& entries = context.map->node.entries();
  const auto named = std::find_if(entries.begin(), entries.end(), [](const Node::Entry& entry) {
    return entry.value.is_mapping();
  });
  const bool is_field = std::any_of(fields.begin(), fields.end(),
                                    [&](const FieldSchema& field) { return field.key == key; });
  if (!is_field || named == entries.end()) return "";
  return child_path(child_path(above, named->key), key);
}

bool contains_word(const std::string& text, const std::string& word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_name_character(text[at - 1]);
    if (begins && (end == text.size() || !is_name_character(text[end]))) return true;
  }
  return false;
}

// The location of the last override of a value or of one within it; none if there is none.
std::optional<SourceLocation> override_of(const Node& value) {
  std::optional<SourceLocation> last;
  const SourceLocation& own = value.location();
  if (own.source && own.source->is_override) last = own;
  for (const Node& item : value.items()) {
    if (auto found = override_of(item)) last = std::move(found);
  }
  for (const Node::Entry& entry : value.entries()) {
    if (auto found = override_of(entry.value)) last = std::move(found);
  }
  return last;
}

}  // namespace

std::string child_path(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

bool read(const ParseContext& context, bool& value) {
  const std::string& text = context.node.text();
  if (context.node.is_scalar() && !context.node.quoted() && (text == "true" || text == "false")) {
    value = text == "true";
    return true;
  }
  const std::string lower = ascii_lower(text);
  bool yes = lower == "yes" || lower == "on" || lower == "true" || lower == "1";
  bool no = lower == "no" || lower == "off" || lower == "false" || lower == "0";
  return refuse(context, "true or false", yes ? "write true" : no ? "write false" : "");
}

bool read(const ParseContext& context, int64_t& value) {
  std::optional<int64_t> number;
  if (context.node.is_scalar() && !context.node.quoted()) number = parse_int(context.node.text());
  if (!number) return refuse(context, "an int", number_hint(context.node, "int", context.rules));
  if (!check_range(context, static_cast<double>(*number), context.node.text())) return false;
  value = *number;
  return true;
}

bool read(const ParseContext& context, double& value) {
  std::optional<double> number;
  if (context.node.is_scalar() && !context.node.quoted()) {
    number = parse_number(context.node.text());
    if (is_special_number(context.node.text())) return refuse(context, "a finite number");
  }
  if (!number)
    return refuse(context, "a number", number_hint(context.node, "number", context.rules));
  if (!check_range(context, *number, context.node.text())) return false;
  if (!is_computable(*number)) {
    return refuse(context, "0 or have a magnitude from " + format_number(kMinNumber) + " to " +
                               format_number(kMaxNumber));
  }
  value = *number;
  return true;
}

bool read(const ParseContext& context, std::string& value) {
  if (!context.node.is_scalar()) {
    const auto& source = context.node.location().source;
    const bool is_override = source && source->is_override && !context.node.is_null();
    return refuse(context, "a string", is_override ? as_text_hint(source->text) : "");
  }
  if (!check_not_empty(context, context.node.text().empty())) return false;
  const std::vector<std::string>& names = context.rules.names;
  if (!names.empty() && !read_name(context, names)) return false;
  value = context.node.text();
  return true;
}

bool read(const ParseContext& context, Period& value) {
  std::optional<Period> period;
  if (context.node.is_scalar()) period = Period::parse(context.node.text());
  if (!period) {
    return refuse(
        context, "a period with its unit",
        "units: " + period_units() + "; such as 500u (updates), 2e (epochs), 10Mt, 30min");
  }
  if (!check_range(context, period->amount, shown(context.node.text()))) return false;
  value = *period;
  return true;
}

bool read(const ParseContext& context, StopRule& value) {
  std::string text = context.node.text();
  if (context.node.is_sequence()) {
    std::vector<std::string> parts;
    for (const Node& item : context.node.items()) parts.push_back(item.text());
    text = join(parts, ",");
  }
  std::optional<StopRule> rule = StopRule::parse(text);
  if (!rule) {
    return refuse(context, "one or more periods, each unit at most once",
                  "units: " + period_units() +
                      "; such as 20e, or 20e,30min (stops at the first that is reached)");
  }
  value = *rule;
  return true;
}

bool read(const ParseContext& context, Node& value) {
  value = context.node;
  return true;
}

std::optional<size_t> read_name(const ParseContext& context,
                                const std::vector<std::string>& names) {
  if (context.node.is_scalar()) {
    auto found = std::find(names.begin(), names.end(), context.node.text());
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
  }
  std::optional<std::string> near = nearest(context.node.text(), names);
  refuse(context, "one of " + join(names), near ? "did you mean '" + *near + "'?" : "");
  return std::nullopt;
}

bool expect_mapping(const ParseContext& context) {
  return context.node.is_mapping() || refuse(context, "a mapping of keys");
}

void refuse_value(const ParseContext& context, const Schema& schema) {
  const Node& node = context.node;
  const std::string path = named_path(context, schema);
  std::vector<std::string> keys;
  std::string example;
  for (const FieldSchema& field : schema.fields) {
    keys.push_back(field.key);
    if (example.empty() && node.is_scalar() && is_value_of(field.type, field.rules, node)) {
      example = "; such as {" + field.key + ": " + node.text() + "}";
    }
  }
  refuse(context, "a mapping of keys",
         !path.empty()  ? "did you mean '" + path + "'?"
         : keys.empty() ? ""
                        : "allowed: " + join(keys) + example);
}

std::vector<Node> list_items(const ParseContext& context) {
  if (context.node.is_sequence()) return context.node.items();
  if (context.node.is_null()) return {};
  return {context.node};
}

bool check_not_empty(const ParseContext& context, bool is_empty) {
  if (!context.rules.not_empty || !is_empty) return true;
  context.errors.add(context.node.location(), quoted_path(context) + " must not be empty");
  return false;
}

Node write(bool value) {
  return Node::scalar(value ? "true" : "false");
}
Node write(int64_t value) {
  return Node::scalar(std::to_string(value));
}
Node write(double value) {
  if (std::isnan(value)) return Node::scalar(".nan");
  if (std::isinf(value)) return Node::scalar(value > 0 ? ".inf" : "-.inf");
  return Node::scalar(format_number(value));
}
Node write(const std::string& value) {
  return Node::scalar(value, true);
}
Node write(const Period& value) {
  return Node::scalar(value.text(), true);
}
Node write(const StopRule& value) {
  return value.any.empty() ? Node() : Node::scalar(value.text(), true);
}
Node write(const Node& value) {
  return value;
}

}  // namespace options_detail

std::function<void(const std::string& path, const SourceLocation& context)> on_option_taken;

namespace {

/// Maximum number of paths in a suggestion.
constexpr size_t kMaxSuggestedPaths = 4;
/// Number of mistakes up to which misplaced keys are searched for: a file may have 100,000.
constexpr size_t kSearchedMistakes = 100;

}  // namespace

const Node::Entry* Reader::take(const std::string& key) {
  taken_.push_back(key);
  const Node::Entry* entry = mapping_.find_entry(key);
  if (entry && on_option_taken) {
    on_option_taken(options_detail::child_path(path_, key), entry->key_location);
  }
  return entry;
}

void Reader::report_missing(const FieldSchema& field) {
  errors_.add(mapping_.location(),
              "missing key '" + options_detail::child_path(path_, field.key) + "'",
              field.summary() + ": " + field.help);
}

// An override of a field that `message` names, or of any field if it names none, is the cause: the
// file alone was valid.
SourceLocation Reader::cause(const std::string& message) const {
  std::optional<SourceLocation> of_named, of_any;
  bool names_field = false;
  for (const std::string& key : taken_) {
    const bool is_named = options_detail::contains_word(message, key);
    names_field = names_field || is_named;
    const Node* value = mapping_.find(key);
    if (!value) continue;
    const auto found = options_detail::override_of(*value);
    if (found) of_any = found;
    if (found && is_named) of_named = found;
  }
  const auto& found = names_field ? of_named : of_any;
  return found.value_or(mapping_.location());
}

void Reader::check(bool holds, const std::string& message) {
  if (holds || errors_.count() != errors_before_) return;
  errors_.add(cause(message), path_.empty() ? message : "in '" + path_ + "': " + message);
}

bool Reader::has_unknown() const {
  for (const Node::Entry& entry : mapping_.entries()) {
    if (std::find(taken_.begin(), taken_.end(), entry.key) == taken_.end()) return true;
  }
  return false;
}

void Reader::report_unknown(const Schema& schema) const {
  std::vector<std::string> names;
  for (const FieldSchema& field : schema.fields) names.push_back(field.key);
  for (const Node::Entry& entry : mapping_.entries()) {
    if (std::find(taken_.begin(), taken_.end(), entry.key) != taken_.end()) continue;
    std::string hint = names.empty() ? "no options are allowed here" : "allowed: " + join(names);
    // Compute edit distances only for short keys: an adversarial key may be as long as the file.
    std::optional<std::string> near;
    if (entry.key.size() <= 100) near = nearest(entry.key, names);
    std::vector<std::string> below;
    if (!near && errors_.count() < kSearchedMistakes) {
      below = nested_paths(schema, mapping_, entry.key);
    }
    if (!below.empty() && below.size() <= kMaxSuggestedPaths) {
      std::vector<std::string> paths;
      for (const auto& path : below) {
        paths.push_back("'" + options_detail::child_path(path_, path) + "'");
      }
      hint = "did you mean " + join(paths, " or ") + "?";
    }
    for (const FieldSchema& field : schema.fields) {
      if (near != field.key) continue;
      const bool is_part = field.type.kind == TypeSchema::Kind::kAny;  // parsed by its owner
      hint = "did you mean '" + *near + "'?" + (is_part ? "" : " (" + field.summary() + ")");
    }
    errors_.add(entry.key_location,
                "unknown key " + shown(options_detail::child_path(path_, entry.key)), hint);
  }
}

}  // namespace lvtext
