// Text files: lines, plain or gzip, and files of word vectors.
#include <algorithm>
#include <cmath>
#include <set>

#include "framework/core/base/strings.h"
#include "framework/core/base/utf8.h"
#include "framework/core/base/white_space.h"
#include "framework/core/text/lines.h"
#include "framework/core/text/text_vectors.h"
#include "tests/fuzz/fuzz.h"

namespace lvtext::fuzz {
namespace {

void read_text(const std::filesystem::path& file) {
  accepted([&] {
    int64_t lines = 0;
    const LineCounts counts = for_each_line(file, [&](const std::string& line) {
      ++lines;
      require(!find_invalid_utf8(line), "a line is valid UTF-8");
      require(line.find('\n') == line.npos, "a line has no line end");
      require(is_blank(line) || !collapse_white_space(line).empty(), "text is not removed");
      for (const auto word : split_white_space(line)) {
        require(white_space_length(word) == 0, "a word does not begin with white space");
      }
    });
    require(counts.lines == lines && counts.empty < lines, "lines are counted");
  });
}

/// Whether the word is read back from a line of text.
bool is_plain(const std::string& word) {
  return std::none_of(word.begin(), word.end(),
                      [](char c) { return static_cast<unsigned char>(c) <= ' '; }) &&
         !word.starts_with("\xEF\xBB\xBF");
}

void read_vectors(const std::filesystem::path& file) {
  TextVectors vectors;
  if (!accepted([&] { vectors = read_word_vectors(file); })) return;
  const auto count = std::ssize(vectors.words);
  require(count > 0 && vectors.width > 0, "a file has words and numbers");
  require(std::ssize(vectors.values) == count * vectors.width, "all vectors have one width");
  require(std::all_of(vectors.values.begin(), vectors.values.end(),
                      [](float value) { return std::isfinite(value); }),
          "numbers are finite");
  require(std::set<std::string>(vectors.words.begin(), vectors.words.end()).size() ==
              vectors.words.size(),
          "words are unique");
  if (!std::all_of(vectors.words.begin(), vectors.words.end(), is_plain)) return;
  std::string text = std::to_string(count) + " " + std::to_string(vectors.width) + "\n";
  for (int64_t i = 0; i < count; ++i) {
    text += vectors.words[i];
    for (int64_t k = 0; k < vectors.width; ++k) {
      text += " " + format_number(vectors.values[i * vectors.width + k]);
    }
    text += "\n";
  }
  const TextVectors again = read_word_vectors(write_file("again.txt", text));
  require(again.words == vectors.words && again.values == vectors.values,
          "vectors that are written as text are read back");
}

}  // namespace
}  // namespace lvtext::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = lvtext::fuzz::write_file("text", lvtext::fuzz::text_of(data, size));
  lvtext::fuzz::read_text(file);
  lvtext::fuzz::read_vectors(file);
  return 0;
}
