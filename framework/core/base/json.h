// Parses JSON from untrusted files; writes JSON of any text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lvtext {

/// Maximum nesting depth; bounds the recursion of copying and writing values.
inline constexpr int kJsonDepth = 64;

/// Parses JSON; returns a discarded value if it is invalid or nested deeper than kJsonDepth.
template <class Json = nlohmann::ordered_json>
Json parse_json(std::string_view text) {
  struct TooDeep {};
  try {
    return Json::parse(
        text,
        [](int depth, typename Json::parse_event_t event, Json&) {
          const bool begins = event == Json::parse_event_t::object_start ||
                              event == Json::parse_event_t::array_start;
          if (begins && depth >= kJsonDepth) throw TooDeep();
          return true;
        },
        /*allow_exceptions=*/false);
  } catch (const TooDeep&) {
    return Json(Json::value_t::discarded);
  }
}

/// A value as text. Bytes of strings that are not UTF-8, which models of bytes can write, become
/// U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// The message of a JSON library exception, without the library's prefix.
inline std::string json_reason(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  const size_t end = text.find("] ");
  return text.starts_with("[json.exception.") && end != std::string::npos ? text.substr(end + 2)
                                                                          : text;
}

}  // namespace lvtext
