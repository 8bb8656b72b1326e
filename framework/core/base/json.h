// JSON of files that anybody may have written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lvtext {

/// Levels of nesting that are read; what copies or writes a value goes as deep as the value does.
inline constexpr int kJsonDepth = 64;

/// Parses; a discarded value if the text is no JSON or nested deeper than kJsonDepth.
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

/// What a failure of the JSON library says, without the library's own name for it.
inline std::string json_reason(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  const size_t end = text.find("] ");
  return text.starts_with("[json.exception.") && end != std::string::npos ? text.substr(end + 2)
                                                                          : text;
}

}  // namespace lvtext
