// What a dialogue model reads before a reply, as text with the added tokens of its tokenizer.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lvtext {

/// The added tokens of the tokenizer of a dialogue model, in the order of their ids, which are the
/// last ones of the vocabulary: `added: [<bos>, <eos>, <pad>, <speaker1>, <speaker2>]`. <speaker1>
/// is the speaker who replies, <speaker2> the other one (Wolf, Sanh, Chaumond and Delangue 2019,
/// "TransferTransfo").
inline constexpr std::array<const char*, 5> kDialogueTokens = {"<bos>", "<eos>", "<pad>",
                                                               "<speaker1>", "<speaker2>"};
inline constexpr const char* kDialogueBegin = kDialogueTokens[0];
inline constexpr const char* kDialogueSpeakers[] = {kDialogueTokens[3], kDialogueTokens[4]};

/// <bos>, the sentences of the persona, the last `utterances` of the history, each after the token
/// of its speaker, and <speaker1>. The last utterance is by <speaker2>, and they alternate.
std::string dialogue_context(const std::vector<std::string>& persona,
                             const std::vector<std::string>& history, int64_t utterances);

}  // namespace lvtext
