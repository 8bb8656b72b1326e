// Tokenized and numeric data: rows of named columns in memory-mapped safetensors files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/core/base/mapped_file.h"
#include "framework/core/datasets/column.h"

namespace lvtext {

/// Name of a dataset's file in the folder of a node, and name of its schema.
inline constexpr const char* kDatasetFile = "dataset.safetensors";
inline constexpr const char* kDatasetSchema = "lvtext.dataset/1";
/// Name of the tensor of Dataset::parents(); reserved: no column may have this name.
inline constexpr const char* kParentsTensor = ".parents";

/// One column of a dataset: a view that keeps the file mapped. Immutable and thread-safe.
class DatasetColumn {
 public:
  const ColumnDecl& decl() const { return decl_; }
  /// Number of rows.
  int64_t size() const { return size_; }
  /// Number of items of a row: 1 unless the column is ragged.
  int64_t items(int64_t row) const;
  /// Number of values of an item; for text columns its number of tokens.
  int64_t length(int64_t row, int64_t item = 0) const { return span_of(row, item).count; }
  /// Number of tokens of the longest item of a row; 0 if the column is not text.
  int64_t longest(int64_t row) const;
  /// Number of tokens of all items; 0 if the column is not text.
  int64_t total_tokens() const;
  /// Token ids of an item of a text column, or the value of a label.
  std::vector<int32_t> tokens(int64_t row, int64_t item = 0) const;
  /// Copies the length(row, item) values of an item to `out`.
  template <class T>
  void copy(int64_t row, int64_t item, T* out) const {
    const Span span = span_of(row, item);
    switch (stored_) {
      case Stored::kI16: return copy_as<int16_t>(span, out);
      case Stored::kI32: return copy_as<int32_t>(span, out);
      case Stored::kF32: return copy_as<float>(span, out);
      case Stored::kU8: return copy_as<uint8_t>(span, out);
    }
  }

  /// The pixels of the image of a row, which has exactly one: bytes of the mapped file.
  std::span<const uint8_t> image(int64_t row) const;

 private:
  friend class Dataset;
  enum class Stored { kI16, kI32, kF32, kU8 };
  /// Position of the values of one item.
  struct Span {
    int64_t begin, count;
  };
  template <class From, class T>
  void copy_as(const Span& span, T* out) const {
    const From* from = reinterpret_cast<const From*>(values_) + span.begin;
    for (int64_t k = 0; k < span.count; ++k) out[k] = static_cast<T>(from[k]);
  }
  Span span_of(int64_t row, int64_t item) const;
  /// Index of a row in the file. Throws std::logic_error if `row` is out of range.
  int64_t stored_row(int64_t row) const;
  /// The rows with these indices, all of which must be in range.
  DatasetColumn select(std::span<const int64_t> rows) const;

  std::shared_ptr<const MappedFile> file_;
  ColumnDecl decl_;
  Stored stored_ = Stored::kI32;
  const char* values_ = nullptr;
  const int64_t* offsets_ = nullptr;  ///< for text columns: start of each item in the values
  const int64_t* rows_ = nullptr;     ///< for ragged columns: start of each row in the items
  std::shared_ptr<const std::vector<int64_t>> selected_;  ///< row indices in the file; null: all
  int64_t size_ = 0, items_ = 0, width_ = 1;
};

/// Rows of named columns. Immutable, thread-safe and cheap to copy.
///
/// The file is in safetensors format. The values of column C are the tensor "C" [items, ...], for
/// text columns [tokens]; "C.offsets" [items + 1] has the start of each item of a text column,
/// "C.rows" [rows + 1] the start of each row of a ragged column; derived data have ".parents"
/// [rows] (see parents()). The metadata contain "schema" and "columns", a JSON list.
class Dataset {
 public:
  /// Maps a file and checks its layout, offsets, ids and labels, and that numbers are finite.
  /// Throws MissingError if the file does not exist, or DataError naming the file.
  explicit Dataset(const std::filesystem::path& path);
  /// Joins the columns of datasets whose rows correspond by index. The parts marked in `of_parents`
  /// (none if it is empty) contain the records from which the first unmarked part was derived, and
  /// their rows are selected by its parents(). Throws DataError if the parts differ in their number
  /// of rows, or two columns have the same name.
  static Dataset join(const std::vector<Dataset>& parts, const std::vector<bool>& of_parents = {});

  /// Number of rows.
  int64_t size() const { return columns_.front().size(); }
  const std::vector<DatasetColumn>& columns() const { return columns_; }
  /// Column names, in order.
  std::vector<std::string> names() const;
  /// Throws DataError, listing the columns, if there is no such column.
  const DatasetColumn& column(const std::string& name) const;
  /// A dataset of one column, with the parents. Throws DataError as column() does.
  Dataset only(const std::string& name) const;
  /// Number of tokens of the longest text of each row; 0 if there is no text column.
  std::vector<int64_t> lengths() const;
  /// Number of tokens of all texts.
  int64_t total_tokens() const;
  /// For derived data, the index of each row's source record; else empty.
  std::span<const int64_t> parents() const { return parents_; }
  /// The rows with these indices, in this order; an index may occur several times. With the
  /// parents of derived data as indices, selects the rows of the source dataset that correspond to
  /// the derived rows. Throws DataError if an index is out of range.
  Dataset select(std::span<const int64_t> rows) const;

 private:
  Dataset() = default;

  std::vector<DatasetColumn> columns_;
  std::span<const int64_t> parents_;  ///< points into the mapped file or into chosen_
  std::shared_ptr<const std::vector<int64_t>> chosen_;  ///< parents of selected rows
};

}  // namespace lvtext
