#include "framework/data/packed_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "framework/base/error.h"
#include "framework/base/files.h"

namespace lvtext {
namespace {

constexpr const char* kSchema = "lvtext.fields/1";
constexpr const char* kFields = "fields.json";

}  // namespace

PackedRows::PackedRows(std::shared_ptr<const PackedCorpus> text)
    : fields_({{"text", false, std::move(text)}}) {}

PackedRows::PackedRows(std::vector<PackedField> fields) : fields_(std::move(fields)) {
  const PackedField* text = nullptr;
  for (const auto& field : fields_) {
    if (field.corpus->size() != fields_.front().corpus->size()) {
      throw DataError("the fields '" + fields_.front().name + "' and '" + field.name +
                      "' have another number of rows");
    }
    if (field.is_label) {
      const auto lengths = field.corpus->lengths();
      if (std::all_of(lengths.begin(), lengths.end(), [](int64_t n) { return n == 1; })) continue;
      throw DataError("the label '" + field.name + "' is not one id in every row");
    }
    if (text && text->corpus->vocab() != field.corpus->vocab()) {
      throw DataError("the texts '" + text->name + "' and '" + field.name +
                      "' have other vocabularies");
    }
    text = &field;
  }
  if (!text) throw DataError("none of the fields is a text");
}

PackedRows PackedRows::read(const std::filesystem::path& folder) {
  std::error_code failed;
  if (!std::filesystem::exists(folder / kFields, failed)) {
    return PackedRows(std::make_shared<PackedCorpus>(folder / "corpus.pack"));
  }
  const auto json = nlohmann::json::parse(read_file(folder / kFields), nullptr, false);
  std::vector<PackedField> fields;
  try {
    if (json.at("schema") == kSchema) {
      for (const auto& field : json.at("fields")) {
        const auto name = field.at("name").get<std::string>();
        fields.push_back({name, field.at("label").get<bool>(),
                          std::make_shared<PackedCorpus>(folder / (name + ".pack"))});
      }
    }
  } catch (const nlohmann::json::exception&) {
    fields.clear();
  }
  if (fields.empty()) {
    throw DataError("'" + (folder / kFields).string() + "' does not list fields (" + kSchema + ")");
  }
  return PackedRows(std::move(fields));
}

std::vector<std::string> PackedRows::write(const std::filesystem::path& folder,
                                           const std::vector<NewField>& fields) {
  nlohmann::ordered_json json = {{"schema", kSchema}, {"fields", nlohmann::ordered_json::array()}};
  std::vector<std::string> files;
  for (const auto& field : fields) {
    files.push_back(field.name + ".pack");
    PackedCorpus::write(folder / files.back(), field.rows, field.ids);
    json["fields"].push_back({{"name", field.name}, {"label", field.is_label}});
  }
  files.emplace_back(kFields);
  write_file_atomic(folder / kFields, json.dump(1) + "\n");
  return files;
}

std::vector<int64_t> PackedRows::lengths() const {
  std::vector<int64_t> longest(size(), 0);
  for (const auto& field : fields_) {
    if (field.is_label) continue;
    for (int64_t row = 0; row < size(); ++row) {
      longest[row] = std::max(longest[row], field.corpus->length(row));
    }
  }
  return longest;
}

int64_t PackedRows::total_tokens() const {
  int64_t tokens = 0;
  for (const auto& field : fields_) tokens += field.is_label ? 0 : field.corpus->total_tokens();
  return tokens;
}

int32_t PackedRows::vocabulary() const {
  const auto text = std::find_if(fields_.begin(), fields_.end(),
                                 [](const PackedField& field) { return !field.is_label; });
  return text->corpus->vocab();
}

int32_t PackedRows::classes() const {
  for (const auto& field : fields_) {
    if (field.is_label) return field.corpus->vocab();
  }
  return 0;
}

}  // namespace lvtext
