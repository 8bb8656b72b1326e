#include "framework/core/text/dialogue.h"

#include <algorithm>
#include <array>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

constexpr const char *kBegin = kDialogueTokens[0], *kEnd = kDialogueTokens[1];
constexpr const char *kPadding = kDialogueTokens[2], *kOwn = kDialogueTokens[3];
constexpr const char* kPartner = kDialogueTokens[4];
constexpr std::array kNeeded = {kBegin, kEnd, kOwn, kPartner};

/// The id of an added token; std::nullopt if the text is not a single known token.
std::optional<int32_t> added_id(const Tokenizer& tokenizer, const std::string& text) {
  const TokenIds ids = tokenizer.encode(text);
  if (ids.size() != 1 || ids.front() == tokenizer.vocabulary().unk) return std::nullopt;
  return ids.front();
}

}  // namespace

std::optional<DialogueTokens> find_dialogue_tokens(const Tokenizer& tokenizer) {
  std::array<int32_t, kNeeded.size()> ids{};
  for (size_t i = 0; i < kNeeded.size(); ++i) {
    const auto id = added_id(tokenizer, kNeeded[i]);
    if (!id) return std::nullopt;
    ids[i] = *id;
  }
  DialogueTokens tokens{.bos = ids[0], .eos = ids[1], .own = ids[2], .partner = ids[3]};
  tokens.special.assign(ids.begin(), ids.end());
  if (const auto padding = added_id(tokenizer, kPadding)) tokens.special.push_back(*padding);
  std::sort(tokens.special.begin(), tokens.special.end());
  return tokens;
}

DialogueTokens dialogue_tokens(const Tokenizer& tokenizer, const std::string& needed_by) {
  if (auto tokens = find_dialogue_tokens(tokenizer)) return *std::move(tokens);
  std::vector<std::string> missing;
  for (const char* text : kNeeded) {
    if (!added_id(tokenizer, text)) missing.emplace_back(text);
  }
  throw ConfigError(needed_by + " needs a model of dialogues, but the tokenizer lacks " +
                    join(missing) + "; train it with `added: [" +
                    join(std::vector<std::string>(kDialogueTokens.begin(), kDialogueTokens.end())) +
                    "]`");
}

TokenIds persona_ids(const Tokenizer& tokenizer, std::span<const std::string> sentences) {
  return tokenizer.encode(join(std::vector<std::string>(sentences.begin(), sentences.end()), ""));
}

TokenIds dialogue_context(const DialogueTokens& tokens, const TokenIds& persona,
                          std::span<const TokenIds> utterances, bool own_turn) {
  TokenIds context = {tokens.bos};
  context.insert(context.end(), persona.begin(), persona.end());
  bool is_own = own_turn == (utterances.size() % 2 == 0);
  for (const TokenIds& utterance : utterances) {
    context.push_back(is_own ? tokens.own : tokens.partner);
    context.insert(context.end(), utterance.begin(), utterance.end());
    is_own = !is_own;
  }
  context.push_back(own_turn ? tokens.own : tokens.partner);
  return context;
}

std::string dialogue_context(const std::vector<std::string>& persona,
                             const std::vector<std::string>& utterances, int64_t most) {
  std::string text = kBegin + join(persona, "");
  const int64_t count = std::ssize(utterances);
  for (int64_t k = std::max<int64_t>(0, count - most); k < count; ++k) {
    text += ((count - k) % 2 == 0 ? kOwn : kPartner) + utterances[static_cast<size_t>(k)];
  }
  return text + kOwn;
}

double utterance_overlap(const TokenIds& utterance, const TokenIds& other) {
  if (utterance.empty()) return 0;
  const auto shared = std::count_if(utterance.begin(), utterance.end(), [&](int32_t id) {
    return std::find(other.begin(), other.end(), id) != other.end();
  });
  return static_cast<double>(shared) / static_cast<double>(utterance.size());
}

}  // namespace lvtext
