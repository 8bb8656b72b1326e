#include "framework/core/base/json.h"

#include <string>

#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("json: deeply nested input is rejected without recursion", "[base]") {
  const auto nested = [](int levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  CHECK(parse_json(nested(kJsonDepth)).is_array());
  CHECK(parse_json(nested(kJsonDepth + 1)).is_discarded());
  CHECK(parse_json(nested(1'000'000)).is_discarded());
  CHECK(parse_json("{\"b\": 1, \"a\": [2]}").dump() == "{\"b\":1,\"a\":[2]}");
  CHECK(parse_json("{\"b\": ").is_discarded());
}

TEST_CASE("json: error messages do not contain names of library exceptions", "[base]") {
  const auto reason = [](const auto& action) {
    try {
      action();
    } catch (const nlohmann::json::exception& error) {
      return json_reason(error);
    }
    return std::string();
  };
  CHECK_THAT(reason([] { return nlohmann::json::parse("{\"a\": "); }),
             Catch::Matchers::StartsWith("parse error at line 1"));
  CHECK(reason([] { return nlohmann::json::object().at("a"); }) == "key 'a' not found");
}
