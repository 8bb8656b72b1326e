// Reader of files of concatenated JSON objects, each of which may span several lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "framework/core/text/lines.h"

namespace lvtext {

/// One object of a file.
struct JsonRecord {
  nlohmann::json value;
  int64_t number = 0;  ///< from 1
  int64_t line = 0;    ///< the line on which it begins, from 1
};

/// Reads such a file, plain or gzip, one object at a time; memory use is that of one object. Blank
/// lines between objects are ignored.
class JsonRecords {
 public:
  /// Throws as LineReader does.
  explicit JsonRecords(const std::filesystem::path& path);

  /// Reads the next object; returns false at the end of the file. Throws DataError naming file,
  /// record and line for text between objects, invalid JSON, an unclosed object (a truncated file)
  /// or an object larger than 64 MiB.
  bool next(JsonRecord& record);

 private:
  /// Appends the rest of line_ to the object; returns true once the object is closed.
  bool take(JsonRecord& record);
  void parse(JsonRecord& record);
  std::string location(int64_t record, int64_t line) const;

  std::filesystem::path path_;
  LineReader lines_;
  std::string line_;
  size_t at_ = 0;     ///< position of the next unread character of line_
  std::string text_;  ///< text of the current object so far
  int64_t begin_ = 0;
  int64_t records_ = 0;
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

}  // namespace lvtext
