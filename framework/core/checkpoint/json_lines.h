// Files of one JSON object per line that only grow.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lvtext {

/// Appends JSON lines to a file. A line is handed to the kernel whole when append() returns, so
/// that it survives the death of the process; sync() makes it survive power loss. Errors are
/// io_errors.
class JsonLines {
 public:
  /// Opens `path` for appending, creating it. Nothing is read. The first line of the file carries
  /// `schema`, the name of its format.
  JsonLines(const std::filesystem::path& path, std::string schema);
  ~JsonLines();
  JsonLines(JsonLines&& other) noexcept;
  JsonLines& operator=(JsonLines&&) = delete;

  void append(const nlohmann::ordered_json& object);
  void sync();
  /// The whole content.
  std::string content() const;
  /// Goes back to an earlier `content`: cuts off what was appended since, and writes the file again
  /// if its beginning is no longer that. False if it had to be written again.
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
