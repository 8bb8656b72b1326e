// Records: examples with named fields, before tokenization.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/datasets/column.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// The bytes of an image [channels, rows, columns]. Immutable; copies share the bytes, so that
/// derived records refer to the pixels of their source records.
class ImageBytes {
 public:
  ImageBytes() = default;
  explicit ImageBytes(std::vector<uint8_t> bytes);
  /// Bytes that are valid while `owner` exists, such as those of a mapped file.
  ImageBytes(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), bytes_(bytes) {}

  std::span<const uint8_t> bytes() const { return bytes_; }
  /// Compares the contents.
  std::strong_ordering operator<=>(const ImageBytes& other) const;
  bool operator==(const ImageBytes& other) const { return (*this <=> other) == 0; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const uint8_t> bytes_;
};

/// The value of a field: a text (for a label its name), several texts, numbers, or an image.
/// Readers may return the pixels of an image as numbers from 0 to 255, which become bytes
/// (with_bytes()).
using FieldValue =
    std::variant<std::string, std::vector<std::string>, std::vector<float>, ImageBytes>;

/// One value per field, in the order of the fields.
using Record = std::vector<FieldValue>;

/// The value of a text field, or the name of a label.
const std::string& text_of(const FieldValue& value);

/// The allowed values of each label field; the index of a value is its class.
using Labels = std::map<std::string, std::vector<std::string>>;

/// Type of a field that is neither a single text nor a label.
struct FieldType {
  ColumnKind kind = ColumnKind::kText;
  std::vector<int64_t> shape;
  bool ragged = false;

  template <class V>
  void visit(V& v) {
    v.field("kind", kind, "type of the values: text, number, vector or image");
    v.field("shape", shape, "[size] for vectors, [channels, rows, columns] for images");
    v.field("ragged", ragged,
            "whether a record has any number of texts, such as the captions of an image");
    const std::string reason = problem();
    v.check(reason.empty(), reason);
  }
  bool operator==(const FieldType&) const = default;

  /// Number of elements of a value that is not text.
  int64_t width() const;
  /// Why the type is invalid; empty if it is valid.
  std::string problem() const;
  /// "texts", "a number", "a vector of 300 numbers", "an image of 1x8x8 bytes".
  std::string summary() const;
};
using FieldTypes = std::map<std::string, FieldType>;

/// Why `value` is not of this type (null: a single text), such as "63 numbers in place of ...";
/// empty if it is.
std::string problem_of(const FieldValue& value, const FieldType* type);
/// The value, an image of numbers as bytes. The value must have no problem_of() the type.
FieldValue with_bytes(FieldValue value, const FieldType* type);

/// Records with the description of their fields.
struct Records {
  std::vector<std::string> fields;
  Labels labels;
  std::vector<Record> rows;
  FieldTypes types = {};  ///< types of fields that are neither one text nor a label
  /// For derived records, the index of each record's source record; else empty.
  std::vector<int64_t> parents = {};

  /// The type of a field; null if it is a single text or a label.
  const FieldType* type_of(const std::string& field) const;
  /// Whether a field is a single text and not a label.
  bool is_text(const std::string& field) const;
  /// The index of the source record of a derived record; nullopt if the records are not derived.
  std::optional<int64_t> parent(size_t row) const;
  /// The values of the first text field. Throws DataError if there is none.
  std::vector<std::string> texts() const;
  /// The values of a text or label field. Throws DataError, listing the fields, for any other.
  std::vector<std::string> column(const std::string& field) const;
};

/// Stores an image of a field; returns its row in the file of the field's images.
using StoreImage = std::function<int64_t(const std::string& field, const ImageBytes& image)>;
/// The image in a row of the file of the field's images. Throws DataError if there is none.
using LoadImage = std::function<ImageBytes(const std::string& field, int64_t row)>;

/// The rows as JSON lines: one object per row, whose keys are the fields. A text is a string, a
/// single number a number; several texts or numbers are lists; an image is the number returned by
/// `store`. Derived records have the key "@parent".
std::string to_json_lines(const Records& records, const StoreImage& store = {});
/// Parses the rows, and the parents of derived records, from the output of to_json_lines(); an
/// image may also be the list of its pixels. `of` specifies the fields and types; returns it with
/// the rows. Throws DataError naming the line.
Records parse_json_lines(const std::string& text, Records of, const LoadImage& load = {});

}  // namespace lvtext
