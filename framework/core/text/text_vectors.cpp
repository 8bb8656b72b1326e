#include "framework/core/text/text_vectors.h"

#include <charconv>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
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

/// Whether the line is a header: number of words and width, such as "400000 300".
bool is_header(std::string_view line) {
  if (count_fields(line) != 2) return false;
  int64_t number = 0;
  for (int field = 0; field < 2; ++field) {
    const std::string_view text = take_last(line);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size() || number < 1) return false;
  }
  return true;
}

}  // namespace

TextVectors read_text_vectors(const std::filesystem::path& file, int64_t most) {
  LineReader reader(file);
  TextVectors vectors;
  std::unordered_set<std::string> seen;
  const auto fail = [&](const std::string& what) {
    throw DataError("'" + file.string() + "', line " + format_count(reader.number()) + ": " + what +
                    "; a line of word vectors is a word and its numbers, separated by blanks");
  };
  for (std::string line; reader.next(line);) {
    if (reader.number() == 1 && is_header(line)) continue;
    std::string_view rest = line;
    if (vectors.width == 0) vectors.width = count_fields(rest) - 1;
    if (vectors.width < 1) fail("no numbers");
    const size_t begin = vectors.values.size();
    vectors.values.resize(begin + vectors.width);
    for (int64_t i = vectors.width; i-- > 0;) {
      const std::string_view field = take_last(rest);
      if (read_number(field, vectors.values[begin + i])) continue;
      fail(field.empty() ? "fewer than " + format_count(vectors.width) + " numbers"
                         : "'" + std::string(field) + "' is not a number");
    }
    const size_t last = rest.find_last_not_of(" \t");
    if (last == std::string_view::npos) fail("no word");
    std::string word(rest.substr(0, last + 1));
    if (seen.insert(word).second) {
      vectors.words.push_back(std::move(word));
    } else {
      vectors.values.resize(begin);
    }
    if (most > 0 && static_cast<int64_t>(vectors.words.size()) == most) break;
  }
  if (vectors.words.empty()) throw DataError("'" + file.string() + "' contains no word vectors");
  return vectors;
}

}  // namespace lvtext
