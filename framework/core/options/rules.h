// Constraints on an option's value, and their text for help and errors.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lvtext {

/// Constraints of a field. Bounds apply to numbers, to each element of a list of numbers, and to
/// the amount of a period.
struct Rules {
  std::optional<double> low, high;
  bool low_open = false, high_open = false;  // the bound itself is excluded
  bool required = false;                     // the field has no default
  bool not_empty = false;                    // a string, list or map must not be empty
  std::string unit;                          // "dims", "seconds"; for help and errors
  std::vector<std::string> names;            // allowed strings; empty: any
  // The field has an effect only if the option `condition` of the same struct has one of `values`.
  std::string condition;
  std::vector<std::string> values;

  /// "1..65536", ">= 0", "> 0", "0 < x <= 1"; "" without bounds.
  std::string range() const;
  bool contains(double value) const;
  /// "linear, tanh: ", the beginning of the help of a field for these `values`; "" without them.
  std::string prefix() const;
};

// Constraints as arguments of field().
struct Bounds {
  std::optional<double> low, high;
  bool low_open = false, high_open = false;
};
struct Required {};
struct NotEmpty {};
struct Unit {
  std::string text;
};
struct OneOf {
  std::vector<std::string> names;
};
struct OnlyFor {
  std::string option;
  std::vector<std::string> values;
};

/// low <= x <= high.
inline Bounds in_range(double low, double high) {
  return {low, high, false, false};
}
/// x >= low.
inline Bounds at_least(double low) {
  return {low, std::nullopt, false, false};
}
/// x > low.
inline Bounds above(double low) {
  return {low, std::nullopt, true, false};
}
/// x <= high.
inline Bounds at_most(double high) {
  return {std::nullopt, high, false, false};
}
/// x < high.
inline Bounds below(double high) {
  return {std::nullopt, high, false, true};
}
/// The key is required.
inline Required required() {
  return {};
}
/// A string, list or map must not be empty.
inline NotEmpty not_empty() {
  return {};
}
/// The unit, for help and errors.
inline Unit unit(std::string text) {
  return {std::move(text)};
}
/// The field has an effect only if `option` has one of `values`; its help begins with them.
inline OnlyFor only_for(std::string option, std::vector<std::string> values) {
  return {std::move(option), std::move(values)};
}
/// Allowed strings.
inline OneOf one_of(std::vector<std::string> names) {
  return {std::move(names)};
}

inline void apply(Rules& rules, const Bounds& b) {
  if (b.low) rules.low = b.low, rules.low_open = b.low_open;
  if (b.high) rules.high = b.high, rules.high_open = b.high_open;
}
inline void apply(Rules& rules, Required) {
  rules.required = true;
}
inline void apply(Rules& rules, NotEmpty) {
  rules.not_empty = true;
}
inline void apply(Rules& rules, const Unit& u) {
  rules.unit = u.text;
}
inline void apply(Rules& rules, const OneOf& o) {
  rules.names = o.names;
}
inline void apply(Rules& rules, const OnlyFor& o) {
  rules.condition = o.option;
  rules.values = o.values;
}

/// Combines the constraints of a call of field().
template <class... Each>
Rules make_rules(const Each&... each) {
  Rules rules;
  (apply(rules, each), ...);
  return rules;
}

}  // namespace lvtext
