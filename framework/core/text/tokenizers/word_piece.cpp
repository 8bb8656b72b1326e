#include "framework/core/text/word_piece.h"

#include "framework/core/text/tokenizer_fit.h"
#include "framework/core/text/unicode.h"

namespace lvtext {
namespace {

/// Reads a published vocabulary.
struct WordPieceFit : TokenizerFit {
  GivenFile file;
  bool lower_case = true;

  template <class V>
  void visit(V& v) {
    v.field("file", file,
            "published vocabulary (vocab.txt), plain or .gz: FILE, or {set: NAME, file: FILE} of a "
            "data set",
            required(), not_empty());
    v.field("lower_case", lower_case, "lower case without accents (BERT's uncased models)");
  }

  FittedTokenizer read(const std::filesystem::path& vocabulary,
                       const std::filesystem::path& folder) const override {
    const WordPiece pieces = WordPiece::read_vocabulary(vocabulary, lower_case);
    pieces.save(folder / kWordPieceFile);
    return {.files = {kWordPieceFile},
            .metadata = {{"tokens", pieces.size()},
                         {"sha256", pieces.sha256()},
                         {"unicode", unicode_version()}}};
  }
  std::shared_ptr<const Tokenizer> load(const std::filesystem::path& folder) const override {
    return std::make_shared<WordPiece>(WordPiece::load(folder / kWordPieceFile));
  }
  GivenFile given_file() const override { return file; }
  std::string summary() const override { return "published (WordPiece)"; }
};

}  // namespace

void add_word_piece(Choices<TokenizerFit>& tokenizers) {
  add_component<WordPieceFit>(
      tokenizers, "word_piece",
      "WordPiece with a published vocabulary, as in BERT (Devlin et al. 2019)");
}

}  // namespace lvtext
