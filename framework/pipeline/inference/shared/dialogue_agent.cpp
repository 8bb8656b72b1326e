#include "framework/pipeline/inference/shared/dialogue_agent.h"

#include <algorithm>

#include "framework/core/decoding/sampling.h"

namespace lvtext {

DialogueAgent::DialogueAgent(const LoadedModel& model, const ReplyFields& options,
                             const std::string& component)
    : model_(capability_of<NextTokenModel>(model)),
      tokenizer_(*model.tokenizer),
      tokens_(dialogue_tokens(tokenizer_, component)),
      history_(options.history),
      decoding_(options.decoding(sampling_policy(/*has_prior=*/false))) {
  decoding_.stop_ids = tokens_.special;
}

TokenIds DialogueAgent::persona(std::span<const std::string> sentences) const {
  return persona_ids(tokenizer_, sentences);
}

TokenIds DialogueAgent::whole(const TokenIds& persona, std::span<const TokenIds> utterances,
                              bool own_turn) const {
  TokenIds context = dialogue_context(tokens_, persona, utterances, own_turn);
  // A model with a start symbol reads it by itself.
  if (model_.start_symbol()) context.erase(context.begin());
  return context;
}

bool DialogueAgent::reads_all(const TokenIds& persona, std::span<const TokenIds> utterances) const {
  if (history_ > 0 && std::ssize(utterances) > history_) return false;
  const std::optional<int64_t> positions = model_.max_positions();
  if (!positions) return true;
  // The context begins with BOS or the start symbol in both cases.
  const TokenIds context = dialogue_context(tokens_, persona, utterances);
  return std::ssize(context) + decoding_.max_length <= *positions;
}

DialogueAgent::Reading DialogueAgent::reading(const TokenIds& persona,
                                              std::span<const TokenIds> utterances) const {
  const auto last = utterances.size() - 1;
  size_t first = 0;
  if (history_ > 0 && std::ssize(utterances) > history_) {
    first = utterances.size() - static_cast<size_t>(history_);
  }
  Reading reading;
  const std::optional<int64_t> positions = model_.max_positions();
  const auto is_too_long = [&] {
    const TokenIds context = dialogue_context(tokens_, persona, utterances.subspan(first));
    return positions && std::ssize(context) + decoding_.max_length - 1 > *positions;
  };
  for (; first < last && is_too_long(); ++first) reading.is_cut = true;
  reading.prompt = whole(persona, utterances.subspan(first), /*own_turn=*/true);
  if (positions && is_too_long()) {
    const int64_t room = *positions - decoding_.max_length + 1 - (model_.start_symbol() ? 1 : 0);
    if (room < 1) return reading;  // decode() states what does not fit
    reading.prompt.erase(reading.prompt.begin(), reading.prompt.end() - room);
    reading.is_cut = true;
  }
  return reading;
}

}  // namespace lvtext
