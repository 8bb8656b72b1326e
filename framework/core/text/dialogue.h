// Dialogues of two agents as the tokens that a model of the next token reads, in the form of
// Martins, Marinho and Martins 2020 (that of Wolf et al. 2019, "TransferTransfo").
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/core/text/token_ids.h"
#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// The added tokens of the tokenizer of a dialogue model, in the order of their ids, which are the
/// last ones of the vocabulary: `added: [<bos>, <eos>, <pad>, <speaker1>, <speaker2>]`. <speaker1>
/// is the speaker who replies, <speaker2> the other one.
inline constexpr std::array<const char*, 5> kDialogueTokens = {"<bos>", "<eos>", "<pad>",
                                                               "<speaker1>", "<speaker2>"};

/// Ids of the added tokens that structure a dialogue.
struct DialogueTokens {
  int32_t bos = 0, eos = 0;  ///< `<bos>`, `<eos>`
  int32_t own = 0;           ///< `<speaker1>`, before the utterances of the agent that reads
  int32_t partner = 0;       ///< `<speaker2>`, before those of its partner
  /// These and `<pad>`, if there is one: each of them ends a reply. Ascending.
  std::vector<int32_t> special = {};
};

/// The tokens of a tokenizer for dialogues; std::nullopt if it lacks one of them.
std::optional<DialogueTokens> find_dialogue_tokens(const Tokenizer& tokenizer);
/// As above. Throws ConfigError, naming the component that needs them, if one is missing.
DialogueTokens dialogue_tokens(const Tokenizer& tokenizer, const std::string& needed_by);

/// The ids of a persona: the text of its sentences one after another, with nothing between them.
TokenIds persona_ids(const Tokenizer& tokenizer, std::span<const std::string> sentences);

/// What an agent reads before the next utterance: BOS, its persona, the utterances so far, each
/// after the token of its speaker, and the token of the next speaker, which is the agent itself if
/// `own_turn`. Speakers alternate.
TokenIds dialogue_context(const DialogueTokens& tokens, const TokenIds& persona,
                          std::span<const TokenIds> utterances, bool own_turn = true);

/// As above as text, for a reader of records: the last `most` utterances, then <speaker1>.
std::string dialogue_context(const std::vector<std::string>& persona,
                             const std::vector<std::string>& utterances, int64_t most);

/// The share of the tokens of `utterance`, repeated ones counted each time, that occur in `other`;
/// 0 if `utterance` is empty.
double utterance_overlap(const TokenIds& utterance, const TokenIds& other);

}  // namespace lvtext
