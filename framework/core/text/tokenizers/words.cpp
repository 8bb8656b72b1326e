#include "framework/core/text/words.h"

#include "framework/core/text/tokenizer_fit.h"

namespace lvtext {
namespace {

/// Takes the vocabulary from the words of the training text.
struct WordsFit : TokenizerFit {
  WordOptions options;

  template <class V>
  void visit(V& v) {
    options.visit(v);
  }

  FittedTokenizer fit(const std::vector<std::string>& texts,
                      const std::filesystem::path& folder) const override {
    const Words words = Words::count(texts, options);
    words.save(folder / kWordsFile);
    return {.files = {kWordsFile}, .metadata = {{"words", words.words().size()}}};
  }
  std::shared_ptr<const Tokenizer> load(const std::filesystem::path& folder) const override {
    return std::make_shared<Words>(Words::load(folder / kWordsFile));
  }
  std::string summary() const override {
    return (options.most > 0 ? std::to_string(options.most) + " at most" : "all") +
           std::string(" (words)");
  }
};

}  // namespace

void add_words(Choices<TokenizerFit>& tokenizers) {
  add_component<WordsFit>(tokenizers, "words", "whole words of the training text");
}

}  // namespace lvtext
