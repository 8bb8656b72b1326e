// A corpus as a stream of lines: plain or gzip, checked for UTF-8, with bounded memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lvtext {

/// What happens to a line that is not valid UTF-8 or holds a NUL byte.
enum class InvalidText { kFail, kReplace, kSkip };
/// What happens to a line that is longer than the cap.
enum class LongLine { kFail, kSkip, kCut };

struct LineOptions {
  InvalidText invalid = InvalidText::kFail;
  LongLine too_long = LongLine::kFail;
  size_t max_bytes = size_t{1} << 20;  ///< cap of one line, without its line end
};

/// What was seen; `lines` counts every line of the file, also those not handed out.
struct LineCounts {
  int64_t lines = 0;
  int64_t empty = 0;     ///< nothing but blanks and tabs; they are handed out
  int64_t invalid = 0;   ///< lines with ill-formed UTF-8 or NUL
  int64_t replaced = 0;  ///< of those, repaired with U+FFFD
  int64_t too_long = 0;
  int64_t cut = 0;             ///< of those, cut at the cap
  int64_t skipped = 0;         ///< not handed out
  int64_t bytes = 0;           ///< of text read, after decompression
  int64_t first_invalid = 0;   ///< line number (from 1) of the first; 0: none
  int64_t first_too_long = 0;  ///< line number (from 1) of the first; 0: none
};

/// Reads lines one at a time. Lines end at LF or CR LF and nowhere else (U+2028, U+0085, form feed
/// and a lone CR are text); a byte order mark at the start of the file is removed; a last line
/// without an end counts. Gzip is recognized by its first bytes, not by the name. Memory: the
/// longest line up to the cap, and a fixed buffer.
class LineReader {
 public:
  /// Throws what InputFile throws.
  explicit LineReader(const std::filesystem::path& path, LineOptions options = {});
  ~LineReader();
  LineReader(LineReader&&) noexcept;

  /// The next line without its end; false at the end of the file. Throws DataError naming file and
  /// line under the policies that fail, or when gzip data is damaged or truncated.
  bool next(std::string& line);
  /// Number (from 1) of the line that `next` returned last.
  int64_t number() const { return counts_.lines; }
  const LineCounts& counts() const { return counts_; }

 private:
  struct Source;
  bool read_raw(std::string& line, bool& over);

  std::unique_ptr<Source> source_;
  std::filesystem::path path_;
  LineOptions options_;
  LineCounts counts_;
};

/// Calls `each` with every line of a corpus, empty ones included. Throws DataError if the file has
/// no line with text in it ("is empty", "has only empty lines", "no line could be used") or looks
/// binary; see LineReader.
LineCounts for_each_line(const std::filesystem::path& path,
                         const std::function<void(std::string& line)>& each,
                         LineOptions options = {});
/// All of them.
std::vector<std::string> read_lines(const std::filesystem::path& path, LineOptions options = {},
                                    LineCounts* counts = nullptr);

}  // namespace lvtext
