// Writes datasets row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "framework/core/data/column.h"

namespace lvtext {

/// Writes the file of a dataset (dataset.h) row by row, in memory that does not grow with it. The
/// file appears whole with finish() or not at all. Throws io_error.
class DatasetWriter {
 public:
  DatasetWriter(std::filesystem::path file, std::vector<ColumnDecl> columns);
  ~DatasetWriter();

  // An item of a column, by its index in the declarations, for the row that end_row() ends. Ids out
  // of range, or another number of values than an item has: std::logic_error.

  void add_text(size_t column, std::span<const int32_t> ids);
  void add_label(size_t column, int32_t label);
  void add_numbers(size_t column, std::span<const float> numbers);
  void add_image(size_t column, std::span<const uint8_t> pixels);

  /// Every column that is not ragged needs one item: std::logic_error otherwise. `parent` is the
  /// index of the row's record in the records that it was taken from (Records::parents); all rows
  /// have one, or none has.
  void end_row(std::optional<int64_t> parent = std::nullopt);
  /// Nothing is added after it.
  void finish();

 private:
  class Spool;
  struct Output;

  void add(size_t column, ColumnKind kind, const void* values, size_t bytes);

  std::filesystem::path file_;
  std::vector<Output> columns_;
  int64_t rows_ = 0;
  std::unique_ptr<Spool> parents_;  ///< none until a row has one
};

/// A dataset of the one column "text". `parents`: of derived data, likewise.
void write_text_dataset(const std::filesystem::path& file,
                        const std::vector<std::vector<int32_t>>& sentences,
                        const Vocabulary& vocabulary, std::span<const int64_t> parents = {});

}  // namespace lvtext
