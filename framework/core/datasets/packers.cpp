// The packers.
#include <algorithm>
#include <span>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/datasets/pack_columns.h"

namespace lvtext {
namespace {

/// Encodes running text, including line ends, as one string and cuts it into consecutive rows of
/// `length` tokens; an incomplete last row is dropped.
struct BlockPacker : Packer {
  int64_t length = 512;

  template <class V>
  void visit(V& v) {
    v.field("length", length, "number of tokens per block", at_least(1), unit("tokens"));
  }

  bool keeps_rows() const override { return false; }
  bool reads_running_text() const override { return true; }

  PackCounts pack(const Records& records, const Tokenizer& tokenizer,
                  const std::filesystem::path& file) const override {
    if (records.fields.size() != 1 || !records.is_text(records.fields.front())) {
      throw ConfigError("data.pack: 'blocks' requires a single text field; the records have " +
                        join(records.fields));
    }
    std::string text;
    for (const Record& record : records.rows) text += text_of(record.front()) + "\n";
    const TokenIds ids = tokenizer.encode(text);
    DatasetWriter writer(file,
                         {{.name = records.fields.front(), .vocabulary = tokenizer.vocabulary()}});
    PackCounts counts;
    for (; (counts.rows + 1) * length <= std::ssize(ids); ++counts.rows) {
      const auto block = std::span(ids).subspan(counts.rows * length, length);
      writer.add_text(0, block);
      writer.end_row();
      counts.tokens += length;
      counts.unknown += std::count(block.begin(), block.end(), tokenizer.vocabulary().unk);
    }
    counts.dropped = std::ssize(ids) - counts.tokens;
    writer.finish();
    return counts;
  }
};

/// Writes one row per record, with columns of several texts. Training samples one of the texts per
/// row, a new one in each epoch.
struct CaptionsPacker : Packer {
  int64_t max_words = 0;

  template <class V>
  void visit(V& v) {
    v.field("max_words", max_words,
            "maximum number of words of a caption; longer ones are truncated; 0: no limit",
            at_least(0), unit("words"));
  }

  PackCounts pack(const Records& records, const Tokenizer& tokenizer,
                  const std::filesystem::path& file) const override {
    const bool has_several = std::any_of(records.types.begin(), records.types.end(),
                                         [](const auto& each) { return each.second.ragged; });
    if (!has_several) {
      throw ConfigError(
          "data.pack: 'captions' requires several texts per record; the records have " +
          join(records.fields) + ", with one value each");
    }
    return pack_columns(records, tokenizer, file, max_words);
  }
};

/// Writes one row per record, with one item per column.
struct TextPacker : Packer {
  template <class V>
  void visit(V&) {}

  PackCounts pack(const Records& records, const Tokenizer& tokenizer,
                  const std::filesystem::path& file) const override {
    for (const auto& [field, type] : records.types) {
      if (!type.ragged) continue;
      throw ConfigError("data.pack: the column '" + field +
                        "' has several texts in each record; use `pack: captions` to keep them, or "
                        "a derived data set with `flatten: " +
                        field + "` to turn each into a record");
    }
    return pack_columns(records, tokenizer, file);
  }
};

}  // namespace

Choices<Packer>& Packer::components() {
  static auto components = [] {
    Choices<Packer> all(kKind);
    add_component<BlockPacker>(all, "blocks",
                               "running text cut into consecutive blocks of tokens; no line of the "
                               "text is removed or moved");
    add_component<CaptionsPacker>(all, "captions", "one row per record, with several texts each");
    add_component<TextPacker>(all, "text", "one row per record");
    return all;
  }();
  return components;
}

}  // namespace lvtext
