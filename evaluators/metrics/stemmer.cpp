#include "evaluators/metrics/stemmer.h"

#include <libstemmer.h>

#include <new>

namespace lvtext {

void EnglishStemmer::Delete::operator()(sb_stemmer* stemmer) const {
  sb_stemmer_delete(stemmer);
}

EnglishStemmer::EnglishStemmer() : stemmer_(sb_stemmer_new("english", "UTF_8")) {
  if (!stemmer_) throw std::bad_alloc();
}

std::string EnglishStemmer::stem(std::string_view word) {
  const auto* bytes = reinterpret_cast<const sb_symbol*>(word.data());
  const sb_symbol* stem = sb_stemmer_stem(stemmer_.get(), bytes, static_cast<int>(word.size()));
  if (!stem) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(stem),
          static_cast<size_t>(sb_stemmer_length(stemmer_.get()))};
}

}  // namespace lvtext
