// A tokenizer in a plug-in: letters.
#include <algorithm>

#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/model/plugin.h"
#include "framework/core/text/tokenizer_fit.h"

namespace example {

using namespace lvtext;

/// The lower-case letters and the blank; other characters are unknown.
class Letters : public Tokenizer {
 public:
  explicit Letters(std::string letters) : letters_(std::move(letters)), sum_(sha256_of(letters_)) {
    vocabulary_ = {
        .size = static_cast<int32_t>(letters_.size()) + 4, .bos = 1, .eos = 2, .pad = 0, .unk = 3};
  }
  TokenIds encode(std::string_view text) const override {
    TokenIds ids;
    for (const char c : text) {
      const size_t at = letters_.find(c);
      ids.push_back(at == std::string::npos ? 3 : static_cast<int32_t>(at) + 4);
    }
    return ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    for (const int32_t id : ids) {
      if (id >= 3) text += id == 3 ? '?' : letters_.at(static_cast<size_t>(id - 4));
    }
    return text;
  }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<bool> begins_word(int32_t) const override { return {}; }
  const std::string& sha256() const override { return sum_; }

 private:
  static std::string sha256_of(const std::string& text) { return lvtext::sha256(text); }

  std::string letters_, sum_;
  Vocabulary vocabulary_;
};

struct LettersFit : TokenizerFit {
  FittedTokenizer fit(const std::vector<std::string>& texts,
                      const std::filesystem::path& folder) const override {
    std::string letters;
    for (const auto& text : texts) {
      for (const char c : text) {
        if (letters.find(c) == std::string::npos) letters += c;
      }
    }
    std::sort(letters.begin(), letters.end());
    write_file_synced(folder / "letters.txt", letters);
    return {.files = {"letters.txt"}, .metadata = {{"letters", letters.size()}}};
  }
  std::shared_ptr<const Tokenizer> load(const std::filesystem::path& folder) const override {
    return std::make_shared<Letters>(read_file(folder / "letters.txt"));
  }
  std::string summary() const override { return "the letters of the training text"; }

  template <class V>
  void visit(V&) {}
};

void add_letters_tokenizer(Registries& registries) {
  add_component<LettersFit, TokenizerFit>(registries, "letters", "letters of the training text");
}

}  // namespace example
