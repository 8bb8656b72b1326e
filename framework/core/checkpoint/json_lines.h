// Append-only files with one JSON object per line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lvtext {

/// Appends JSON lines to a file. When append() returns, the complete line has been passed to the
/// kernel, so that it survives a crash of the process; sync() makes it survive power loss. Throws
/// io_error.
class JsonLines {
 public:
  /// Opens `path` for appending, creating it if needed, without reading it. The first line of the
  /// file has the field `schema`, the name of its format. Throws DataError if `path` is not a
  /// regular file.
  JsonLines(const std::filesystem::path& path, std::string schema);
  ~JsonLines();
  JsonLines(JsonLines&& other) noexcept;
  JsonLines& operator=(JsonLines&&) = delete;

  void append(const nlohmann::ordered_json& object);
  void sync();
  /// Returns the content of the file.
  std::string content() const;
  /// Restores an earlier `content`: truncates the file to it, or rewrites the file if it no longer
  /// begins with `content`. Returns false if the file had to be rewritten.
  bool restore(const std::string& content);
  const std::filesystem::path& path() const { return path_; }

 private:
  void write(std::string_view text);
  void truncate(uint64_t bytes);

  std::filesystem::path path_;
  std::string schema_;
  uint64_t size_ = 0;
  int fd_ = -1;
};

}  // namespace lvtext
