// A packer in a plug-in: the beginnings of texts.
#include <algorithm>

#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/datasets/packer.h"
#include "framework/core/model/plugin.h"

namespace example {

using namespace lvtext;

/// Keeps the beginning of every text.
struct HeadPacker : Packer {
  int64_t length = 10;

  template <class V>
  void visit(V& v) {
    v.field("length", length, "maximum number of tokens of a row", at_least(1));
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

void add_head_packer(Registries& registries) {
  add_component<HeadPacker, Packer>(registries, "head", "the beginning of every text");
}

}  // namespace example
