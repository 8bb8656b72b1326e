#include "framework/core/datasets/records.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kParentKey = "@parent";

std::string shape_text(const std::vector<int64_t>& shape) {
  std::vector<std::string> sizes;
  for (const int64_t size : shape) sizes.push_back(std::to_string(size));
  return join(sizes, "x");
}

Json numbers_json(const std::vector<float>& numbers, const FieldType& type) {
  if (type.kind == ColumnKind::kNumber) return numbers.front();
  return numbers;
}

Json json_of(const FieldValue& value, const Records& records, const std::string& field,
             const StoreImage& store) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return *texts;
  if (const auto* image = std::get_if<ImageBytes>(&value)) {
    LVT_ASSERT(store, "records with images need a file for them");
    return store(field, *image);
  }
  return numbers_json(std::get<std::vector<float>>(value), *records.type_of(field));
}

FieldValue value_of(const nlohmann::json& json, const FieldType* type, const std::string& field,
                    const LoadImage& load) {
  if (!type) return json.get<std::string>();
  if (type->ragged) return json.get<std::vector<std::string>>();
  if (type->kind == ColumnKind::kNumber) return std::vector<float>{json.get<float>()};
  if (type->kind == ColumnKind::kImage && !json.is_array()) {
    LVT_ASSERT(load, "records with images need the file with them");
    return load(field, json.get<int64_t>());
  }
  FieldValue numbers = json.get<std::vector<float>>();
  return problem_of(numbers, type).empty() ? with_bytes(std::move(numbers), type) : numbers;
}

std::string numbers_problem(const std::vector<float>& numbers, const FieldType& type) {
  if (std::ssize(numbers) != type.width()) {
    return format_count(std::ssize(numbers), "number") + ", not " + type.summary();
  }
  for (const float number : numbers) {
    if (!std::isfinite(number)) return "a number that is not finite";
    const bool is_byte = number >= 0 && number <= 255 && number == std::floor(number);
    if (type.kind == ColumnKind::kImage && !is_byte) {
      return format_number(number) + ", which is not a byte (0 to 255) of an image";
    }
  }
  return "";
}

}  // namespace

ImageBytes::ImageBytes(std::vector<uint8_t> bytes) {
  auto owned = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  bytes_ = *owned;
  owner_ = std::move(owned);
}

std::strong_ordering ImageBytes::operator<=>(const ImageBytes& other) const {
  return std::lexicographical_compare_three_way(bytes_.begin(), bytes_.end(), other.bytes_.begin(),
                                                other.bytes_.end());
}

const std::string& text_of(const FieldValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  LVT_ASSERT(text != nullptr, "the field is not a single text");
  return *text;
}

int64_t FieldType::width() const {
  int64_t width = 1;
  for (const int64_t size : shape) width *= size;
  return width;
}

std::string FieldType::problem() const {
  if (kind == ColumnKind::kLabel) return "labels are texts whose values are listed in `labels`";
  if (ragged && kind != ColumnKind::kText) return "only texts can be ragged";
  if (kind == ColumnKind::kText && !ragged) return "one text has no type; set `ragged` for several";
  const ColumnDecl column{.name = "field", .kind = kind, .vocabulary = {.size = 1}, .shape = shape};
  try {
    column_from_json(to_json(column));
  } catch (const DataError&) {
    return "the shape of a vector is [size], of an image [channels, rows, columns], else unset";
  }
  return "";
}

std::string FieldType::summary() const {
  switch (kind) {
    case ColumnKind::kNumber: return "a number";
    case ColumnKind::kVector: return "a vector of " + shape_text(shape) + " numbers";
    case ColumnKind::kImage: return "an image of " + shape_text(shape) + " bytes";
    case ColumnKind::kText:
    case ColumnKind::kLabel: break;
  }
  return "texts";
}

std::string problem_of(const FieldValue& value, const FieldType* type) {
  constexpr const char* kFound[] = {"one text", "several texts", "numbers", "an image"};
  const bool is_image = type && type->kind == ColumnKind::kImage;
  const size_t expected = !type ? 0 : type->ragged ? 1 : 2;
  const auto* image = std::get_if<ImageBytes>(&value);
  if (image ? !is_image : value.index() != expected) {
    return std::string(kFound[value.index()]) + ", not " + (type ? type->summary() : "one text");
  }
  if (expected < 2) return "";
  if (!image) return numbers_problem(std::get<std::vector<float>>(value), *type);
  const auto bytes = std::ssize(image->bytes());
  return bytes == type->width() ? "" : format_count(bytes, "byte") + ", not " + type->summary();
}

FieldValue with_bytes(FieldValue value, const FieldType* type) {
  const auto* numbers = std::get_if<std::vector<float>>(&value);
  if (!numbers || !type || type->kind != ColumnKind::kImage) return value;
  return ImageBytes(std::vector<uint8_t>(numbers->begin(), numbers->end()));
}

const FieldType* Records::type_of(const std::string& field) const {
  const auto found = types.find(field);
  return found == types.end() ? nullptr : &found->second;
}

bool Records::is_text(const std::string& field) const {
  return !labels.contains(field) && !types.contains(field);
}

std::optional<int64_t> Records::parent(size_t row) const {
  return parents.empty() ? std::nullopt : std::optional(parents[row]);
}

std::vector<std::string> Records::texts() const {
  const auto first = std::find_if(fields.begin(), fields.end(),
                                  [&](const std::string& field) { return is_text(field); });
  if (first == fields.end()) {
    throw DataError("the records have no text column; their columns are " + join(fields));
  }
  return column(*first);
}

std::vector<std::string> Records::column(const std::string& field) const {
  const auto found = std::find(fields.begin(), fields.end(), field);
  if (found == fields.end()) {
    throw DataError("the records have no column '" + field + "'; " + suggestion(field, fields));
  }
  if (const FieldType* type = type_of(field)) {
    throw DataError("the column '" + field + "' contains " + type->summary() +
                    ", not one text per record");
  }
  std::vector<std::string> all;
  all.reserve(rows.size());
  for (const Record& row : rows) all.push_back(text_of(row[found - fields.begin()]));
  return all;
}

std::string to_json_lines(const Records& records, const StoreImage& store) {
  std::string text;
  for (size_t i = 0; i < records.rows.size(); ++i) {
    const Record& row = records.rows[i];
    Json object;
    for (size_t field = 0; field < row.size(); ++field) {
      const std::string& name = records.fields[field];
      object[name] = json_of(row[field], records, name, store);
    }
    if (const auto parent = records.parent(i)) object[kParentKey] = *parent;
    text += object.dump() + "\n";
  }
  return text;
}

Records parse_json_lines(const std::string& text, Records of, const LoadImage& load) {
  of.rows.clear();
  of.parents.clear();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Record row;
    try {
      const auto object = nlohmann::json::parse(line);
      for (const auto& field : of.fields) {
        row.push_back(value_of(object.at(field), of.type_of(field), field, load));
      }
      if (object.contains(kParentKey)) {
        of.parents.push_back(object.at(kParentKey).get<int64_t>());
      }
    } catch (const nlohmann::json::exception&) {
      throw DataError("line " + format_count(std::ssize(of.rows) + 1) + " is not a record of " +
                      join(of.fields));
    }
    of.rows.push_back(std::move(row));
  }
  return of;
}

}  // namespace lvtext
