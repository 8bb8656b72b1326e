#include "framework/core/datasets/dataset.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/safetensors_format.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
  throw DataError("'" + path + "' is not a valid dataset: " + what +
                  "; remove its folder (`lvtext runs rm`) to have it built again");
}

/// The tensors of a file by name; each belongs to one column.
class Tensors {
 public:
  Tensors(const MappedFile& file, const SafetensorsHeader& header, uint64_t data_begin)
      : file_(file), data_begin_(data_begin) {
    for (const auto& entry : header.entries) entries_[entry.name] = &entry;
  }

  /// Removes a tensor and returns its data. A -1 in `shape` matches any size and is replaced by it.
  const char* take(const std::string& name, std::string_view dtype, std::vector<int64_t>& shape) {
    const auto found = entries_.find(name);
    if (found == entries_.end()) damaged(file_.path(), "the tensor '" + name + "' is missing");
    const TensorEntry& entry = *found->second;
    bool fits = entry.dtype == dtype && entry.shape.size() == shape.size();
    for (size_t i = 0; fits && i < shape.size(); ++i) {
      if (shape[i] < 0) shape[i] = entry.shape[i];
      fits = shape[i] == entry.shape[i];
    }
    if (!fits) damaged(file_.path(), "the tensor '" + name + "' has the wrong dtype or shape");
    entries_.erase(found);
    return file_.bytes().data() + data_begin_ + entry.begin;
  }
  bool has(const std::string& name) const { return entries_.contains(name); }
  /// True if all tensors were taken.
  bool empty() const { return entries_.empty(); }

 private:
  const MappedFile& file_;
  uint64_t data_begin_;
  std::map<std::string, const TensorEntry*> entries_;
};

/// Takes offsets [n + 1], which must be non-decreasing from 0 to `end`; returns them with n.
std::pair<const int64_t*, int64_t> take_offsets(Tensors& tensors, const std::string& name,
                                                int64_t end, const std::string& path) {
  std::vector<int64_t> shape = {-1};
  const auto* offsets = reinterpret_cast<const int64_t*>(tensors.take(name, "I64", shape));
  const int64_t count = shape.front() - 1;
  const bool fit = count >= 0 && offsets[0] == 0 && offsets[count] == end &&
                   std::is_sorted(offsets, offsets + count + 1);
  if (!fit) damaged(path, "'" + name + "' does not increase from 0 to " + std::to_string(end));
  return {offsets, count};
}

/// Throws unless all of `count` ids are in [0, end).
template <class T>
void check_ids(const char* values, int64_t count, int32_t end, const std::string& name,
               const std::string& path) {
  const T* id = reinterpret_cast<const T*>(values);
  for (int64_t k = 0; k < count; ++k) {
    if (id[k] >= 0 && id[k] < end) continue;
    damaged(path, "'" + name + "' has the id " + std::to_string(id[k]) + ", which is not in [0, " +
                      std::to_string(end) + ")");
  }
}

void check_finite(const char* values, int64_t count, const std::string& name,
                  const std::string& path) {
  const auto* number = reinterpret_cast<const float*>(values);
  const bool finite =
      std::all_of(number, number + count, [](float value) { return std::isfinite(value); });
  if (!finite) damaged(path, "'" + name + "' has numbers that are not finite");
}

std::vector<ColumnDecl> columns_of(const SafetensorsHeader& header, const std::string& path) {
  const auto schema = header.metadata.find("schema");
  if (schema == header.metadata.end() || schema->second != kDatasetSchema) {
    damaged(path, std::string("its metadata do not specify the schema ") + kDatasetSchema);
  }
  const auto text = header.metadata.find("columns");
  const auto json = text == header.metadata.end()
                        ? nlohmann::json()
                        : nlohmann::json::parse(text->second, nullptr, false);
  if (!json.is_array() || json.empty()) damaged(path, "its metadata do not list columns");
  std::vector<ColumnDecl> columns;
  try {
    for (const auto& each : json) columns.push_back(column_from_json(each));
  } catch (const DataError& error) {
    damaged(path, error.what());
  }
  return columns;
}

}  // namespace

int64_t DatasetColumn::stored_row(int64_t row) const {
  LVT_ASSERT(row >= 0 && row < size_,
             "row " + std::to_string(row) + " is out of range; rows: " + std::to_string(size_));
  return selected_ ? (*selected_)[row] : row;
}

int64_t DatasetColumn::items(int64_t row) const {
  const int64_t stored = stored_row(row);
  return rows_ ? rows_[stored + 1] - rows_[stored] : 1;
}

DatasetColumn::Span DatasetColumn::span_of(int64_t row, int64_t item) const {
  LVT_ASSERT(item >= 0 && item < items(row), "item " + std::to_string(item) + " is out of range");
  const int64_t stored = stored_row(row);
  const int64_t at = rows_ ? rows_[stored] + item : stored;
  if (offsets_) return {offsets_[at], offsets_[at + 1] - offsets_[at]};
  return {at * width_, width_};
}

int64_t DatasetColumn::longest(int64_t row) const {
  int64_t longest = 0;
  for (int64_t item = 0; offsets_ && item < items(row); ++item) {
    longest = std::max(longest, length(row, item));
  }
  return longest;
}

int64_t DatasetColumn::total_tokens() const {
  if (!offsets_ || !selected_) return offsets_ ? offsets_[items_] : 0;
  int64_t tokens = 0;
  for (int64_t row = 0; row < size_; ++row) {
    for (int64_t item = 0; item < items(row); ++item) tokens += length(row, item);
  }
  return tokens;
}

DatasetColumn DatasetColumn::select(std::span<const int64_t> rows) const {
  std::vector<int64_t> stored;
  for (const int64_t row : rows) stored.push_back(stored_row(row));
  DatasetColumn selected = *this;
  selected.size_ = std::ssize(stored);
  selected.selected_ = std::make_shared<const std::vector<int64_t>>(std::move(stored));
  return selected;
}

std::vector<int32_t> DatasetColumn::tokens(int64_t row, int64_t item) const {
  std::vector<int32_t> ids(length(row, item));
  copy(row, item, ids.data());
  return ids;
}

std::span<const uint8_t> DatasetColumn::image(int64_t row) const {
  LVT_ASSERT(stored_ == Stored::kU8, decl_.name + " is not a column of images");
  const Span span = span_of(row, 0);
  return {reinterpret_cast<const uint8_t*>(values_) + span.begin, static_cast<size_t>(span.count)};
}

Dataset::Dataset(const std::filesystem::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  const std::string_view bytes = file->bytes();
  const uint64_t length = safetensors_header_length(bytes, bytes.size(), file->path());
  const uint64_t begin = sizeof length + length;
  const SafetensorsHeader header = parse_safetensors_header(bytes.substr(sizeof length, length),
                                                            bytes.size() - begin, file->path());
  if (begin % sizeof(int64_t) != 0) damaged(file->path(), "its tensors are not aligned");
  Tensors tensors(*file, header, begin);
  for (ColumnDecl& decl : columns_of(header, file->path())) {
    DatasetColumn column;
    column.file_ = file;
    column.width_ = decl.width();
    std::vector<int64_t> shape = {-1};
    shape.insert(shape.end(), decl.shape.begin(), decl.shape.end());
    const std::string_view dtype = decl.dtype();
    column.values_ = tensors.take(decl.name, dtype, shape);
    const int64_t numbers = shape.front() * column.width_;
    if (dtype == "I16" || dtype == "I32") {
      const int32_t end = decl.kind == ColumnKind::kText ? decl.vocabulary.size : decl.classes;
      column.stored_ = dtype == "I16" ? DatasetColumn::Stored::kI16 : DatasetColumn::Stored::kI32;
      (dtype == "I16" ? check_ids<int16_t> : check_ids<int32_t>)(column.values_, numbers, end,
                                                                 decl.name, file->path());
    } else if (dtype == "F32") {
      column.stored_ = DatasetColumn::Stored::kF32;
      check_finite(column.values_, numbers, decl.name, file->path());
    } else {
      column.stored_ = DatasetColumn::Stored::kU8;
    }
    column.items_ = shape.front();
    if (decl.kind == ColumnKind::kText) {
      std::tie(column.offsets_, column.items_) =
          take_offsets(tensors, decl.name + ".offsets", shape.front(), file->path());
    }
    column.size_ = column.items_;
    if (decl.ragged) {
      std::tie(column.rows_, column.size_) =
          take_offsets(tensors, decl.name + ".rows", column.items_, file->path());
    }
    column.decl_ = std::move(decl);
    columns_.push_back(std::move(column));
  }
  if (tensors.has(kParentsTensor)) {
    std::vector<int64_t> shape = {size()};
    const char* parents = tensors.take(kParentsTensor, "I64", shape);
    parents_ = {reinterpret_cast<const int64_t*>(parents), static_cast<size_t>(size())};
    const bool are_indices =
        std::all_of(parents_.begin(), parents_.end(), [](int64_t parent) { return parent >= 0; });
    if (!are_indices) damaged(file->path(), "it has negative indices of parents");
  }
  if (!tensors.empty()) damaged(file->path(), "it has tensors that belong to no column");
  for (const DatasetColumn& column : columns_) {
    if (column.size() == size()) continue;
    damaged(file->path(), "the columns '" + columns_.front().decl().name + "' and '" +
                              column.decl().name + "' differ in their number of rows");
  }
}

Dataset Dataset::only(const std::string& name) const {
  Dataset one;
  one.columns_.push_back(column(name));
  one.parents_ = parents_;
  one.chosen_ = chosen_;
  return one;
}

Dataset Dataset::join(const std::vector<Dataset>& parts, const std::vector<bool>& of_parents) {
  const auto is_parent = [&](size_t part) { return !of_parents.empty() && of_parents[part]; };
  size_t first = 0;
  while (first < parts.size() && is_parent(first)) ++first;
  LVT_ASSERT(first < parts.size(), "join needs a part that is not marked in of_parents");
  const Dataset& base = parts[first];
  Dataset joined;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Dataset part = is_parent(i) ? parts[i].select(base.parents()) : parts[i];
    if (part.size() != base.size()) {
      throw DataError("datasets of " + format_count(base.size()) + " and " +
                      format_count(part.size(), "row") + " cannot be joined");
    }
    for (const DatasetColumn& column : part.columns()) {
      const auto names = joined.names();
      if (std::find(names.begin(), names.end(), column.decl().name) != names.end()) {
        throw DataError("two of the datasets to be joined have a column '" + column.decl().name +
                        "'");
      }
      joined.columns_.push_back(column);
    }
  }
  joined.parents_ = base.parents_;
  joined.chosen_ = base.chosen_;
  return joined;
}

Dataset Dataset::select(std::span<const int64_t> rows) const {
  for (const int64_t row : rows) {
    if (row >= 0 && row < size()) continue;
    throw DataError("there is no row " + format_count(row + 1) + " in a dataset of " +
                    format_count(size(), "row"));
  }
  Dataset selected;
  for (const DatasetColumn& column : columns_) selected.columns_.push_back(column.select(rows));
  if (parents_.empty()) return selected;
  std::vector<int64_t> parents;
  for (const int64_t row : rows) parents.push_back(parents_[row]);
  selected.chosen_ = std::make_shared<const std::vector<int64_t>>(std::move(parents));
  selected.parents_ = *selected.chosen_;
  return selected;
}

std::vector<std::string> Dataset::names() const {
  std::vector<std::string> names;
  for (const DatasetColumn& column : columns_) names.push_back(column.decl().name);
  return names;
}

const DatasetColumn& Dataset::column(const std::string& name) const {
  for (const DatasetColumn& column : columns_) {
    if (column.decl().name == name) return column;
  }
  throw DataError("the dataset has no column '" + name + "'; it has " + lvtext::join(names()));
}

std::vector<int64_t> Dataset::lengths() const {
  std::vector<int64_t> lengths(size(), 0);
  for (const DatasetColumn& column : columns_) {
    for (int64_t row = 0; row < size(); ++row) {
      lengths[row] = std::max(lengths[row], column.longest(row));
    }
  }
  return lengths;
}

int64_t Dataset::total_tokens() const {
  int64_t tokens = 0;
  for (const DatasetColumn& column : columns_) tokens += column.total_tokens();
  return tokens;
}

}  // namespace lvtext
