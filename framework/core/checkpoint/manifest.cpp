#include "framework/core/checkpoint/manifest.h"

#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/json.h"

namespace lvtext {
namespace {

constexpr std::string_view kSealKey = ",\n  \"sha256\": \"";
constexpr std::string_view kSealEnd = "\"\n}\n";
constexpr size_t kHashDigits = 64;

}  // namespace

std::string seal(const nlohmann::ordered_json& fields) {
  LVT_ASSERT(fields.is_object() && !fields.empty(), "a manifest must be a non-empty object");
  std::string text = fields.dump(2);
  text.resize(text.size() - 2);  // without "\n}"
  const std::string hash = sha256(text);
  text += kSealKey;
  text += hash;
  text += kSealEnd;
  return text;
}

nlohmann::ordered_json parse_sealed(std::string_view text, const std::string& location) {
  const size_t tail = kSealKey.size() + kHashDigits + kSealEnd.size();
  if (text.size() > tail) {
    const std::string_view body = text.substr(0, text.size() - tail);
    const std::string_view end = text.substr(body.size());
    if (end.starts_with(kSealKey) && end.ends_with(kSealEnd) &&
        end.substr(kSealKey.size(), kHashDigits) == sha256(body)) {
      auto fields = parse_json(std::string(body) + "\n}");
      // Accept only the exact output of seal(), and no other formatting of the same fields.
      if (fields.is_object() && !fields.empty() && seal(fields) == text) return fields;
    }
  }
  throw DataError("'" + location +
                  "': the manifest is damaged: its SHA-256 does not match its text");
}

std::string schema_id(const std::string& name, int version) {
  return "lvtext." + name + "/" + std::to_string(version);
}

void check_schema(const nlohmann::ordered_json& fields, const std::string& name, int version,
                  const std::string& location) {
  const auto schema = fields.find("schema");
  const std::string found =
      schema != fields.end() && schema->is_string() ? schema->get<std::string>() : "";
  for (int known = 1; known <= version; ++known) {
    if (found == schema_id(name, known)) return;
  }
  if (found.starts_with("lvtext." + name + "/")) {
    throw DataError("'" + location + "' was written by a newer lvtext (" + found +
                    "; this version reads up to version " + std::to_string(version) +
                    "); update lvtext");
  }
  throw DataError("'" + location + "' does not have the schema " + schema_id(name, version));
}

}  // namespace lvtext
