#include "framework/core/text/text_vectors.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/utf8.h"
#include "framework/core/text/byte_reader.h"
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

bool read_number(std::string_view text, float& number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size() && std::isfinite(number);
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
    }
  }
  bool is_full() const { return most_ > 0 && std::ssize(vectors_.words) == most_; }

 private:
  TextVectors& vectors_;
  int64_t most_;
  std::unordered_set<std::string> seen_;
};

TextVectors read_lines_of_vectors(const std::filesystem::path& file, int64_t most) {
  LineReader reader(file);
  TextVectors vectors;
  Collector collector(vectors, most);
  const auto fail = [&](const std::string& what) {
    throw DataError("'" + file.string() + "', line " + format_count(reader.number()) + ": " + what +
                    "; a line of word vectors is a word and its numbers, separated by blanks");
  };
  for (std::string line; !collector.is_full() && reader.next(line);) {
    if (reader.number() == 1 && parse_header(line)) continue;
    std::string_view rest = line;
    if (vectors.width == 0) vectors.width = count_fields(rest) - 1;
    if (vectors.width < 1) fail("no numbers");
    float* values = collector.append();
    for (int64_t i = vectors.width; i-- > 0;) {
      const std::string_view field = take_last(rest);
      if (read_number(field, values[i])) continue;
      fail(field.empty() ? "fewer than " + format_count(vectors.width) + " numbers"
                         : "'" + std::string(field) + "' is not a number");
    }
    const size_t last = rest.find_last_not_of(" \t");
    if (last == std::string_view::npos) fail("no word");
    collector.add_word(std::string(rest.substr(0, last + 1)));
  }
  return vectors;
}

/// Reads the records after the header of a binary file.
TextVectors read_records_of_vectors(ByteReader& bytes, const Header& header,
                                    const std::filesystem::path& file, int64_t most) {
  static_assert(std::endian::native == std::endian::little);
  constexpr size_t kLongestWord = 65536;
  constexpr int64_t kWidest = 65536;
  if (header.width > kWidest) {
    throw DataError("'" + file.string() + "', header: the vectors have " +
                    format_count(header.width) + " values; at most " + format_count(kWidest) +
                    " are supported");
  }
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
      if (word.size() == kLongestWord) fail("no blank after the word");
      word += c;
    }
    float* values = collector.append();
    const size_t size = sizeof(float) * static_cast<size_t>(header.width);
    if (bytes.read(reinterpret_cast<char*>(values), size) != size) fail("the file is truncated");
    if (word.empty()) fail("no word");
    if (find_utf8_flaw(word)) fail("the word is not UTF-8");
    if (!std::all_of(values, values + header.width, [](float x) { return std::isfinite(x); })) {
      fail("a value is not finite");
    }
    collector.add_word(std::move(word));
  }
  return vectors;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r' && c != '\n';
}

}  // namespace

TextVectors read_word_vectors(const std::filesystem::path& file, int64_t most) {
  ByteReader bytes(file);
  const std::string_view start = bytes.peek();
  const size_t newline = start.find('\n');
  const auto header = parse_header(start.substr(0, newline));
  const bool is_binary =
      header && newline != start.npos && std::any_of(start.begin(), start.end(), is_control);
  if (is_binary) bytes.skip(newline + 1);
  TextVectors vectors = is_binary ? read_records_of_vectors(bytes, *header, file, most)
                                  : read_lines_of_vectors(file, most);
  if (vectors.words.empty()) throw DataError("'" + file.string() + "' contains no word vectors");
  return vectors;
}

}  // namespace lvtext
