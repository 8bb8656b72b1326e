#include "framework/data/compression_records.h"

#include <algorithm>
#include <map>

#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/data/json_records.h"

namespace lvtext {
namespace {

using Pointer = nlohmann::json::json_pointer;

/// Where a field's text stands in a record.
const std::map<std::string, Pointer>& places() {
  static const std::map<std::string, Pointer> all = {
      {"compression", Pointer("/compression/text")},
      {"headline", Pointer("/headline")},
      {"untransformed", Pointer("/compression_untransformed/text")},
      {"sentence", Pointer("/graph/sentence")}};
  return all;
}

std::string text_of(const JsonRecord& record, const Pointer& place,
                    const std::filesystem::path& file) {
  const auto fail = [&](const std::string& what) {
    throw DataError("'" + file.string() + "', record " + format_count(record.number) +
                    ", which begins in line " + format_count(record.line) + ": " + what + " '" +
                    place.to_string().substr(1) + "'");
  };
  if (!record.value.contains(place)) fail("has no key");
  const auto& value = record.value.at(place);
  if (!value.is_string()) fail("has no text as");
  std::string text = value.get<std::string>();
  if (text.find('\0') != std::string::npos) fail("has a NUL in");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

const std::vector<std::string>& compression_fields() {
  static const std::vector<std::string> names = {"compression", "headline", "untransformed",
                                                 "sentence"};
  return names;
}

std::vector<std::vector<std::string>> read_compression_records(
    const std::filesystem::path& file, const std::vector<std::string>& fields) {
  std::vector<std::vector<std::string>> texts(fields.size());
  JsonRecords records(file);
  JsonRecord record;
  while (records.next(record)) {
    for (size_t i = 0; i < fields.size(); ++i) {
      texts[i].push_back(text_of(record, places().at(fields[i]), file));
    }
  }
  if (record.number == 0) throw DataError("'" + file.string() + "' holds no record");
  return texts;
}

}  // namespace lvtext
