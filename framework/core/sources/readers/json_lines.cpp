#include <algorithm>
#include <map>

#include "framework/core/base/strings.h"
#include "framework/core/sources/json_records.h"
#include "framework/core/sources/record_reader.h"

namespace lvtext {
namespace {

using Pointer = nlohmann::json::json_pointer;

/// Reads a value of an object. Throws DataError naming file, record and key.
class ValueReader {
 public:
  ValueReader(const JsonRecord& record, const Pointer& key, const std::filesystem::path& file)
      : record_(record), key_(key), file_(file) {}

  /// Reads a value of this type; null: a single text.
  FieldValue read(const FieldType* type) const {
    if (!record_.value.contains(key_)) fail("missing key");
    const auto& value = record_.value.at(key_);
    if (!type) return text_of(value);
    if (!type->ragged) {
      std::vector<float> numbers;
      add_numbers(value, numbers);
      return numbers;
    }
    if (!value.is_array()) fail("expected a list of texts at");
    std::vector<std::string> texts;
    for (const auto& each : value) texts.push_back(text_of(each));
    return texts;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError("'" + file_.string() + "', record " + format_count(record_.number) + ", line " +
                    format_count(record_.line) + ": " + what + " '" + key_.to_string().substr(1) +
                    "'");
  }
  std::string text_of(const nlohmann::json& value) const {
    if (!value.is_string()) fail("expected a text at");
    std::string text = value.get<std::string>();
    if (text.find('\0') != std::string::npos) fail("NUL character in");
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  /// Appends a number, or recursively the numbers of a list.
  void add_numbers(const nlohmann::json& value, std::vector<float>& numbers) const {
    if (value.is_number()) {
      numbers.push_back(value.get<float>());
    } else if (value.is_array()) {
      for (const auto& each : value) add_numbers(each, numbers);
    } else {
      fail("expected only numbers at");
    }
  }

  const JsonRecord& record_;
  const Pointer& key_;
  const std::filesystem::path& file_;
};

/// Reads one record per JSON object. An object may span several lines; line ends within a text
/// become blanks.
struct JsonLinesReader : RecordReader {
  std::map<std::string, std::string> keys;
  std::optional<FieldTypes> typed;  // optional, so that identities do not include it if unset

  template <class V>
  void visit(V& v) {
    v.field("keys", keys,
            "path of a field's value within an object, such as inner/key; unset: the field's name");
    v.field("types", typed, "types of the fields that are not a single text");
  }

  FieldTypes types() const override { return typed.value_or(FieldTypes()); }

  int64_t read(const std::filesystem::path& file, const std::vector<std::string>& fields,
               const std::function<void(Record)>& each) const override {
    const FieldTypes all = types();
    std::vector<Pointer> from;
    std::vector<const FieldType*> type_of;
    for (const auto& field : fields) {
      const auto key = keys.find(field);
      from.emplace_back("/" + (key == keys.end() ? field : key->second));
      const auto type = all.find(field);
      type_of.push_back(type == all.end() ? nullptr : &type->second);
    }
    JsonRecords records(file);
    JsonRecord record;
    while (records.next(record)) {
      Record values;
      for (size_t i = 0; i < from.size(); ++i) {
        values.push_back(ValueReader(record, from[i], file).read(type_of[i]));
      }
      each(std::move(values));
    }
    if (record.number == 0) throw DataError("'" + file.string() + "' contains no records");
    return record.number;
  }
};

}  // namespace

void add_json_lines(Choices<RecordReader>& readers) {
  add_component<JsonLinesReader>(readers, "json_lines",
                                 "JSON objects, each on one line or on several");
}

}  // namespace lvtext
