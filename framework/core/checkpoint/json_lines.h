// Append-only files with one JSON object per line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lvtext {

/// Appends JSON lines to a file. append() writes a line completely, so that it survives the end of
/// the process; sync() makes it survive power loss. Errors are io_errors.
class JsonLines {
 public:
  /// Opens or creates `path` for appending, without reading it. The first line of the file has
  /// `schema`, the name of its format.
  JsonLines(const std::filesystem::path& path, std::string schema);
  ~JsonLines();
  JsonLines(JsonLines&& other) noexcept;
  JsonLines& operator=(JsonLines&&) = delete;

  void append(const nlohmann::ordered_json& object);
  void sync();
  /// The content of the file.
  std::string content() const;
  /// Restores an earlier `content`: removes later lines, or rewrites the file if its start differs.
  /// Returns false if it was rewritten.
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
