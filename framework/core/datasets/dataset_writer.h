// Writer of dataset files (see dataset.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "framework/core/datasets/column.h"

namespace lvtext {

/// Writes a dataset file (dataset.h) row by row in constant memory. The file is created atomically
/// by finish(). Throws io_error.
class DatasetWriter {
 public:
  DatasetWriter(std::filesystem::path file, const std::vector<ColumnDecl>& columns);
  ~DatasetWriter();

  // Adds an item to the current row; `column` is the index in the declarations. Throws
  // std::logic_error for ids out of range or a wrong number of values.

  void add_text(size_t column, std::span<const int32_t> ids);
  void add_label(size_t column, int32_t label);
  void add_numbers(size_t column, std::span<const float> numbers);
  void add_image(size_t column, std::span<const uint8_t> pixels);

  /// Ends the current row. Throws std::logic_error unless every column that is not ragged has
  /// exactly one item. `parent` is the index of the row's source record (Records::parents); either
  /// all rows have one, or none has.
  void end_row(std::optional<int64_t> parent = std::nullopt);
  /// Writes the file; no rows may be added afterwards.
  void finish();

 private:
  class Spool;
  struct Output;

  std::filesystem::path file_;
  std::vector<Output> columns_;
  int64_t rows_ = 0;
  std::unique_ptr<Spool> parents_;  ///< null until a row has a parent
};

/// Writes a dataset with the single column "text". `parents`: parent of each row for derived data.
void write_text_dataset(const std::filesystem::path& file,
                        const std::vector<std::vector<int32_t>>& sentences,
                        const Vocabulary& vocabulary, std::span<const int64_t> parents = {});

}  // namespace lvtext
