#include <algorithm>

#include "framework/data/dataset_writer.h"
#include "framework/data/packer.h"

namespace lvtext {
namespace {

/// A row for every record, a column for every field: texts as tokens, labels as classes.
struct TextPacker : Packer {
  template <class V>
  void visit(V&) {}

  PackCounts pack(const Records& records, const Tokenizer& tokenizer,
                  const std::filesystem::path& file) const override {
    std::vector<ColumnDecl> columns;
    for (const auto& field : records.fields) {
      const auto labels = records.labels.find(field);
      if (labels == records.labels.end()) {
        columns.push_back({.name = field, .vocabulary = tokenizer.vocabulary()});
      } else {
        columns.push_back({.name = field,
                           .kind = ColumnKind::kLabel,
                           .classes = static_cast<int32_t>(labels->second.size())});
      }
    }
    DatasetWriter writer(file, columns);
    PackCounts counts;
    for (const Record& record : records.rows) {
      for (size_t field = 0; field < columns.size(); ++field) {
        if (columns[field].kind == ColumnKind::kText) {
          const TokenIds ids = tokenizer.encode(record[field]);
          writer.add_text(field, ids);
          counts.tokens += std::ssize(ids);
          counts.unknown += std::count(ids.begin(), ids.end(), tokenizer.vocabulary().unk);
        } else {
          const auto& values = records.labels.at(columns[field].name);
          const auto label = std::find(values.begin(), values.end(), record[field]);
          writer.add_label(field, static_cast<int32_t>(label - values.begin()));
        }
      }
      writer.end_row();
      ++counts.rows;
    }
    writer.finish();
    return counts;
  }
};

}  // namespace

void add_text(Choices<Packer>& packers) {
  add_component<TextPacker>(packers, "text", "a row for every sentence");
}

}  // namespace lvtext
