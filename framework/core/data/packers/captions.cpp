#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/data/pack_columns.h"

namespace lvtext {
namespace {

/// A row for every record, with columns of several texts; of these a stream gives one, drawn anew
/// in each epoch.
struct CaptionsPacker : Packer {
  int64_t max_words = 0;

  template <class V>
  void visit(V& v) {
    v.field("max_words", max_words, "a caption's first words that are kept; 0: all", at_least(0),
            unit("words"));
  }

  PackCounts pack(const Records& records, const Tokenizer& tokenizer,
                  const std::filesystem::path& file) const override {
    const bool has_several = std::any_of(records.types.begin(), records.types.end(),
                                         [](const auto& each) { return each.second.ragged; });
    if (!has_several) {
      throw ConfigError("data.pack: captions are several texts in each record; the records have " +
                        join(records.fields) + ", one of each");
    }
    return pack_columns(records, tokenizer, file, max_words);
  }
};

}  // namespace

void add_captions(Choices<Packer>& packers) {
  add_component<CaptionsPacker>(packers, "captions",
                                "a row for every record, with several texts each");
}

}  // namespace lvtext
