#include "framework/core/base/error.h"
#include "framework/core/data/pack_columns.h"

namespace lvtext {
namespace {

/// A row for every record, whose columns have one item each.
struct TextPacker : Packer {
  template <class V>
  void visit(V&) {}

  PackCounts pack(const Records& records, const Tokenizer& tokenizer,
                  const std::filesystem::path& file) const override {
    for (const auto& [field, type] : records.types) {
      if (!type.ragged) continue;
      throw ConfigError("data.pack: the column '" + field +
                        "' has several texts in each record; `pack: captions` keeps them, "
                        "`flatten: " +
                        field + "` of a derived data set makes a record of each");
    }
    return pack_columns(records, tokenizer, file);
  }
};

}  // namespace

void add_text(Choices<Packer>& packers) {
  add_component<TextPacker>(packers, "text", "a row for every sentence");
}

}  // namespace lvtext
