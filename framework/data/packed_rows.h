// Packed corpora side by side: the fields of the rows that a training reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "framework/data/packed.h"

namespace lvtext {

/// One field of all rows: a text, or a label that is stored as a sentence of one id.
struct PackedField {
  std::string name = "text";
  bool is_label = false;
  std::shared_ptr<const PackedCorpus> corpus;
};

/// Fields of equally many rows. Immutable; may be read from many threads.
class PackedRows {
 public:
  /// Rows of the one field "text".
  PackedRows(std::shared_ptr<const PackedCorpus> text);  // NOLINT: a corpus is such rows
  /// Throws DataError if the fields differ in rows, none is a text, the texts differ in vocabulary,
  /// or a label is no single id.
  explicit PackedRows(std::vector<PackedField> fields);
  /// Reads the folder of a pack: corpus.pack alone, or what write() wrote. Throws MissingError or
  /// DataError.
  static PackedRows read(const std::filesystem::path& folder);

  /// A field to be written: one list of ids per row, all below `ids`.
  struct NewField {
    std::string name;
    bool is_label = false;
    int32_t ids = 0;
    std::vector<std::vector<int32_t>> rows;
  };
  /// Writes `<name>.pack` for each field, and fields.json; returns the files' names.
  static std::vector<std::string> write(const std::filesystem::path& folder,
                                        const std::vector<NewField>& fields);

  const std::vector<PackedField>& fields() const { return fields_; }
  int64_t size() const { return fields_.front().corpus->size(); }
  /// Tokens of the longest text of each row.
  std::vector<int64_t> lengths() const;
  /// Tokens of all texts.
  int64_t total_tokens() const;
  /// Number of pieces or words of the texts.
  int32_t vocabulary() const;
  /// Number of values of the label; 0 without one.
  int32_t classes() const;

 private:
  std::vector<PackedField> fields_;
};

}  // namespace lvtext
