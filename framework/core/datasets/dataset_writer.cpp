#include "framework/core/datasets/dataset_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/file_writer.h"
#include "framework/core/base/safetensors_format.h"
#include "framework/core/datasets/dataset.h"

namespace lvtext {
/// The data of one tensor in an unlinked temporary file, which is deleted when it is closed.
class DatasetWriter::Spool {
 public:
  explicit Spool(const std::filesystem::path& beside)
      : name_(beside.string() + ".tmp-XXXXXX"), fd_(::mkostemp(name_.data(), O_CLOEXEC)) {
    if (fd_ < 0) throw io_error("write", name_, errno);
    ::unlink(name_.c_str());
  }
  ~Spool() {
    if (fd_ >= 0) ::close(fd_);
  }
  Spool(Spool&& other) noexcept
      : name_(std::move(other.name_)),
        fd_(std::exchange(other.fd_, -1)),
        buffer_(std::move(other.buffer_)) {}
  Spool& operator=(Spool&&) = delete;

  void append(const void* data, size_t bytes) {
    buffer_.append(static_cast<const char*>(data), bytes);
    if (buffer_.size() >= kBuffer) flush();
  }
  void copy_to(FileWriter& file) {
    flush();
    buffer_.resize(kBuffer);
    off_t at = 0;
    while (const size_t got = read(at)) {
      file.write(std::string_view(buffer_).substr(0, got));
      // Frees the copied bytes, so that the spool and the file do not both use their space.
      ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, static_cast<off_t>(got));
      at += static_cast<off_t>(got);
    }
  }

 private:
  static constexpr size_t kBuffer = size_t{1} << 18;

  void flush() {
    std::string_view left = buffer_;
    while (!left.empty()) {
      const ssize_t put = ::write(fd_, left.data(), left.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw io_error("write", name_, errno);
      left.remove_prefix(put);
    }
    buffer_.clear();
  }
  size_t read(off_t at) {
    while (true) {
      const ssize_t got = ::pread(fd_, buffer_.data(), buffer_.size(), at);
      if (got >= 0) return got;
      if (errno != EINTR) throw io_error("read", name_, errno);
    }
  }

  std::string name_;
  int fd_;
  std::string buffer_;
};

/// State of a column: its tensors so far, and the number of items before the current row.
struct DatasetWriter::Output {
  ColumnDecl decl;
  bool narrow;
  Spool values, offsets, rows;
  int64_t numbers = 0, items = 0, items_before = 0;

  Output(ColumnDecl column, const std::filesystem::path& file)
      : decl(std::move(column)),
        narrow(decl.dtype() == "I16"),
        values(file),
        offsets(file),
        rows(file) {
    offsets.append(&numbers, sizeof numbers);
    rows.append(&items, sizeof items);
  }
  bool is_text() const { return decl.kind == ColumnKind::kText; }

  void append_id(int32_t id) {
    const int32_t end = is_text() ? decl.vocabulary.size : decl.classes;
    LVT_ASSERT(id >= 0 && id < end, "id " + std::to_string(id) + " is not in [0, " +
                                        std::to_string(end) + ") of column " + decl.name);
    values.append(&id, narrow ? sizeof(int16_t) : sizeof(int32_t));  // little endian
  }
  void end_item(size_t count) {
    LVT_ASSERT(is_text() || static_cast<int64_t>(count) == decl.width(),
               std::to_string(count) + " values for an item of column " + decl.name);
    numbers += static_cast<int64_t>(count);
    if (is_text()) offsets.append(&numbers, sizeof numbers);
    ++items;
  }
  void end_row() {
    LVT_ASSERT(decl.ragged || items == items_before + 1,
               "a row needs one item of column " + decl.name);
    if (decl.ragged) rows.append(&items, sizeof items);
    items_before = items;
  }
};

DatasetWriter::DatasetWriter(std::filesystem::path file, const std::vector<ColumnDecl>& columns)
    : file_(std::move(file)) {
  LVT_ASSERT(!columns.empty(), "a dataset needs a column");
  columns_.reserve(columns.size());
  // The round trip rejects declarations that a reader would reject.
  for (const auto& column : columns)
    columns_.emplace_back(column_from_json(to_json(column)), file_);
}

DatasetWriter::~DatasetWriter() = default;

void DatasetWriter::add_text(size_t column, std::span<const int32_t> ids) {
  Output& output = columns_.at(column);
  LVT_ASSERT(output.is_text(), output.decl.name + " is not a text column");
  for (const int32_t id : ids) output.append_id(id);
  output.end_item(ids.size());
}

void DatasetWriter::add_label(size_t column, int32_t label) {
  Output& output = columns_.at(column);
  LVT_ASSERT(output.decl.kind == ColumnKind::kLabel, output.decl.name + " is not a label column");
  output.append_id(label);
  output.end_item(1);
}

void DatasetWriter::add_numbers(size_t column, std::span<const float> numbers) {
  Output& output = columns_.at(column);
  LVT_ASSERT(output.decl.dtype() == "F32", output.decl.name + " is not a numeric column");
  output.values.append(numbers.data(), numbers.size_bytes());
  output.end_item(numbers.size());
}

void DatasetWriter::add_image(size_t column, std::span<const uint8_t> pixels) {
  Output& output = columns_.at(column);
  LVT_ASSERT(output.decl.kind == ColumnKind::kImage, output.decl.name + " is not an image column");
  output.values.append(pixels.data(), pixels.size_bytes());
  output.end_item(pixels.size());
}

void DatasetWriter::end_row(std::optional<int64_t> parent) {
  for (Output& output : columns_) output.end_row();
  LVT_ASSERT(rows_ == 0 || parent.has_value() == (parents_ != nullptr),
             "either all rows have a parent, or none has");
  if (parent && !parents_) parents_ = std::make_unique<Spool>(file_);
  if (parent) parents_->append(&*parent, sizeof *parent);
  ++rows_;
}

void DatasetWriter::finish() {
  std::vector<TensorEntry> entries;
  std::map<std::string, Spool*> spools;
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (Output& output : columns_) {
    const ColumnDecl& decl = output.decl;
    std::vector<int64_t> shape = {output.is_text() ? output.numbers : output.items};
    shape.insert(shape.end(), decl.shape.begin(), decl.shape.end());
    entries.push_back({decl.name, std::string(decl.dtype()), shape});
    spools[decl.name] = &output.values;
    if (output.is_text()) {
      entries.push_back({decl.name + ".offsets", "I64", {output.items + 1}});
      spools[entries.back().name] = &output.offsets;
    }
    if (decl.ragged) {
      entries.push_back({decl.name + ".rows", "I64", {rows_ + 1}});
      spools[entries.back().name] = &output.rows;
    }
    columns.push_back(to_json(decl));
  }
  if (parents_) {
    entries.push_back({kParentsTensor, "I64", {rows_}});
    spools[kParentsTensor] = parents_.get();
  }
  entries = lay_out_tensors(std::move(entries), file_.string());
  FileWriter file(file_);
  file.write(safetensors_prefix(entries, {{"schema", kDatasetSchema}, {"columns", columns.dump()}},
                                file_.string()));
  for (const TensorEntry& entry : entries) spools.at(entry.name)->copy_to(file);
  file.commit();
}

void write_text_dataset(const std::filesystem::path& file,
                        const std::vector<std::vector<int32_t>>& sentences,
                        const Vocabulary& vocabulary, std::span<const int64_t> parents) {
  LVT_ASSERT(parents.empty() || parents.size() == sentences.size(),
             "parents and sentences differ in size");
  DatasetWriter writer(file, {{.vocabulary = vocabulary}});
  for (size_t row = 0; row < sentences.size(); ++row) {
    writer.add_text(0, sentences[row]);
    writer.end_row(parents.empty() ? std::nullopt : std::optional(parents[row]));
  }
  writer.finish();
}

}  // namespace lvtext
