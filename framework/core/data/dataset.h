// Numeric data: rows of named columns, in safetensors files that processes share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/core/base/mapped_file.h"
#include "framework/core/data/column.h"

namespace lvtext {

/// The name of a dataset's file in the folder of a node, and that of its schema.
inline constexpr const char* kDatasetFile = "dataset.safetensors";
inline constexpr const char* kDatasetSchema = "lvtext.dataset/1";
/// The tensor of Dataset::parents(); no column has such a name.
inline constexpr const char* kParentsTensor = ".parents";

/// One column of a dataset: a view that keeps the file mapped. Immutable; may be read from many
/// threads.
class DatasetColumn {
 public:
  const ColumnDecl& decl() const { return decl_; }
  /// Number of rows.
  int64_t size() const { return size_; }
  /// Number of items of a row: 1 unless the column is ragged.
  int64_t items(int64_t row) const;
  /// Numbers of an item: of a text its tokens.
  int64_t length(int64_t row, int64_t item = 0) const { return span_of(row, item).count; }
  /// Tokens of the longest item of a row; of what is no text 0.
  int64_t longest(int64_t row) const;
  /// Tokens of all items; of what is no text 0.
  int64_t total_tokens() const;
  /// The token ids of an item of a text, or the value of a label.
  std::vector<int32_t> tokens(int64_t row, int64_t item = 0) const;
  /// Copies an item to `out`, which has room for length(row, item) numbers.
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

 private:
  friend class Dataset;
  enum class Stored { kI16, kI32, kF32, kU8 };
  /// Where the numbers of one item lie.
  struct Span {
    int64_t begin, count;
  };
  template <class From, class T>
  void copy_as(const Span& span, T* out) const {
    const From* from = reinterpret_cast<const From*>(values_) + span.begin;
    for (int64_t k = 0; k < span.count; ++k) out[k] = static_cast<T>(from[k]);
  }
  Span span_of(int64_t row, int64_t item) const;
  /// Where a row lies in the file. Throws std::logic_error if there is no such row.
  int64_t stored_row(int64_t row) const;
  /// The rows of these numbers; all are there.
  DatasetColumn select(std::span<const int64_t> rows) const;

  std::shared_ptr<const MappedFile> file_;
  ColumnDecl decl_;
  Stored stored_ = Stored::kI32;
  const char* values_ = nullptr;
  const int64_t* offsets_ = nullptr;  ///< of texts: where items begin in the values
  const int64_t* rows_ = nullptr;     ///< of ragged columns: where rows begin in the items
  std::shared_ptr<const std::vector<int64_t>> selected_;  ///< rows of the file; none: all
  int64_t size_ = 0, items_ = 0, width_ = 1;
};

/// Rows of named columns. Immutable and cheap to copy; may be read from many threads.
///
/// A file is in safetensors format. The values of column C are the tensor "C" [items, ...], of
/// texts [tokens]; "C.offsets" [items + 1] says where the items of a text begin, "C.rows" [rows +
/// 1] where the rows of a ragged column begin; of derived data ".parents" [rows] (parents()). The
/// metadata hold "schema" and "columns", a JSON list.
class Dataset {
 public:
  /// Maps a file and checks its layout, offsets, ids and labels, and that numbers are finite.
  /// Throws MissingError if it is not there, or DataError naming the file.
  explicit Dataset(const std::filesystem::path& file);
  /// The columns of datasets side by side, whose rows belong together one by one. The parts that
  /// `of_parents` marks (none where it is empty) hold the records that the first of the others was
  /// taken from: of them the rows of its parents are taken. Throws DataError if the parts differ in
  /// their number of rows, or share the name of a column.
  static Dataset join(const std::vector<Dataset>& parts, const std::vector<bool>& of_parents = {});

  /// Number of rows.
  int64_t size() const { return columns_.front().size(); }
  const std::vector<DatasetColumn>& columns() const { return columns_; }
  /// Names of the columns, in their order.
  std::vector<std::string> names() const;
  /// Throws DataError, with the columns there are, for another name.
  const DatasetColumn& column(const std::string& name) const;
  /// One column alone, with the parents. Throws DataError, likewise.
  Dataset only(const std::string& name) const;
  /// Tokens of the longest text of each row; 0 where no column is a text.
  std::vector<int64_t> lengths() const;
  /// Tokens of all texts.
  int64_t total_tokens() const;
  /// Of derived data the index of each row's record in the records that it was taken from; else
  /// empty.
  std::span<const int64_t> parents() const { return parents_; }
  /// The rows of these numbers, in their order; a row may be there several times. By the parents of
  /// derived data, columns of what they were taken from come to stand beside their own. Throws
  /// DataError for a number that is no row's.
  Dataset select(std::span<const int64_t> rows) const;

 private:
  Dataset() = default;

  std::vector<DatasetColumn> columns_;
  std::span<const int64_t> parents_;  ///< in a file that the columns keep mapped, or in chosen_
  std::shared_ptr<const std::vector<int64_t>> chosen_;  ///< the parents of selected rows
};

}  // namespace lvtext
