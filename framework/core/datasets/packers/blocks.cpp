#include <algorithm>
#include <span>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/datasets/packer.h"

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

}  // namespace

void add_blocks(Choices<Packer>& packers) {
  add_component<BlockPacker>(packers, "blocks",
                             "running text cut into consecutive blocks of tokens; no line of the "
                             "text is removed or moved");
}

}  // namespace lvtext
