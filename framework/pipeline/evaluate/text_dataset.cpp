#include "framework/pipeline/evaluate/text_dataset.h"

#include <algorithm>

#include "framework/core/base/scratch_folder.h"
#include "framework/core/datasets/dataset_writer.h"

namespace lvtext {
namespace {

/// Token ids are bytes.
class ByteTokenizer : public Tokenizer {
 public:
  TokenIds encode(std::string_view text) const override {
    TokenIds ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    for (const int32_t id : ids) text += static_cast<char>(id);
    return text;
  }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<bool> begins_word(int32_t) const override { return std::nullopt; }
  const std::string& sha256() const override { return name_; }

 private:
  Vocabulary vocabulary_ = {.size = 256};
  std::string name_ = "bytes";  // all tokenizers of this class are equal
};

}  // namespace

TextDataset text_dataset(const std::map<std::string, std::vector<std::string>>& texts,
                         const std::map<std::string, std::vector<int64_t>>& labels) {
  const auto tokenizer = std::make_shared<const ByteTokenizer>();
  std::vector<ColumnDecl> columns;
  for (const auto& [name, lines] : texts) {
    columns.push_back({.name = name, .vocabulary = tokenizer->vocabulary()});
  }
  for (const auto& [name, values] : labels) {
    const int64_t largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    columns.push_back(
        {.name = name, .kind = ColumnKind::kLabel, .classes = static_cast<int32_t>(largest) + 1});
  }
  // A dataset is a mapped file; the mapping outlives the file.
  const ScratchFolder folder;
  DatasetWriter writer(folder.path() / kDatasetFile, columns);
  for (size_t row = 0; row < texts.begin()->second.size(); ++row) {
    size_t column = 0;
    for (const auto& [name, lines] : texts) {
      writer.add_text(column++, tokenizer->encode(lines.at(row)));
    }
    for (const auto& [name, values] : labels) {
      writer.add_label(column++, static_cast<int32_t>(values.at(row)));
    }
    writer.end_row();
  }
  writer.finish();
  return {Dataset(folder.path() / kDatasetFile), tokenizer};
}

}  // namespace lvtext
