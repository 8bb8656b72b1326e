#include <algorithm>
#include <map>

#include "framework/base/strings.h"
#include "framework/data/json_records.h"
#include "framework/data/record_reader.h"

namespace lvtext {
namespace {

using Pointer = nlohmann::json::json_pointer;

/// Throws DataError where the object has no text there, or one with a NUL.
std::string text_of(const JsonRecord& record, const Pointer& key,
                    const std::filesystem::path& file) {
  const auto fail = [&](const std::string& what) {
    throw DataError("'" + file.string() + "', record " + format_count(record.number) +
                    ", which begins in line " + format_count(record.line) + ": " + what + " '" +
                    key.to_string().substr(1) + "'");
  };
  if (!record.value.contains(key)) fail("has no key");
  const auto& value = record.value.at(key);
  if (!value.is_string()) fail("has no text as");
  std::string text = value.get<std::string>();
  if (text.find('\0') != std::string::npos) fail("has a NUL in");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// A record for every JSON object. Objects follow one another, on lines of their own or not; line
/// ends within a text become blanks.
struct JsonLinesReader : RecordReader {
  std::map<std::string, std::string> keys;

  template <class V>
  void visit(V& v) {
    v.field("keys", keys,
            "where a field's text stands in an object: inner/key; unset: the field's name");
  }

  int64_t read(const std::filesystem::path& file, const std::vector<std::string>& fields,
               const std::function<void(Record)>& each) const override {
    std::vector<Pointer> from;
    for (const auto& field : fields) {
      const auto key = keys.find(field);
      from.emplace_back("/" + (key == keys.end() ? field : key->second));
    }
    JsonRecords records(file);
    JsonRecord record;
    while (records.next(record)) {
      Record values;
      for (const Pointer& key : from) values.push_back(text_of(record, key, file));
      each(std::move(values));
    }
    if (record.number == 0) throw DataError("'" + file.string() + "' holds no record");
    return record.number;
  }
};

}  // namespace

void add_json_lines(Choices<RecordReader>& readers) {
  add_component<JsonLinesReader>(readers, "json_lines",
                                 "JSON objects, one per line or over several");
}

}  // namespace lvtext
