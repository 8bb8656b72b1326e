#include "framework/core/datasets/pack_columns.h"

#include <algorithm>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/text/word_tokens.h"

namespace lvtext {
namespace {

ColumnDecl column_of(const Records& records, const std::string& field,
                     const Vocabulary& vocabulary) {
  if (const auto labels = records.labels.find(field); labels != records.labels.end()) {
    return {.name = field,
            .kind = ColumnKind::kLabel,
            .classes = static_cast<int32_t>(labels->second.size())};
  }
  const FieldType* type = records.type_of(field);
  if (!type) return {.name = field, .vocabulary = vocabulary};
  ColumnDecl column{
      .name = field, .kind = type->kind, .shape = type->shape, .ragged = type->ragged};
  if (type->kind == ColumnKind::kText) column.vocabulary = vocabulary;
  return column;
}

std::string first_words(const std::string& text, int64_t count) {
  std::vector<std::string> words = split_words(text, WordTokens::kWhitespace);
  words.resize(std::min(words.size(), static_cast<size_t>(count)));
  return join(words, " ");
}

/// Writes the values of records and counts what it wrote.
class RowWriter {
 public:
  RowWriter(const Records& records, const Tokenizer& tokenizer, int64_t max_words,
            DatasetWriter& writer, PackCounts& counts)
      : records_(records),
        tokenizer_(tokenizer),
        max_words_(max_words),
        writer_(writer),
        counts_(counts) {}

  void add(size_t field, const FieldValue& value) {
    const std::string& name = records_.fields[field];
    if (const auto labels = records_.labels.find(name); labels != records_.labels.end()) {
      const auto& names = labels->second;
      const auto label = std::find(names.begin(), names.end(), text_of(value));
      writer_.add_label(field, static_cast<int32_t>(label - names.begin()));
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      add_text(field, *text);
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
      for (const std::string& each : *texts) {
        add_text(field, max_words_ > 0 ? first_words(each, max_words_) : each);
      }
    } else if (const auto* image = std::get_if<ImageBytes>(&value)) {
      writer_.add_image(field, image->bytes());
    } else {
      writer_.add_numbers(field, std::get<std::vector<float>>(value));
    }
  }

 private:
  void add_text(size_t field, const std::string& text) {
    const TokenIds ids = tokenizer_.encode(text);
    writer_.add_text(field, ids);
    counts_.tokens += std::ssize(ids);
    counts_.unknown += std::count(ids.begin(), ids.end(), tokenizer_.vocabulary().unk);
  }

  const Records& records_;
  const Tokenizer& tokenizer_;
  int64_t max_words_;
  DatasetWriter& writer_;
  PackCounts& counts_;
};

}  // namespace

std::vector<ColumnDecl> columns_of(const Records& records, const Vocabulary& vocabulary) {
  std::vector<ColumnDecl> columns;
  for (const auto& field : records.fields) {
    columns.push_back(column_of(records, field, vocabulary));
  }
  return columns;
}

PackCounts pack_columns(const Records& records, const Tokenizer& tokenizer,
                        const std::filesystem::path& file, int64_t max_words) {
  const auto columns = columns_of(records, tokenizer.vocabulary());
  DatasetWriter writer(file, columns);
  PackCounts counts;
  RowWriter row(records, tokenizer, max_words, writer, counts);
  const bool has_text = std::any_of(columns.begin(), columns.end(), [](const ColumnDecl& column) {
    return column.kind == ColumnKind::kText;
  });
  for (const Record& record : records.rows) {
    const int64_t before = counts.tokens;
    for (size_t field = 0; field < record.size(); ++field) row.add(field, record[field]);
    counts.without_tokens += has_text && counts.tokens == before;
    writer.end_row(records.parent(counts.rows));
    ++counts.rows;
  }
  writer.finish();
  return counts;
}

}  // namespace lvtext
