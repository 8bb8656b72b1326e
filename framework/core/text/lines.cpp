#include "framework/core/text/lines.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "framework/core/base/error.h"
#include "framework/core/base/input_file.h"
#include "framework/core/base/read_error.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/utf8.h"

namespace lvtext {
namespace {

constexpr size_t kBuffer = size_t{1} << 16;

}  // namespace

/// Buffered content of a plain or gzip file; zlib reads both with the same functions.
struct LineReader::Source {
  gzFile file = nullptr;
  std::string path;
  std::string buffer = std::string(kBuffer, '\0');
  size_t begin = 0, end = 0;
  bool first = true;

  ~Source() {
    if (file) gzclose(file);
  }

  /// Refills the empty buffer; false at the end of the file.
  bool fill() {
    const int got = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
    int code = Z_OK;
    const char* message = gzerror(file, &code);
    // Z_BUF_ERROR: the gzip member is truncated. This must not be treated as the end of the file.
    if (got < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR) {
      if (code == Z_ERRNO) throw io_error("read", path, errno);
      throw DataError("'" + path + "': the gzip data is damaged or truncated (" + message +
                      "); fetch or compress the file again");
    }
    begin = 0;
    end = static_cast<size_t>(got);
    if (first) {
      first = false;
      if (end >= 3 && std::memcmp(buffer.data(), "\xEF\xBB\xBF", 3) == 0) begin = 3;
    }
    return end > begin || (got > 0 && fill());
  }
};

LineReader::LineReader(const std::filesystem::path& path, LineOptions options)
    : source_(std::make_unique<Source>()), path_(path), options_(options) {
  source_->path = path.string();
  const InputFile file(path);
  const int descriptor = ::fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) throw_read_error(path, errno);
  source_->file = gzdopen(descriptor, "rb");
  if (!source_->file) {
    ::close(descriptor);
    throw_read_error(path, ENOMEM);
  }
}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;

bool LineReader::read_raw(std::string& line, bool& over) {
  line.clear();
  over = false;
  bool any = false;
  Source& source = *source_;
  const size_t keep = options_.max_bytes + 1;  // plus the CR of a line end
  while (true) {
    if (source.begin == source.end && !source.fill()) break;
    any = true;
    const char* from = source.buffer.data() + source.begin;
    const size_t left = source.end - source.begin;
    const void* found = std::memchr(from, '\n', left);
    const size_t part = found ? static_cast<const char*>(found) - from : left;
    const size_t room = keep - line.size();
    line.append(from, std::min(part, room));
    if (part > room) over = true;
    source.begin += part + (found ? 1 : 0);
    counts_.bytes += static_cast<int64_t>(part + (found ? 1 : 0));
    if (found) break;
  }
  if (!over && !line.empty() && line.back() == '\r') line.pop_back();
  if (line.size() > options_.max_bytes) over = true;
  return any;
}

bool LineReader::next(std::string& line) {
  bool over = false;
  while (read_raw(line, over)) {
    ++counts_.lines;
    const auto location = [&] {
      return "'" + path_.string() + "', line " + format_count(number());
    };
    if (over) {
      ++counts_.too_long;
      if (counts_.first_too_long == 0) counts_.first_too_long = number();
      if (options_.too_long == LongLine::kFail) {
        throw DataError(location() + ": the line has more than " +
                        format_bytes(options_.max_bytes) + "; put each sentence on its own line");
      }
      if (options_.too_long == LongLine::kSkip) {
        ++counts_.skipped;
        continue;
      }
      ++counts_.cut;
      line.resize(utf8_prefix(line, options_.max_bytes));
    }
    if (const auto flaw = find_utf8_flaw(line)) {
      ++counts_.invalid;
      if (counts_.first_invalid == 0) counts_.first_invalid = number();
      if (options_.invalid == InvalidText::kFail) {
        throw DataError(location() + ", byte " + std::to_string(flaw->at + 1) +
                        ": not UTF-8 text (" + flaw->what + "); convert the file to UTF-8");
      }
      if (options_.invalid == InvalidText::kSkip) {
        ++counts_.skipped;
        continue;
      }
      ++counts_.replaced;
      line = replace_utf8_flaws(line);
    }
    if (trim(line).empty()) ++counts_.empty;
    return true;
  }
  return false;
}

LineCounts for_each_line(const std::filesystem::path& path,
                         const std::function<void(std::string& line)>& each, LineOptions options) {
  LineReader reader(path, options);
  std::string line;
  while (reader.next(line)) each(line);
  const LineCounts& seen = reader.counts();
  const std::string location = "'" + path.string() + "'";
  if (seen.lines == 0) throw DataError(location + " is empty; a corpus has one sentence per line");
  if (seen.invalid * 2 > seen.lines) {
    throw DataError(location + " looks like a binary file: " + format_count(seen.invalid) + " of " +
                    format_count(seen.lines) + " lines are not UTF-8 text, the first is line " +
                    format_count(seen.first_invalid) + "; a corpus is UTF-8 text, plain or .gz");
  }
  if (seen.skipped == seen.lines) {
    throw DataError(location + ": none of its " + format_count(seen.lines) +
                    " lines could be used (too long or not UTF-8)");
  }
  if (seen.empty == seen.lines - seen.skipped) {
    throw DataError(location + " has only empty lines (lines 1 to " + format_count(seen.lines) +
                    "); a corpus has one sentence per line");
  }
  return seen;
}

std::vector<std::string> read_lines(const std::filesystem::path& path, LineOptions options,
                                    LineCounts* counts) {
  std::vector<std::string> lines;
  const LineCounts seen = for_each_line(
      path, [&](std::string& line) { lines.push_back(std::move(line)); }, options);
  if (counts) *counts = seen;
  return lines;
}

}  // namespace lvtext
