// Options whose default depends on other options: the width of a preset, the learning rate of a
// type of optimizer.
#pragma once

#include <optional>
#include <utility>

#include "framework/core/options/defaults.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// An optional option with a default that visit() of its owner computes from the fields before it:
///
///   lr.usual = usual_rate(type);
///   v.field("lr", lr, "learning rate; unset: 1e-2 for rmsprop, 1e-3 for the others");
///
/// A value equal to the default is unset, so that both have one identity; `config` prints the
/// default of an unset option.
template <class T>
struct Defaulted : std::optional<T> {
  using std::optional<T>::optional;
  /// Assignments keep the default.
  Defaulted& operator=(T value) { return *this = std::optional<T>(std::move(value)); }
  Defaulted& operator=(std::nullopt_t) { return *this = std::optional<T>(); }
  Defaulted& operator=(std::optional<T> value) {
    std::optional<T>::operator=(std::move(value));
    return *this;
  }

  std::optional<T> usual;  ///< none: unset means that the option is off

  /// The value, or the default. Precondition: there is one of them.
  const T& effective() const { return *this ? **this : usual.value(); }
};

template <class T>
bool read_option(const options_detail::ParseContext& context, Defaulted<T>& value) {
  std::optional<T> read = value;
  if (!options_detail::read_value(context, read)) return false;
  value = read == value.usual ? std::nullopt : std::move(read);
  return true;
}

template <class T>
Node write_option(const Defaulted<T>& value) {
  std::optional<T> shown = value ? value : value.usual;
  const Node written = options_detail::write_value(shown);
  return value || written.is_null() ? written : unset_option(written);
}

template <class T>
TypeSchema option_type(const Defaulted<T>& value) {
  std::optional<T> plain = value;
  return options_detail::type_of(plain);
}

}  // namespace lvtext
