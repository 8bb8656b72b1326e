#include "framework/core/options/rules.h"

#include "framework/core/base/strings.h"

namespace lvtext {

std::string Rules::range() const {
  if (low && high) {
    if (!low_open && !high_open) return format_number(*low) + ".." + format_number(*high);
    return format_number(*low) + (low_open ? " < x " : " <= x ") + (high_open ? "< " : "<= ") +
           format_number(*high);
  }
  if (low) return (low_open ? "> " : ">= ") + format_number(*low);
  if (high) return (high_open ? "< " : "<= ") + format_number(*high);
  return "";
}

bool Rules::contains(double value) const {
  if (low && !(low_open ? value > *low : value >= *low)) return false;
  return !(high && !(high_open ? value < *high : value <= *high));
}

std::string Rules::prefix() const {
  return values.empty() ? "" : join(values) + ": ";
}

}  // namespace lvtext
