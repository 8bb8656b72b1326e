// Files of one JSON object per line that only grow.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace lvtext {

/// Appends JSON lines to a file. A line is handed to the kernel whole when append() returns, so
/// that it survives the death of the process; sync() makes it survive power loss. Errors are
/// io_errors.
class JsonLines {
 public:
  /// Opens `path` for appending, creating it. Nothing is read.
  explicit JsonLines(const std::filesystem::path& path);
  ~JsonLines();
  JsonLines(JsonLines&& other) noexcept;
  JsonLines& operator=(JsonLines&&) = delete;

  void append(const nlohmann::ordered_json& object);
  void sync();
  /// Length in bytes, which a checkpoint records.
  uint64_t size() const { return size_; }
  /// Cuts off what was written after a checkpoint that recorded `bytes`. Throws DataError if the
  /// file is shorter than that or would end inside a line.
  void truncate_to(uint64_t bytes);
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  uint64_t size_ = 0;
  int fd_ = -1;
};

}  // namespace lvtext
