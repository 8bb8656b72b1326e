// Reader of word vectors in text format: GloVe, word2vec, fastText.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lvtext {

/// Word vectors in file order.
struct TextVectors {
  int64_t width = 0;
  std::vector<std::string> words;
  std::vector<float> values;  ///< row-major [words, width]
};

/// Reads `file` (plain or gzip): one word and its numbers per line, separated by blanks. `most` is
/// the maximum number of words; 0: no limit. A word2vec header (number of words, width) in the
/// first line is skipped; the first word determines the width. Lines are parsed from the right
/// because some words of published files contain blanks. Only the first occurrence of a word is
/// kept. Throws MissingError, or DataError naming the line.
TextVectors read_text_vectors(const std::filesystem::path& file, int64_t most = 0);

}  // namespace lvtext
