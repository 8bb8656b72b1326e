#include "framework/cli/unknown_words.h"

#include <algorithm>

#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/text/treebank.h"

namespace lvtext {
namespace {

constexpr size_t kMaxShown = 20;

}  // namespace

void UnknownWords::add(const std::vector<std::string>& lines) {
  const auto unknown = tokenizer_.vocabulary().unk;
  for (const std::string& line : lines) {
    for (std::string& word : treebank_words(line)) {
      if (!seen_.insert(word).second) continue;
      const TokenIds ids = tokenizer_.encode(word);
      const bool is_read = unknown && std::find(ids.begin(), ids.end(), *unknown) != ids.end();
      if (ids.empty() || is_read) new_.push_back(std::move(word));
    }
  }
}

void UnknownWords::log() {
  if (new_.empty()) return;
  const size_t left = new_.size() - std::min(new_.size(), kMaxShown);
  new_.resize(new_.size() - left);
  log_info("words outside the model's vocabulary: " + join(new_) +
           (left > 0 ? " and " + format_count(static_cast<int64_t>(left)) + " more" : ""));
  new_.clear();
}

}  // namespace lvtext
