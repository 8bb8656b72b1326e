#include "framework/core/data/dialogue_context.h"

#include <algorithm>

#include "framework/core/base/strings.h"

namespace lvtext {

std::string dialogue_context(const std::vector<std::string>& persona,
                             const std::vector<std::string>& history, int64_t utterances) {
  std::string text = kDialogueBegin + join(persona, "");
  const int64_t count = std::ssize(history);
  for (int64_t k = std::max<int64_t>(0, count - utterances); k < count; ++k) {
    text += kDialogueSpeakers[(count - k) % 2] + history[static_cast<size_t>(k)];
  }
  return text + kDialogueSpeakers[0];
}

}  // namespace lvtext
