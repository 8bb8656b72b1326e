// Conversion of field values from and to nodes, and the visitor Reader.
#include <algorithm>
#include <cmath>

#include "framework/core/base/characters.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"
#include "framework/core/options/options.h"

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

bool refuse(const ParseContext& context, const std::string& wanted, const std::string& hint = "") {
  context.errors.add(context.node.location(),
                     quoted_path(context) + " must be " + wanted + ", got " + given(context.node),
                     hint);
  return false;
}

std::string with_range(const std::string& type, const Rules& rules) {
  std::string range = rules.range();
  return range.empty() ? type : type + ", " + range;
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
constexpr double kLargestNumber = 1e30;
constexpr double kSmallestNumber = 1e-30;

bool is_computable(double value) {
  const double size = std::abs(value);
  return value == 0 || (size >= kSmallestNumber && size <= kLargestNumber);
}

bool is_special_number(const std::string& text) {
  return text == ".nan" || text == ".inf" || text == "-.inf";
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
    return refuse(context, "0 or have a magnitude from " + format_number(kSmallestNumber) + " to " +
                               format_number(kLargestNumber));
  }
  value = *number;
  return true;
}

bool read(const ParseContext& context, std::string& value) {
  if (!context.node.is_scalar()) return refuse(context, "a string");
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
    return refuse(context, "a period with its unit",
                  "such as 500u (updates), 2e (epochs), 10Mt, 30min");
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
                  "such as 20e, or 20e,30min (stops at the first that is reached)");
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

const Node::Entry* Reader::take(const std::string& key, const Rules& rules) {
  taken_.push_back(key);
  const Node::Entry* entry = mapping_.find_entry(key);
  if (!entry && rules.required) {
    errors_.add(mapping_.location(), "missing key '" + options_detail::child_path(path_, key) + "'",
                "it is required");
  }
  if (entry && on_option_taken) {
    on_option_taken(options_detail::child_path(path_, key), entry->key_location);
  }
  return entry;
}

void Reader::check(bool holds, const std::string& message) {
  if (holds || errors_.count() != errors_before_) return;
  errors_.add(mapping_.location(), path_.empty() ? message : "in '" + path_ + "': " + message);
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
