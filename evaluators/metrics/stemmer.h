// English stemmer.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct sb_stemmer;  // of libstemmer

namespace lvtext {

/// Stems of English words by Snowball's algorithm "english" (Porter2) in the version of libstemmer,
/// https://snowballstem.org/algorithms/english/stemmer.html. One object serves one thread.
class EnglishStemmer {
 public:
  EnglishStemmer();

  /// The stem of a word in lower case, in UTF-8.
  std::string stem(std::string_view word);

 private:
  struct Delete {
    void operator()(sb_stemmer* stemmer) const;
  };
  std::unique_ptr<sb_stemmer, Delete> stemmer_;
};

}  // namespace lvtext
