// Declaration of options: the options of a component are a struct with a template `visit`, from
// which parsing with all errors, the canonical dump, help, reference tables and editor schemas are
// derived.
//
//   struct DropoutOptions {
//     double word = 0.0;
//     template <class V> void visit(V& v) {
//       v.field("word", word, "probability of dropping an input word", in_range(0, 1));
//     }
//   };
//
// Fields may be bool, int64_t, double, std::string, Period, StopRule, Node (any value, parsed by
// its owner), structs with visit(), enums with an ADL function `const std::vector<EnumName<E>>&
// enum_names(E)`, types with ADL functions read_option, write_option and option_type (components:
// choice.h), and std::optional, std::vector (a scalar is a list of one item) and
// std::map<std::string, T> of these.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"
#include "framework/core/options/period.h"
#include "framework/core/options/rules.h"
#include "framework/core/options/schema.h"

namespace lvtext {

/// Name of an enum's value in recipes.
template <class E>
struct EnumName {
  std::string name;
  E value;
  std::string help;
};

/// The name of an enum's value.
template <class E>
  requires std::is_enum_v<E>
const std::string& enum_name(E value) {
  for (const auto& each : enum_names(value)) {
    if (each.value == value) return each.name;
  }
  static const std::string unnamed = "?";
  return unnamed;
}

/// The value of a name; none for other names.
template <class E>
  requires std::is_enum_v<E>
std::optional<E> enum_value(const std::string& name) {
  for (const auto& each : enum_names(E{})) {
    if (each.name == name) return each.value;
  }
  return std::nullopt;
}

namespace options_detail {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class T>
struct IsMap<std::map<std::string, T>> : std::true_type {};

/// Context of parsing a value: node, key path for messages, rules, and collected errors.
struct ParseContext {
  const Node& node;
  std::string path;
  const Rules& rules;
  Errors& errors;
  SourceLocation key_location{};
  const ParseContext* map = nullptr;  ///< the map that contains the node as a value
};

bool read(const ParseContext& context, bool& value);
bool read(const ParseContext& context, int64_t& value);
bool read(const ParseContext& context, double& value);
bool read(const ParseContext& context, std::string& value);
bool read(const ParseContext& context, Period& value);
bool read(const ParseContext& context, StopRule& value);
bool read(const ParseContext& context, Node& value);
/// The index of the name in `names`; reports an unknown name with the nearest one.
std::optional<size_t> read_name(const ParseContext& context, const std::vector<std::string>& names);
/// Reports a node that is not a mapping.
bool expect_mapping(const ParseContext& context);
/// Reports a node that is not a mapping of the keys of `schema`.
void refuse_value(const ParseContext& context, const Schema& schema);
/// The items of a list; a scalar is a list of one item.
std::vector<Node> list_items(const ParseContext& context);
bool check_not_empty(const ParseContext& context, bool is_empty);
std::string child_path(const std::string& path, const std::string& key);

Node write(bool value);
Node write(int64_t value);
Node write(double value);
Node write(const std::string& value);
Node write(const Period& value);
Node write(const StopRule& value);
Node write(const Node& value);

template <class T>
bool read_value(const ParseContext& context, T& value);
template <class T>
Node write_value(T& value);
template <class T>
TypeSchema type_of(T& value);

}  // namespace options_detail

/// Options of components without options.
struct NoOptions {
  template <class V>
  void visit(V& /*v*/) {}
};

/// If set, called for every key that options take from a mapping, with its path and location. Tests
/// use it to verify that each option is parsed once.
extern std::function<void(const std::string& path, const SourceLocation& context)> on_option_taken;

/// Visitor that parses a mapping; created by parse_options().
class Reader {
 public:
  Reader(const Node& mapping, std::string path, Errors& errors)
      : mapping_(mapping),
        path_(std::move(path)),
        errors_(errors),
        errors_before_(errors.count()) {}

  template <class T, class... Each>
  void field(const char* key, T& value, const char* help, const Each&... each) {
    Rules rules = make_rules(each...);
    if (const Node::Entry* entry = take(key)) {
      options_detail::read_value({entry->value, options_detail::child_path(path_, key), rules,
                                  errors_, entry->key_location},
                                 value);
    } else if (rules.required) {
      report_missing({key, help, options_detail::type_of(value), rules, Node()});
    }
  }
  /// A condition on several fields; checked only if the fields are valid.
  void check(bool holds, const std::string& message);

  /// True if the mapping has unknown keys.
  bool has_unknown() const;
  /// Reports unknown keys with the nearest ones of `schema`.
  void report_unknown(const Schema& schema) const;

 private:
  const Node::Entry* take(const std::string& key);
  void report_missing(const FieldSchema& field);
  /// The location of a violated condition: that of the override that violates it, else the mapping.
  SourceLocation cause(const std::string& message) const;

  const Node& mapping_;
  std::string path_;
  Errors& errors_;
  size_t errors_before_;
  std::vector<std::string> taken_;
};

/// Visitor that writes a mapping with all values.
class Writer {
 public:
  template <class T, class... Each>
  void field(const char* key, T& value, const char* /*help*/, const Each&... /*each*/) {
    entries_.push_back({key, options_detail::write_value(value), {}});
  }
  void check(bool /*holds*/, const std::string& /*message*/) {}
  Node node() const { return Node::mapping(entries_); }

 private:
  std::vector<Node::Entry> entries_;
};

/// Visitor that describes the fields.
class Describer {
 public:
  template <class T, class... Each>
  void field(const char* key, T& value, const char* help, const Each&... each) {
    FieldSchema field{key, help, options_detail::type_of(value), make_rules(each...), Node()};
    if (!field.rules.required) field.default_value = options_detail::write_value(value);
    field.help = field.rules.prefix() + help;
    schema_.fields.push_back(std::move(field));
  }
  void check(bool /*holds*/, const std::string& /*message*/) {}
  Schema schema() const { return schema_; }

 private:
  Schema schema_;
};

/// The schema of the options `O`, with the default values of `defaults`.
template <class O>
Schema describe(O defaults = {}) {
  Describer describer;
  defaults.visit(describer);
  return describer.schema();
}

/// Options as a tree with all values, including defaults, in the order of visit().
template <class O>
Node to_node(O options) {
  Writer writer;
  options.visit(writer);
  return writer.node();
}

/// Parses a mapping (null: all defaults). Adds mistakes to `errors`, with keys below `path`.
template <class O>
O parse_options(const Node& node, Errors& errors, O defaults = {}, const std::string& path = "") {
  static const Rules no_rules;
  options_detail::read_value<O>({node, path, no_rules, errors}, defaults);
  return defaults;
}

/// Parses a mapping; throws ConfigError or UsageError with all mistakes.
template <class O>
O parse_options_or_throw(const Node& node, O defaults = {}, const std::string& path = "") {
  Errors errors;
  O options = parse_options<O>(node, errors, std::move(defaults), path);
  errors.throw_if_any();
  return options;
}

namespace options_detail {

template <class T>
bool read_value(const ParseContext& context, T& value) {
  if constexpr (IsOptional<T>::value) {
    if (context.node.is_null()) {
      value.reset();
      return true;
    }
    typename T::value_type inner = value.value_or(typename T::value_type{});
    if (!read_value(context, inner)) return false;
    value = std::move(inner);
    return true;
  } else if constexpr (IsVector<T>::value) {
    std::vector<Node> items = list_items(context);
    T result;
    bool good = check_not_empty(context, items.empty());
    for (size_t i = 0; i < items.size(); ++i) {
      typename T::value_type element{};
      std::string path =
          context.node.is_sequence() ? context.path + "[" + std::to_string(i) + "]" : context.path;
      good &= read_value({items[i], path, context.rules, context.errors}, element);
      result.push_back(std::move(element));
    }
    if (good) value = std::move(result);
    return good;
  } else if constexpr (IsMap<T>::value) {
    if (!context.node.is_null() && !expect_mapping(context)) return false;
    T result;
    bool good = check_not_empty(context, context.node.entries().empty());
    for (const Node::Entry& entry : context.node.entries()) {
      typename T::mapped_type element{};
      good &= read_value({entry.value, child_path(context.path, entry.key), context.rules,
                          context.errors, entry.key_location, &context},
                         element);
      result.emplace(entry.key, std::move(element));
    }
    if (good) value = std::move(result);
    return good;
  } else if constexpr (std::is_enum_v<T>) {
    std::vector<std::string> names;
    for (const auto& each : enum_names(T{})) names.push_back(each.name);
    std::optional<size_t> index = read_name(context, names);
    if (index) value = enum_names(T{})[*index].value;
    return index.has_value();
  } else if constexpr (requires { read_option(context, value); }) {
    return read_option(context, value);
  } else if constexpr (requires(Reader& reader) { value.visit(reader); }) {
    if (!context.node.is_null() && !context.node.is_mapping()) {
      refuse_value(context, describe(value));
      return false;
    }
    size_t before = context.errors.count();
    Reader reader(context.node, context.path, context.errors);
    T defaults = value;
    value.visit(reader);
    if (reader.has_unknown()) reader.report_unknown(describe(std::move(defaults)));
    return context.errors.count() == before;
  } else {
    return read(context, value);
  }
}

template <class T>
Node write_value(T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? write_value(*value) : Node();
  } else if constexpr (IsVector<T>::value) {
    std::vector<Node> items;
    for (typename T::value_type each : value) items.push_back(write_value(each));
    return Node::sequence(std::move(items));
  } else if constexpr (IsMap<T>::value) {
    std::vector<Node::Entry> entries;
    for (auto& [key, each] : value) entries.push_back({key, write_value(each), {}});
    return Node::mapping(std::move(entries));
  } else if constexpr (std::is_enum_v<T>) {
    return write(enum_name(value));
  } else if constexpr (requires { write_option(value); }) {
    return write_option(value);
  } else if constexpr (requires(Writer& writer) { value.visit(writer); }) {
    return to_node(value);
  } else {
    return write(value);
  }
}

template <class T>
TypeSchema type_of(T& value) {
  using Kind = TypeSchema::Kind;
  if constexpr (IsOptional<T>::value) {
    typename T::value_type inner = value.value_or(typename T::value_type{});
    return {Kind::kOptional, {}, {}, {type_of(inner)}};
  } else if constexpr (IsVector<T>::value) {
    typename T::value_type inner{};
    return {Kind::kList, {}, {}, {type_of(inner)}};
  } else if constexpr (IsMap<T>::value) {
    typename T::mapped_type inner{};
    return {Kind::kMap, {}, {}, {type_of(inner)}};
  } else if constexpr (std::is_enum_v<T>) {
    TypeSchema type{Kind::kEnum, {}, {}, {}};
    for (const auto& each : enum_names(T{})) type.names.push_back({each.name, each.help});
    return type;
  } else if constexpr (requires { option_type(value); }) {
    return option_type(value);
  } else if constexpr (requires(Describer& describer) { value.visit(describer); }) {
    return {Kind::kStruct, {}, describe(value).fields, {}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {Kind::kBool, {}, {}, {}};
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return {Kind::kInt, {}, {}, {}};
  } else if constexpr (std::is_same_v<T, double>) {
    return {Kind::kNumber, {}, {}, {}};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return {Kind::kString, {}, {}, {}};
  } else if constexpr (std::is_same_v<T, Period>) {
    return {Kind::kPeriod, {}, {}, {}};
  } else if constexpr (std::is_same_v<T, StopRule>) {
    return {Kind::kStop, {}, {}, {}};
  } else {
    static_assert(std::is_same_v<T, Node>, "unsupported type of an option field");
    return {Kind::kAny, {}, {}, {}};
  }
}

}  // namespace options_detail
}  // namespace lvtext
