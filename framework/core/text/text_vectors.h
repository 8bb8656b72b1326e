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

/// Reads `file` (plain or gzip), in one of two formats. `most` is the maximum number of words,
/// after which reading ends; 0: no limit. Only the first occurrence of a word is kept. Throws
/// MissingError, or DataError naming the line or record, unless every vector has the same width and
/// the file has as many vectors as its header specifies.
///
/// Text: one word and its numbers per line, separated by blanks or tabs. The first line may be the
/// header of word2vec (number of words, width); without it the first word determines the width.
/// Lines are parsed from the right because some words of published files contain blanks. Empty
/// lines may follow the last word. Numbers too small for float32 are 0.
///
/// Binary (word2vec): the header in a line, then for each word its bytes, a blank, `width` float32
/// values (little-endian) and optionally a newline. A file is binary if it has a header, and the
/// bytes behind the first word are not the numbers of a text.
TextVectors read_word_vectors(const std::filesystem::path& file, int64_t most = 0);

}  // namespace lvtext
