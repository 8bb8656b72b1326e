#include "framework/core/text/byte_bpe.h"

#include "framework/core/text/tokenizer_fit.h"
#include "framework/core/text/unicode.h"

namespace lvtext {
namespace {

struct ByteBpeFit : TokenizerFit {
  std::optional<GivenFile> file;
  int64_t vocab = 8192;
  AddedTokens added;

  template <class V>
  void visit(V& v) {
    v.field(
        "file", file,
        "published merges in GPT-2's format (merges.txt, vocab.bpe), plain or .gz: FILE, or {set: "
        "NAME, file: FILE} of a data set; unset: merges are learned from the training text",
        not_empty());
    v.field("vocab", vocab,
            "number of ids with the 256 bytes and the added tokens, if merges are learned",
            in_range(256, 1 << 20));
    v.field("added", added.texts,
            "tokens that a text has as single ids, such as <|endoftext|>, after all others");
    v.field("bos", added.bos, "the added token that begins a sentence (unset: none)");
    v.field("eos", added.eos, "the added token that ends a sentence (unset: none)");
    v.field("pad", added.pad, "the added token for padding (unset: none)");
  }

  FittedTokenizer fit(const std::vector<std::string>& texts,
                      const std::filesystem::path& folder) const override {
    return saved(ByteBpe::train(texts, vocab, added), folder);
  }
  FittedTokenizer read(const std::filesystem::path& merges,
                       const std::filesystem::path& folder) const override {
    return saved(std::filesystem::is_directory(merges) ? ByteBpe::read_published(merges)
                                                       : ByteBpe::read_merges(merges, added),
                 folder);
  }
  std::shared_ptr<const Tokenizer> load(const std::filesystem::path& folder) const override {
    return std::make_shared<ByteBpe>(ByteBpe::load(folder / kByteBpeFile));
  }
  GivenFile given_file() const override { return file.value_or(GivenFile{}); }
  std::string summary() const override {
    return (file ? "published" : std::to_string(vocab) + " at most") +
           std::string(" (byte-level byte pair encoding)");
  }

 private:
  static FittedTokenizer saved(const ByteBpe& tokens, const std::filesystem::path& folder) {
    tokens.save(folder / kByteBpeFile);
    return {.files = {kByteBpeFile},
            .metadata = {{"tokens", tokens.size()},
                         {"merges", tokens.merges()},
                         {"sha256", tokens.sha256()},
                         {"unicode", unicode_version()}}};
  }
};

}  // namespace

void add_byte_bpe(Choices<TokenizerFit>& tokenizers) {
  add_component<ByteBpeFit>(tokenizers, "byte_bpe",
                            "byte-level byte pair encoding, as in GPT-2 (Radford et al. 2019)");
}

}  // namespace lvtext
