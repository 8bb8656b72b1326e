// Dates as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lvtext {

/// The current time in milliseconds since 1970 (UTC).
int64_t current_time();
/// Milliseconds since 1970 as "2026-11-23T13:05:00.250Z".
std::string utc_time(int64_t milliseconds);
/// Inverse of utc_time(), with or without fractions of a second; none for other texts.
std::optional<int64_t> parse_utc_time(std::string_view text);
/// Milliseconds since 1970 as "2026-11-23 13:05" in the local time zone.
std::string local_time(int64_t milliseconds);
/// The start of a day in the local time zone, "2026-11-23"; none for other texts.
std::optional<int64_t> parse_local_date(std::string_view text);

}  // namespace lvtext
