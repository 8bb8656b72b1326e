#include "framework/core/text/text.h"

#include <algorithm>
#include <utility>

#include "framework/core/base/error.h"

namespace lvtext {

Text::Text(std::vector<std::string> lines) : content_(std::make_shared<Content>()) {
  size_ = lines.size();
  content_->lines = std::move(lines);
}

Text::Text(std::vector<TokenIds> ids, std::shared_ptr<const Tokenizer> tokenizer)
    : content_(std::make_shared<Content>()) {
  size_ = ids.size();
  content_->ids = std::move(ids);
  content_->tokenizer = std::move(tokenizer);
  content_->is_decoded = true;
}

Text::Text(std::vector<std::string> lines, std::vector<TokenIds> ids,
           std::shared_ptr<const Tokenizer> tokenizer)
    : Text(std::move(ids), std::move(tokenizer)) {
  LVT_ASSERT(lines.size() == size_, "a text has different numbers of lines and sentences");
  content_->lines = std::move(lines);
  content_->is_decoded = false;
}

Text::Text(LineReader lines, std::vector<TokenIds> ids, std::shared_ptr<const Tokenizer> tokenizer)
    : Text(std::move(ids), std::move(tokenizer)) {
  content_->reader = std::move(lines);
  content_->is_decoded = false;
}

std::span<const std::string> Text::lines() const {
  if (!content_) return {};
  auto& lines = content_->lines;
  if (content_->reader) {
    lines = content_->reader();
    content_->reader = nullptr;
    LVT_ASSERT(lines.size() == content_->ids.size(),
               "a text has different numbers of lines and sentences");
  }
  for (size_t i = lines.size(); i < size_; ++i) {
    lines.push_back(content_->tokenizer->decode(content_->ids[i]));
  }
  return std::span(lines).first(size_);
}

std::span<const TokenIds> Text::ids() const {
  if (!has_ids()) return {};
  return std::span(content_->ids).first(size_);
}

Text Text::first(int64_t count) const {
  Text some = *this;
  some.size_ = std::min(size_, static_cast<size_t>(std::max<int64_t>(count, 0)));
  return some;
}

}  // namespace lvtext
