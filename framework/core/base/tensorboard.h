// Writes TensorBoard's event files: length-framed, checksummed protocol-buffer records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace lvtext {

/// Appends scalars and texts to one event file, for TensorBoard's scalar and text dashboards; '/'
/// in names groups them. Data are written by flush() and the destructor. Errors are io_errors.
class TensorboardWriter {
 public:
  /// Opens `folder/events.out.tfevents.<name>` for appending; `name` has no '/'. A new file starts
  /// with the version record "brain.Event:2"; a partial record at the end of an old one is removed.
  TensorboardWriter(const std::filesystem::path& folder, const std::string& name);
  ~TensorboardWriter();
  TensorboardWriter(const TensorboardWriter&) = delete;
  TensorboardWriter& operator=(const TensorboardWriter&) = delete;

  void scalar(std::string_view tag, int64_t step, double value);
  /// `text`: Markdown in UTF-8.
  void text(std::string_view tag, int64_t step, std::string_view text);
  /// Writes SessionLog START at `step`: readers discard data of an interrupted run from this step
  /// on.
  void restart(int64_t step);
  void flush();
  const std::filesystem::path& path() const { return path_; }

 private:
  void record(const std::string& event);
  std::filesystem::path path_;
  std::string buffer_;
  int fd_ = -1;
};

/// CRC-32C rotated and offset as the record format stores it.
uint32_t masked_crc32c(std::string_view bytes);

}  // namespace lvtext
