// A reader, a tokenizer and a packer outside the tree.
#include <algorithm>

#include "framework/base/files.h"
#include "framework/base/hash.h"
#include "framework/base/strings.h"
#include "framework/data/dataset_writer.h"
#include "framework/data/packer.h"
#include "framework/data/record_reader.h"
#include "framework/model/plugin.h"
#include "framework/text/lines.h"
#include "framework/text/tokenizer_fit.h"

namespace example {

using namespace lvtext;

/// A record for every paragraph, its lines joined by blanks; empty lines end a paragraph.
struct ParagraphReader : RecordReader {
  std::vector<std::string> fields() const override { return {"text"}; }

  int64_t read(const std::filesystem::path& file, const std::vector<std::string>&,
               const std::function<void(Record)>& each) const override {
    std::vector<std::string> paragraph;
    const auto end = [&] {
      if (!paragraph.empty()) each({join(paragraph, " ")});
      paragraph.clear();
    };
    const LineCounts counts = for_each_line(file, [&](std::string& line) {
      if (line.empty()) return end();
      paragraph.push_back(std::move(line));
    });
    end();
    return counts.lines;
  }

  template <class V>
  void visit(V&) {}
};

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
    return {.files = {"letters.txt"}, .facts = {{"letters", letters.size()}}};
  }
  std::shared_ptr<const Tokenizer> load(const std::filesystem::path& folder) const override {
    return std::make_shared<Letters>(read_file(folder / "letters.txt"));
  }
  std::string summary() const override { return "the letters of the training text"; }

  template <class V>
  void visit(V&) {}
};

/// The beginning of every text.
struct HeadPacker : Packer {
  int64_t length = 10;

  template <class V>
  void visit(V& v) {
    v.field("length", length, "tokens of a row at most", at_least(1));
  }

  PackCounts pack(const Records& records, const Tokenizer& tokenizer,
                  const std::filesystem::path& file) const override {
    PackCounts counts;
    DatasetWriter writer(file, {{.name = "text", .vocabulary = tokenizer.vocabulary()}});
    for (const auto& text : records.texts()) {
      TokenIds ids = tokenizer.encode(text);
      ids.resize(std::min(ids.size(), static_cast<size_t>(length)));
      writer.add_text(0, ids);
      writer.end_row();
      counts.tokens += std::ssize(ids);
      ++counts.rows;
    }
    writer.finish();
    return counts;
  }
};

void add_data_parts(Registries& registries) {
  add_component<ParagraphReader, RecordReader>(registries, "paragraphs", "a text per paragraph");
  add_component<LettersFit, TokenizerFit>(registries, "letters", "letters of the training text");
  add_component<HeadPacker, Packer>(registries, "head", "the beginning of every text");
}

}  // namespace example
