#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/datasets/pack_columns.h"

namespace lvtext {
namespace {

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

}  // namespace

void add_captions(Choices<Packer>& packers) {
  add_component<CaptionsPacker>(packers, "captions", "one row per record, with several texts each");
}

}  // namespace lvtext
