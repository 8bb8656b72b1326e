#include "models/gpt2/dialogue.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {

SpeakerTokens speaker_tokens(const Vocabulary& vocabulary) {
  const int32_t replies = vocabulary.size - 2, other = vocabulary.size - 1;
  const bool has_special = vocabulary.bos && vocabulary.eos && vocabulary.pad;
  const auto is_speaker = [&](const std::optional<int32_t>& id) { return id && *id >= replies; };
  if (!has_special || is_speaker(vocabulary.bos) || is_speaker(vocabulary.eos) ||
      is_speaker(vocabulary.pad)) {
    throw ConfigError(
        "gpt2: the option `dialogue` needs a tokenizer whose last ids are <bos>, <eos>, <pad> and "
        "the tokens of the speakers: `{type: byte_bpe, added: [<bos>, <eos>, <pad>, <speaker1>, "
        "<speaker2>], bos: <bos>, eos: <eos>, pad: <pad>}`");
  }
  return {replies, other};
}

at::Tensor speakers_of(const at::Tensor& ids, const SpeakerTokens& tokens) {
  LVT_CHECK_SHAPE(ids, {-1, -1});
  const at::Tensor is_speaker = ids.ge(tokens.replies);
  const at::Tensor positions = at::arange(ids.size(1), ids.options()).expand_as(ids);
  const at::Tensor last =
      std::get<0>(positions.masked_fill(is_speaker.logical_not(), -1).cummax(1));
  return ids.gather(1, last.clamp_min(0)).masked_fill(last.lt(0), tokens.replies);
}

Replies join_replies(const Tokens& contexts, const Tokens& replies, int64_t eos,
                     int64_t positions) {
  const int64_t rows = contexts.rows();
  LVT_CHECK_SHAPE(replies.ids, {rows, -1});
  const at::Tensor ids[] = {contexts.ids.to(at::kCPU).contiguous(),
                            replies.ids.to(at::kCPU).contiguous()};
  std::vector<std::vector<int32_t>> texts;
  std::vector<int64_t> begins;
  for (int64_t b = 0; b < rows; ++b) {
    const auto length = contexts.lengths[b].item<int64_t>();
    const auto of_reply = replies.lengths[b].item<int64_t>();
    if (of_reply + 2 > positions) {
      throw ConfigError("gpt2: a reply has " + std::to_string(of_reply) +
                        " tokens, but with EOS and a token of its context it must fit into " +
                        std::to_string(positions) + " positions; raise `positions`");
    }
    const int64_t kept = std::min(length, positions - of_reply - 1);
    const auto* context = ids[0].const_data_ptr<int64_t>() + b * ids[0].size(1) + length - kept;
    const auto* reply = ids[1].const_data_ptr<int64_t>() + b * ids[1].size(1);
    auto& text = texts.emplace_back(context, context + kept);
    text.insert(text.end(), reply, reply + of_reply);
    text.push_back(static_cast<int32_t>(eos));
    begins.push_back(kept);
  }
  Replies joined{.texts = pad_sentences(texts)};
  const int64_t width = joined.texts.ids.size(1);
  std::vector<int64_t> index, targets;
  for (int64_t b = 0; b < rows; ++b) {
    // A token without another one before it is not predicted.
    for (auto t = std::max<int64_t>(1, begins[b]); t < std::ssize(texts[b]); ++t) {
      index.push_back(b * width + t - 1);
      targets.push_back(texts[b][static_cast<size_t>(t)]);
    }
  }
  const at::Device device = contexts.ids.device();
  joined.texts.ids = joined.texts.ids.to(device);
  joined.predictions = at::tensor(index, at::kLong).to(device);
  joined.targets = at::tensor(targets, at::kLong).to(device);
  return joined;
}

}  // namespace lvtext
