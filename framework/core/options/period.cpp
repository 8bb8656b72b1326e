#include "framework/core/options/period.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"

namespace lvtext {
namespace {

struct Suffix {
  std::string_view text;
  Period::Unit unit;
  double factor;
  bool whole;
};

// Suffixes of a unit by decreasing factor: text() uses the first factor that divides the amount.
constexpr Suffix kSuffixes[] = {
    {"u", Period::Unit::kUpdates, 1, true},     {"e", Period::Unit::kEpochs, 1, false},
    {"Mt", Period::Unit::kTokens, 1e6, true},   {"Kt", Period::Unit::kTokens, 1e3, true},
    {"t", Period::Unit::kTokens, 1, true},      {"h", Period::Unit::kSeconds, 3600, false},
    {"min", Period::Unit::kSeconds, 60, false}, {"s", Period::Unit::kSeconds, 1, false},
};

// Integers are exact in a double below 2^53. The limit of epochs is lower because they are
// multiplied by the updates or tokens of an epoch.
constexpr double kMax = 1e15;
constexpr double kMaxEpochs = 1e9;

std::string fixed(double value) {
  char buffer[512];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
  return std::string(buffer, end);
}

}  // namespace

std::optional<Period> Period::parse(std::string_view text) {
  size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  std::optional<double> number = parse_number(text.substr(0, digits));
  if (!number) return std::nullopt;
  for (const Suffix& suffix : kSuffixes) {
    if (text.substr(digits) != suffix.text) continue;
    double amount = *number * suffix.factor;
    if (amount >= (suffix.unit == Period::Unit::kEpochs ? kMaxEpochs : kMax)) return std::nullopt;
    if (suffix.whole) {
      double rounded = std::round(amount);  // 1.001Kt is 1000.9999... in binary
      if (std::abs(amount - rounded) > 1e-6) return std::nullopt;
      amount = rounded;
    }
    return Period{amount, suffix.unit};
  }
  return std::nullopt;
}

std::string Period::text() const {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.unit != unit) continue;
    double quotient = amount / suffix.factor;
    if (suffix.factor == 1 || (amount > 0 && std::floor(quotient) == quotient)) {
      return fixed(quotient) + std::string(suffix.text);
    }
  }
  return fixed(amount) + "s";
}

std::string period_units() {
  std::vector<std::string> units;
  for (const Suffix& suffix : kSuffixes) units.emplace_back(suffix.text);
  return join(units);
}

std::optional<StopRule> StopRule::parse(std::string_view text) {
  StopRule rule;
  for (const std::string& part : split(text, ',')) {
    std::optional<Period> period = Period::parse(trim(part));
    if (!period) return std::nullopt;
    for (const Period& each : rule.any) {
      if (each.unit == period->unit) return std::nullopt;
    }
    rule.any.push_back(*period);
  }
  return rule;
}

std::string StopRule::text() const {
  std::vector<std::string> parts;
  for (const Period& each : any) parts.push_back(each.text());
  return join(parts, ",");
}

}  // namespace lvtext
