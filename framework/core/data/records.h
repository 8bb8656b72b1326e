// Records: examples with named fields, before they are tokens.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/data/column.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// The value of a field: a text (of a label its name), several texts, or numbers.
using FieldValue = std::variant<std::string, std::vector<std::string>, std::vector<float>>;

/// One value per field, in the order of the fields.
using Record = std::vector<FieldValue>;

/// The text of a field that holds one, or the name of a label.
const std::string& text_of(const FieldValue& value);

/// The values that a label field may have, by field; a value's index is its class.
using Labels = std::map<std::string, std::vector<std::string>>;

/// What a field holds that is neither one text nor a label.
struct FieldType {
  ColumnKind kind = ColumnKind::kText;
  std::vector<int64_t> shape;
  bool ragged = false;

  template <class V>
  void visit(V& v) {
    v.field("kind", kind, "text, number, vector or image");
    v.field("shape", shape, "of a vector [size], of an image [channels, rows, columns]");
    v.field("ragged", ragged, "any number of texts, such as the captions of an image");
    const std::string reason = problem();
    v.check(reason.empty(), reason);
  }
  bool operator==(const FieldType&) const = default;

  /// How many numbers a value has that is not text.
  int64_t width() const;
  /// Why no field can have this type; empty if one can.
  std::string problem() const;
  /// "texts", "a number", "a vector of 300 numbers", "an image of 1x8x8 bytes".
  std::string summary() const;
};
using FieldTypes = std::map<std::string, FieldType>;

/// Why `value` is not of this type (none: one text): "63 numbers in place of ..."; empty if it is.
std::string problem_of(const FieldValue& value, const FieldType* type);

/// Records with what their fields are.
struct Records {
  std::vector<std::string> fields;
  Labels labels;
  std::vector<Record> rows;
  FieldTypes types = {};  ///< of the fields that are neither one text nor a label
  /// Of derived records: the index of each in the records that they were taken from; else empty.
  std::vector<int64_t> parents = {};

  /// The type of a field that is neither one text nor a label; null for those.
  const FieldType* type_of(const std::string& field) const;
  /// Whether a field holds one text and is no label.
  bool is_text(const std::string& field) const;
  /// The index of a record in the records that it was taken from; none of records of their own.
  std::optional<int64_t> parent(size_t row) const;
  /// The values of the first field that is a text. Throws DataError if none is.
  std::vector<std::string> texts() const;
  /// The values of a field that is a text or a label. Throws DataError with the fields there are
  /// for another one.
  std::vector<std::string> column(const std::string& field) const;
};

/// The rows as JSON lines: an object per row, whose keys are the fields. Texts are strings, several
/// texts and numbers lists, one number a number; derived records have the key "@parent".
std::string to_json_lines(const Records& records);
/// Sets the rows, and the parents of derived records, to what to_json_lines() wrote of `of`, whose
/// fields and types say what is read. Throws DataError naming the line.
Records parse_json_lines(const std::string& text, Records of);

}  // namespace lvtext
