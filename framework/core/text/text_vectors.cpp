#include "framework/core/text/text_vectors.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/utf8.h"
#include "framework/core/text/byte_reader.h"
#include "framework/core/text/file_format.h"
#include "framework/core/text/lines.h"

namespace lvtext {
namespace {

/// Removes the last blank-separated word from `rest` and returns it; empty if none is left.
std::string_view take_last(std::string_view& rest) {
  const size_t end = rest.find_last_not_of(" \t");
  if (end == std::string_view::npos) return {};
  const size_t blank = rest.find_last_of(" \t", end);
  const size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view last = rest.substr(begin, end + 1 - begin);
  rest = rest.substr(0, begin);
  return last;
}

/// True for a number below 1: too small for its type, not too large. `digits` is a valid number.
bool is_small(std::string_view digits) {
  const size_t end = std::min(digits.find_first_of("eE"), digits.size());
  int64_t power = 0;
  if (end < digits.size()) {
    std::string_view text = digits.substr(end + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto failed = std::from_chars(text.data(), text.data() + text.size(), power).ec;
    if (failed != std::errc()) return text.starts_with('-');
  }
  const std::string_view mantissa = digits.substr(0, end);
  const size_t first = mantissa.find_first_of("123456789");
  if (first == mantissa.npos) return true;
  const auto point = static_cast<int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto at = static_cast<int64_t>(first);
  const int64_t magnitude = at < point ? point - at - 1 : point - at;  // 10^magnitude: first digit
  return power < -magnitude;
}

/// Parses a finite number as Python does, except for underscores: with an optional plus sign; one
/// that is too small for float32 is 0.
bool read_number(std::string_view text, float& number) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (stop != end || text.empty()) return false;
  if (failed == std::errc()) return std::isfinite(number);
  if (failed != std::errc::result_out_of_range || !is_small(text)) return false;
  number = text.starts_with('-') ? -0.0F : 0.0F;
  return true;
}

int64_t count_fields(std::string_view line) {
  int64_t count = 0;
  while (!take_last(line).empty()) ++count;
  return count;
}

/// The first line of a word2vec file, such as "400000 300".
struct Header {
  int64_t words = 0, width = 0;
};

/// nullopt if the line is not a header.
std::optional<Header> parse_header(std::string_view line) {
  if (count_fields(line) != 2) return std::nullopt;
  Header header;
  for (int64_t* number : {&header.width, &header.words}) {
    const std::string_view text = take_last(line);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (failed != std::errc() || end != text.data() + text.size() || *number < 1) {
      return std::nullopt;
    }
  }
  return header;
}

/// The first line of a file that begins with `start`, as LineReader returns it.
std::string_view first_line(std::string_view start) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  while (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
  start = start.substr(0, start.find('\n'));
  if (start.ends_with('\r')) start.remove_suffix(1);
  return start;
}

/// Collects vectors, of which the first one of each word is kept.
class Collector {
 public:
  Collector(TextVectors& vectors, int64_t most) : vectors_(vectors), most_(most) {}

  /// Appends the values of a vector, to be set by the caller before add_word().
  float* append() {
    vectors_.values.resize(vectors_.values.size() + vectors_.width);
    return &*(vectors_.values.end() - vectors_.width);
  }
  /// Assigns the appended values to a word, or removes them if the word has a vector.
  void add_word(std::string word) {
    if (seen_.insert(word).second) {
      vectors_.words.push_back(std::move(word));
    } else {
      vectors_.values.resize(vectors_.values.size() - vectors_.width);
      ++repeated_;
    }
  }
  int64_t repeated() const { return repeated_; }
  bool is_full() const { return most_ > 0 && std::ssize(vectors_.words) == most_; }

 private:
  TextVectors& vectors_;
  int64_t most_;
  int64_t repeated_ = 0;
  std::unordered_set<std::string> seen_;
};

void report_repeated(const Collector& collector, const std::filesystem::path& file) {
  if (collector.repeated() == 0) return;
  log_warning("'" + file.string() + "': " + format_count(collector.repeated(), "repeated word") +
              " ignored; only the first vector of a word is used");
}

constexpr int64_t kMaxWidth = 65536;

void check_width(const Header& header, const std::filesystem::path& file) {
  if (header.width <= kMaxWidth) return;
  throw DataError("'" + file.string() + "', header: the vectors have " +
                  format_count(header.width) + " values; at most " + format_count(kMaxWidth) +
                  " are supported");
}

/// Reads the lines of a text file, whose first one is `header` if it is set.
class VectorLines {
 public:
  VectorLines(const std::filesystem::path& file, const std::optional<Header>& header)
      : file_(file), header_(header), reader_(file, {.joined_files = false}) {}

  TextVectors read(int64_t most) {
    TextVectors vectors{.width = header_ ? header_->width : 0};
    Collector collector(vectors, most);
    for (std::string line; !collector.is_full() && reader_.next(line);) {
      if (reader_.number() == 1 && header_) continue;
      if (line.find_first_not_of(" \t") == line.npos) {
        if (empty_line_ == 0) empty_line_ = reader_.number();
        continue;
      }
      if (empty_line_ > 0) fail(empty_line_, "the line is empty, but others with vectors follow");
      if (header_ && lines_ == header_->words) {
        fail("the header specifies " + format_count(header_->words, "word") +
             ", but the file has more");
      }
      ++lines_;
      if (vectors.width == 0) vectors.width = count_fields(line) - 1;
      if (vectors.width < 1) fail("no numbers");
      if (vectors.width > kMaxWidth) fail("more than " + format_count(kMaxWidth) + " numbers");
      const std::string_view word = read_values(line, vectors.width, collector.append());
      collector.add_word(std::string(word));
    }
    check_end(collector.is_full());
    report_repeated(collector, file_);
    return vectors;
  }

 private:
  [[noreturn]] void fail(int64_t line, const std::string& what) const {
    throw DataError("'" + file_.string() + "', line " + format_count(line) + ": " + what +
                    "; a line of word vectors is a word and its numbers, separated by blanks");
  }
  [[noreturn]] void fail(const std::string& what) const { fail(reader_.number(), what); }

  /// Reads `width` values from the end of a line; returns the word before them.
  std::string_view read_values(std::string_view line, int64_t width, float* values) const {
    std::string_view rest = line;
    for (int64_t i = width; i-- > 0;) {
      const std::string_view field = take_last(rest);
      if (read_number(field, values[i])) continue;
      const int64_t found = count_fields(line) - 1;
      if (found < width) {
        fail(format_count(found, "number") + " after the word, but the " +
             (header_ ? "header specifies " : "first word has ") + format_count(width) +
             (header_ && lines_ == 1 ? "; if the first line is a word with one number, add a header"
                                     : ""));
      }
      fail("'" + std::string(field) + "' is not a finite number of float32");
    }
    // A word may contain blanks, also at its start.
    const size_t last = rest.find_last_not_of(" \t");
    if (last == std::string_view::npos) fail("no word before " + format_count(width, "number"));
    return rest.substr(0, last + 1);
  }

  void check_end(bool is_full) const {
    if (is_full) return;
    if (header_ && lines_ != header_->words) {
      throw DataError("'" + file_.string() + "': the header specifies " +
                      format_count(header_->words, "word") + ", but the file has " +
                      format_count(lines_) + "; it may be truncated: fetch it again");
    }
    if (!header_ && lines_ > 0 && empty_line_ == 0 && !reader_.has_line_end()) {
      log_warning(
          "'" + file_.string() +
          "': the last line of the word vectors has no line end; the file may be truncated");
    }
  }

  const std::filesystem::path& file_;
  const std::optional<Header>& header_;
  LineReader reader_;
  int64_t lines_ = 0;       ///< number of lines with vectors
  int64_t empty_line_ = 0;  ///< number of the first empty line; 0: none
};

/// Throws DataError if records follow those that the header specifies.
void check_rest(ByteReader& bytes, const Header& header, const std::filesystem::path& file) {
  for (std::string_view rest; !(rest = bytes.peek()).empty(); bytes.skip(rest.size())) {
    if (rest.find_first_not_of("\r\n") == rest.npos) continue;
    throw DataError("'" + file.string() + "': the header specifies " +
                    format_count(header.words, "word") + ", but more data follow");
  }
}

/// Reads the records after the header of a binary file.
TextVectors read_records_of_vectors(ByteReader& bytes, const Header& header,
                                    const std::filesystem::path& file, int64_t most) {
  static_assert(std::endian::native == std::endian::little);
  constexpr size_t kMaxWord = 65536;
  TextVectors vectors{.width = header.width};
  Collector collector(vectors, most);
  for (int64_t record = 1; record <= header.words && !collector.is_full(); ++record) {
    const auto fail = [&](const std::string& what) {
      throw DataError("'" + file.string() + "', record " + format_count(record) + " of " +
                      format_count(header.words) + ": " + what +
                      "; a record of word vectors is a word, a blank and " +
                      format_count(header.width) + " float32 values");
    };
    std::string word;
    for (char c = 0; bytes.read(&c, 1) == 1 && c != ' ';) {
      if (c == '\n' && word.empty()) continue;  // ends the record before
      if (word.size() == kMaxWord) fail("no blank after the word");
      word += c;
    }
    float* values = collector.append();
    const size_t size = sizeof(float) * static_cast<size_t>(header.width);
    if (bytes.read(reinterpret_cast<char*>(values), size) != size) fail("the file is truncated");
    if (word.empty()) fail("no word");
    if (find_invalid_utf8(word)) fail("the word is not UTF-8");
    if (!std::all_of(values, values + header.width, [](float x) { return std::isfinite(x); })) {
      fail("a value is not finite");
    }
    collector.add_word(std::move(word));
  }
  if (!collector.is_full()) check_rest(bytes, header, file);
  report_repeated(collector, file);
  return vectors;
}

/// Whether the first record after a header is binary: `start` begins with it.
bool is_binary_record(std::string_view start, int64_t width) {
  std::string_view line = start.substr(0, start.find('\n'));
  float number = 0;
  int64_t numbers = 0;
  while (numbers < width && read_number(take_last(line), number)) ++numbers;
  if (numbers == width && count_fields(line) > 0) return false;
  const size_t blank = start.find(' ');
  if (blank == start.npos) return false;
  const std::string_view values =
      start.substr(blank + 1).substr(0, sizeof(float) * static_cast<size_t>(width));
  return std::any_of(values.begin(), values.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > '~' || (byte < ' ' && c != '\t' && c != '\r' && c != '\n');
  });
}

}  // namespace

TextVectors read_word_vectors(const std::filesystem::path& file, int64_t most) {
  ByteReader bytes(file);
  const std::string_view start = bytes.peek();
  refuse_foreign_format(file.string(), start);
  const size_t newline = start.find('\n');
  const auto header = parse_header(first_line(start));
  if (header) check_width(*header, file);
  const bool is_binary =
      header && newline != start.npos && is_binary_record(start.substr(newline + 1), header->width);
  if (is_binary) bytes.skip(newline + 1);
  TextVectors vectors = is_binary ? read_records_of_vectors(bytes, *header, file, most)
                                  : VectorLines(file, header).read(most);
  if (vectors.words.empty()) throw DataError("'" + file.string() + "' contains no word vectors");
  return vectors;
}

}  // namespace lvtext
