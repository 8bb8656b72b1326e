#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/text/text_vectors.h"
#include "framework/core/text/tokenizer_fit.h"
#include "framework/core/text/words.h"

namespace lvtext {
namespace {

/// Names the word `given` of the vectors `special`, whose vector a special token has.
void name_special(TextVectors& vectors, const std::string& given, const std::string& special,
                  const std::filesystem::path& file) {
  auto& words = vectors.words;
  const auto found = std::find(words.begin(), words.end(), given);
  if (found == words.end()) {
    throw DataError("'" + file.string() + "': no vector of the word '" + given +
                    "' was read; see the options begin, end and most of word_vectors");
  }
  std::replace(words.begin(), words.end(), special, std::string());
  *found = special;
}

/// Takes the vocabulary from a file of word vectors, which can initialize embeddings.
struct WordVectorsFit : TokenizerFit {
  std::string file;
  int64_t most = 50000;
  bool lowercase = false;
  // Unset: not part of identities.
  std::optional<WordTokens> tokenize;
  std::optional<std::string> begin, end;

  template <class V>
  void visit(V& v) {
    v.field("file", file,
            "word vectors, plain or .gz: GloVe, word2vec (text or binary), fastText (.vec)",
            required(), not_empty());
    v.field("most", most, "maximum number of words (the first ones of the file); 0: no limit",
            at_least(0));
    v.field("lowercase", lowercase, "converts the letters A to Z of texts to lower case");
    v.field("tokenize", tokenize,
            "rules that divide a text into words (unset: words between white space and punctuation "
            "that the file has are kept as they are written, the rest is divided by the Penn "
            "Treebank's rules)");
    v.field("begin", begin, "the word whose vector BOS has (unset: <s>, if it has one)");
    v.field("end", end, "the word whose vector EOS has (unset: </s>, if it has one)");
  }

  FittedTokenizer read(const std::filesystem::path& path,
                       const std::filesystem::path& folder) const override {
    TextVectors vectors = read_word_vectors(path, most);
    const WordEncoding encoding{.lowercase = lowercase,
                                .tokenize = tokenize.value_or(WordTokens::kTreebank),
                                .whole_words = !tokenize};
    Words(vectors.words, encoding).save(folder / kWordsFile);
    if (begin) name_special(vectors, *begin, "<s>", path);
    if (end) name_special(vectors, *end, "</s>", path);
    return {.files = {kWordsFile},
            .metadata = {{"words", vectors.words.size()}, {"width", vectors.width}},
            .vectors = std::move(vectors)};
  }
  std::shared_ptr<const Tokenizer> load(const std::filesystem::path& folder) const override {
    return std::make_shared<Words>(Words::load(folder / kWordsFile));
  }
  /// Revision 2 finds the words of the file as they are written, revision 3 also beside
  /// punctuation.
  int revision() const override { return tokenize ? 1 : 3; }
  GivenFile given_file() const override { return {.path = file}; }
  int64_t vector_width() const override { return read_word_vectors(file, 1).width; }
  std::string summary() const override {
    return (most > 0 ? std::to_string(most) + " at most" : "all") +
           std::string(" (words with vectors)");
  }
};

}  // namespace

void add_word_vectors(Choices<TokenizerFit>& tokenizers) {
  add_component<WordVectorsFit>(tokenizers, "word_vectors", "the words of a file of word vectors");
}

}  // namespace lvtext
