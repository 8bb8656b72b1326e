// Replies of dialogues as GPT-2 reads them (Wolf, Sanh, Chaumond and Delangue 2019,
// "TransferTransfo").
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "framework/core/model/batch.h"
#include "framework/core/text/vocabulary.h"

namespace lvtext {

/// The tokens of the two speakers: the last two ids of the vocabulary; the first one replies.
/// Throws ConfigError for a vocabulary without EOS, or whose last two ids are other special tokens.
struct SpeakerTokens {
  int64_t replies = 0, other = 0;
};
SpeakerTokens speaker_tokens(const Vocabulary& vocabulary);

/// The speaker at each position of ids [B, T] int64: the last speaker token at or before it, and
/// that of the speaker who replies where there is none (the persona). [B, T] int64.
at::Tensor speakers_of(const at::Tensor& ids, const SpeakerTokens& tokens);

/// Contexts that are followed by replies and EOS.
struct Replies {
  Tokens texts;            ///< context, reply and EOS
  at::Tensor predictions;  ///< [P] int64, index in [B T] of the position before each token
  at::Tensor targets;      ///< [P] int64: the tokens of the replies, each with EOS
};

/// Of a context that with reply and EOS is longer than `positions`, the last tokens are kept. The
/// tensors are on the device of the contexts. Throws ConfigError for a reply that is too long
/// alone.
Replies join_replies(const Tokens& contexts, const Tokens& replies, int64_t eos, int64_t positions);

}  // namespace lvtext
