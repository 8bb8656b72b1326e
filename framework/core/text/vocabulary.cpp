#include "framework/core/text/vocabulary.h"

#include <algorithm>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

int32_t given(const std::optional<int32_t>& id, const std::string& name,
              const std::string& needed_by) {
  if (id) return *id;
  throw ConfigError("the tokenizer has no " + name + ", which " + needed_by +
                    " needs; use a tokenizer with " + name);
}

}  // namespace

int32_t bos_of(const Vocabulary& vocabulary, const std::string& needed_by) {
  return given(vocabulary.bos, "BOS", needed_by);
}

int32_t eos_of(const Vocabulary& vocabulary, const std::string& needed_by) {
  return given(vocabulary.eos, "EOS", needed_by);
}

int32_t pad_of(const Vocabulary& vocabulary, const std::string& needed_by) {
  return given(vocabulary.pad, "padding", needed_by);
}

int32_t start_of(const Vocabulary& vocabulary) {
  return given(vocabulary.bos ? vocabulary.bos : vocabulary.eos, "BOS or EOS", "a decoder");
}

std::vector<int32_t> never_chosen(const Vocabulary& vocabulary) {
  std::vector<int32_t> ids;
  for (const auto& id : {vocabulary.pad, vocabulary.bos}) {
    if (id && id != vocabulary.eos) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace lvtext
