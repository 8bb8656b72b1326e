// Reader of files of word vectors: GloVe, word2vec, fastText.
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

/// Reads `file` (plain or gzip), in one of two formats. `most` is the maximum number of words; 0:
/// no limit. Only the first occurrence of a word is kept. Throws MissingError, or DataError naming
/// the line or record.
///
/// Text: one word and its numbers per line, separated by blanks. A word2vec header (number of
/// words, width) in the first line is skipped; the first word determines the width. Lines are
/// parsed from the right because some words of published files contain blanks.
///
/// Binary (word2vec): the header in a line, then for each word its bytes, a blank, `width` float32
/// values (little-endian) and optionally a newline. A file is binary if it has a header and its
/// first 64 KiB contain control characters other than tab, CR and LF.
TextVectors read_word_vectors(const std::filesystem::path& file, int64_t most = 0);

}  // namespace lvtext
