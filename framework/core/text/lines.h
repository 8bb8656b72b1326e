// Line reader for text files: plain or gzip, UTF-8 validation, bounded memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/base/input_file.h"

namespace lvtext {

class ByteReader;

/// Handling of a line that is not valid UTF-8 or contains a NUL byte.
enum class InvalidText { kFail, kReplace, kSkip };
/// Handling of a line that is longer than LineOptions::max_bytes.
enum class LongLine { kFail, kSkip, kCut };

struct LineOptions {
  InvalidText invalid = InvalidText::kFail;
  LongLine too_long = LongLine::kFail;
  size_t max_bytes = size_t{1} << 20;  ///< maximum length of a line without its line end
  Pipes pipes = Pipes::kRefuse;        ///< kAccept: the file is read only once
  /// Removes byte order marks at the start of every line, where files were joined; false: of the
  /// first line only.
  bool joined_files = true;
};

/// Counts of the lines read so far.
struct LineCounts {
  int64_t lines = 0;     ///< all lines, including skipped ones
  int64_t empty = 0;     ///< lines without text (is_blank()); not skipped
  int64_t invalid = 0;   ///< lines with ill-formed UTF-8 or NUL
  int64_t replaced = 0;  ///< invalid lines repaired with U+FFFD
  int64_t too_long = 0;
  int64_t cut = 0;             ///< too long lines truncated to max_bytes
  int64_t skipped = 0;         ///< lines not returned
  int64_t bytes = 0;           ///< bytes read, after decompression
  int64_t first_invalid = 0;   ///< line number (from 1) of the first; 0: none
  int64_t first_too_long = 0;  ///< line number (from 1) of the first; 0: none
};

/// Reads lines one at a time. Lines end only at LF or CR LF (U+2028, U+0085, form feed and a lone
/// CR are text); byte order marks at the start of a line, where files were joined, are removed; a
/// last line without a line end is returned, too. Gzip is detected by content, not by file name.
/// Memory: the longest line, at most max_bytes, and a fixed buffer.
class LineReader {
 public:
  /// Throws as InputFile does.
  explicit LineReader(const std::filesystem::path& path, LineOptions options = {});
  ~LineReader();
  LineReader(LineReader&&) noexcept;

  /// Reads the next line without its line end; returns false at the end of the file. Throws
  /// DataError naming file and line for lines rejected by the options, if gzip data are damaged or
  /// truncated, or, naming the format, for a file that is not UTF-8 text (foreign_format()) or
  /// whose lines end in CR alone.
  bool next(std::string& line);
  /// False if the line returned last ended with the file, without a line end.
  bool has_line_end() const { return has_line_end_; }
  /// Number (from 1) of the line returned last.
  int64_t number() const { return counts_.lines; }
  const LineCounts& counts() const { return counts_; }

 private:
  bool read_raw(std::string& line, bool& over);

  std::unique_ptr<ByteReader> bytes_;
  std::filesystem::path path_;
  LineOptions options_;
  LineCounts counts_;
  bool has_line_end_ = false;
};

/// Calls `each` with every line of a file, including empty ones. Throws DataError if no line of the
/// file has text, if no line could be used, or if the file looks binary; see LineReader for other
/// errors.
LineCounts for_each_line(const std::filesystem::path& path,
                         const std::function<void(std::string& line)>& each,
                         LineOptions options = {});
/// Reads all lines of a file; throws as for_each_line() does.
std::vector<std::string> read_lines(const std::filesystem::path& path, LineOptions options = {},
                                    LineCounts* counts = nullptr);

}  // namespace lvtext
