// Lengths of training with their units, so that no bare number means two things.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// A length: "500u" updates, "2e" epochs, "10Mt" tokens, "30min" of time.
struct Period {
  enum class Unit { kUpdates, kEpochs, kTokens, kSeconds };
  double amount = 0;  // updates and tokens are whole numbers; time is in seconds
  Unit unit = Unit::kUpdates;

  static Period updates(double count) { return {count, Unit::kUpdates}; }
  static Period epochs(double count) { return {count, Unit::kEpochs}; }
  static Period tokens(double count) { return {count, Unit::kTokens}; }
  static Period seconds(double count) { return {count, Unit::kSeconds}; }

  /// Parses "500u", "2e", "0.5e", "10Mt", "500Kt", "64t", "30min", "10s", "2h". None if it is not
  /// one.
  static std::optional<Period> parse(std::string_view text);
  /// The shortest text that parses to the same period.
  std::string text() const;
  bool operator==(const Period&) const = default;
};

/// Several periods of which the first reached counts: "20e,30min".
struct StopRule {
  std::vector<Period> any;

  /// Parses periods separated by commas, each unit at most once. None if it is not such a list.
  static std::optional<StopRule> parse(std::string_view text);
  std::string text() const;
  bool operator==(const StopRule&) const = default;
};

}  // namespace lvtext
