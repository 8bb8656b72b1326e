#include "framework/core/base/error.h"
#include "framework/core/datasets/pack_columns.h"

namespace lvtext {
namespace {

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

void add_text(Choices<Packer>& packers) {
  add_component<TextPacker>(packers, "text", "one row per record");
}

}  // namespace lvtext
