// Lengths of training with explicit units.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// A length: "500u" updates, "2e" epochs, "10Mt" tokens, "30min" of wall-clock time.
struct Period {
  enum class Unit { kUpdates, kEpochs, kTokens, kSeconds };
  double amount = 0;  // updates and tokens are integers; time is in seconds
  Unit unit = Unit::kUpdates;

  static Period updates(double count) { return {count, Unit::kUpdates}; }
  static Period epochs(double count) { return {count, Unit::kEpochs}; }
  static Period tokens(double count) { return {count, Unit::kTokens}; }
  static Period seconds(double count) { return {count, Unit::kSeconds}; }

  /// Parses "500u", "2e", "0.5e", "10Mt", "500Kt", "64t", "30min", "10s", "2h"; none for
  /// other strings.
  static std::optional<Period> parse(std::string_view text);
  /// The shortest text that parses to the same period.
  std::string text() const;
  bool operator==(const Period&) const = default;
};

/// The suffixes of Period::parse(): "u, e, Mt, Kt, t, h, min, s".
std::string period_units();

/// Several periods; training stops at the first that is reached: "20e,30min".
struct StopRule {
  std::vector<Period> any;

  /// Parses periods separated by commas, each unit at most once; none for other strings.
  static std::optional<StopRule> parse(std::string_view text);
  std::string text() const;
  bool operator==(const StopRule&) const = default;
};

}  // namespace lvtext
