// Word vectors as text files hold them: GloVe, word2vec, fastText.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lvtext {

/// Vectors of words, in the file's order.
struct TextVectors {
  int64_t width = 0;
  std::vector<std::string> words;
  std::vector<float> values;  ///< row-major [words, width]
};

/// Reads `file` (plain or gzip): a word and its numbers per line, separated by blanks. Without
/// `most` (0) all lines, else that many words. The first line gives the width, and may be
/// word2vec's header (number of words, width). Lines are read from the right, since some words of
/// published files hold blanks; of a word that stands there twice the first counts. Throws
/// MissingError, or DataError with the line.
TextVectors read_text_vectors(const std::filesystem::path& file, int64_t most = 0);

}  // namespace lvtext
