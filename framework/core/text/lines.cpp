#include "framework/core/text/lines.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/utf8.h"
#include "framework/core/base/white_space.h"
#include "framework/core/text/byte_reader.h"
#include "framework/core/text/file_format.h"

namespace lvtext {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(const std::filesystem::path& path, LineOptions options)
    : bytes_(std::make_unique<ByteReader>(path, options.pipes)), path_(path), options_(options) {}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;

bool LineReader::read_raw(std::string& line, bool& over) {
  line.clear();
  over = false;
  bool any = false;
  const size_t keep = options_.max_bytes + 1;  // plus the CR of a line end
  if (counts_.lines == 0) refuse_foreign_format(path_.string(), bytes_->peek());
  for (std::string_view bytes; !(bytes = bytes_->peek()).empty();) {
    if (!std::exchange(any, true)) has_line_end_ = false;
    const size_t found = bytes.find('\n');
    const size_t part = std::min(found, bytes.size());
    const size_t room = keep - line.size();
    line.append(bytes.substr(0, std::min(part, room)));
    if (part > room) over = true;
    const size_t used = part + (found == bytes.npos ? 0 : 1);
    bytes_->skip(used);
    counts_.bytes += static_cast<int64_t>(used);
    if (found != bytes.npos) {
      has_line_end_ = true;
      break;
    }
  }
  while ((counts_.lines == 0 || options_.joined_files) && line.starts_with(kByteOrderMark)) {
    line.erase(0, kByteOrderMark.size());
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
    const bool has_return = line.find('\r') < line.size();
    if (number() == 1 && has_return && (over || !has_line_end_)) {
      throw DataError("'" + path_.string() +
                      "': its lines end in CR alone; convert it: tr '\\r' '\\n' < FILE > NEW");
    }
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
    if (const auto problem = find_invalid_utf8(line)) {
      ++counts_.invalid;
      if (counts_.first_invalid == 0) counts_.first_invalid = number();
      if (options_.invalid == InvalidText::kFail) {
        throw DataError(location() + ", byte " + std::to_string(problem->at + 1) +
                        ": not UTF-8 text (" + problem->what + "); convert the file to UTF-8");
      }
      if (options_.invalid == InvalidText::kSkip) {
        ++counts_.skipped;
        continue;
      }
      ++counts_.replaced;
      line = replace_invalid_utf8(line);
    }
    if (is_blank(line)) ++counts_.empty;
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
                    format_count(seen.lines, "line") + " are not UTF-8 text, the first is line " +
                    format_count(seen.first_invalid) + "; a corpus is UTF-8 text, plain or .gz");
  }
  if (seen.skipped == seen.lines) {
    throw DataError(location + ": none of its " + format_count(seen.lines, "line") +
                    " could be used (too long or not UTF-8)");
  }
  if (seen.empty == seen.lines - seen.skipped) {
    throw DataError(location + " has only empty lines (" + format_count(seen.lines, "line") +
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
