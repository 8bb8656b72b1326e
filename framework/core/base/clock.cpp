#include "framework/core/base/clock.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace lvtext {
namespace {

constexpr int64_t kMilliseconds = 1000;

std::string time_text(const char* format, const std::tm& time) {
  char text[32];
  return {text, std::strftime(text, sizeof text, format, &time)};
}

/// Parses text that follows `format` exactly; none otherwise, also for days that do not exist.
std::optional<std::tm> parse_time(const std::string& text, const char* format) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), format, &parts);
  if (end == nullptr || *end != '\0' || text.find('-') != 4) return std::nullopt;
  std::tm normal = parts;  // a day that does not exist becomes one of the next month
  ::timegm(&normal);
  if (time_text(format, normal) != text) return std::nullopt;
  return parts;
}

/// Rounds toward the past.
int64_t whole_seconds(int64_t milliseconds) {
  return (milliseconds - (milliseconds % kMilliseconds + kMilliseconds) % kMilliseconds) /
         kMilliseconds;
}

}  // namespace

int64_t current_time() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string utc_time(int64_t milliseconds) {
  const std::time_t time = whole_seconds(milliseconds);
  std::tm parts{};
  char fraction[8];
  std::snprintf(fraction, sizeof fraction, ".%03dZ",
                static_cast<int>(milliseconds - time * kMilliseconds));
  return time_text("%Y-%m-%dT%H:%M:%S", *::gmtime_r(&time, &parts)) + fraction;
}

std::optional<int64_t> parse_utc_time(std::string_view text) {
  if (text.empty() || text.back() != 'Z') return std::nullopt;
  text.remove_suffix(1);
  int64_t milliseconds = 0;
  if (const size_t point = text.find('.'); point != std::string_view::npos) {
    const std::string_view digits = text.substr(point + 1);
    const auto parsed = std::from_chars(digits.begin(), digits.end(), milliseconds);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == digits.end();
    if (!whole || digits.size() != 3 || milliseconds < 0) return std::nullopt;
    text = text.substr(0, point);
  }
  auto parts = parse_time(std::string(text), "%Y-%m-%dT%H:%M:%S");
  if (!parts) return std::nullopt;
  return ::timegm(&*parts) * kMilliseconds + milliseconds;
}

std::string local_time(int64_t milliseconds) {
  const std::time_t time = whole_seconds(milliseconds);
  std::tm parts{};
  return time_text("%Y-%m-%d %H:%M", *::localtime_r(&time, &parts));
}

std::optional<int64_t> parse_local_date(std::string_view text) {
  auto parts = parse_time(std::string(text), "%Y-%m-%d");
  if (!parts) return std::nullopt;
  parts->tm_isdst = -1;  // as on that day
  return std::mktime(&*parts) * kMilliseconds;
}

}  // namespace lvtext
