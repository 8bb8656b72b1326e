// Files of JSON objects that follow one another: neither one document nor one object per line.
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
  int64_t line = 0;    ///< on which it begins, from 1
};

/// Reads such a file, plain or gzip, one object at a time: the memory of one object, whatever the
/// size of the file. Blank lines between objects do not matter; braces and quotes within strings
/// are text.
class JsonRecords {
 public:
  /// Throws what LineReader throws.
  explicit JsonRecords(const std::filesystem::path& path);

  /// The next object; false at the end of the file. Throws DataError naming file, record and line:
  /// text between objects, broken JSON, an object that is not closed (a file that was cut off) or
  /// has more than 64 MiB.
  bool next(JsonRecord& record);

 private:
  /// Takes the rest of line_ into the object; true once that is closed.
  bool take(JsonRecord& record);
  void parse(JsonRecord& record);
  std::string location(int64_t record, int64_t line) const;

  std::filesystem::path path_;
  LineReader lines_;
  std::string line_;
  size_t at_ = 0;     ///< what follows in line_
  std::string text_;  ///< of the object that is being read
  int64_t begin_ = 0;
  int64_t records_ = 0;
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

}  // namespace lvtext
