// How the conversations of two agents end.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Lengths and ends of the conversations of `dialogues`. An empty utterance counts as a turn.
class ConversationsEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit ConversationsEvaluator(const NoOptions& /*options*/) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {
        {"length", "mean number of utterances of a conversation, without its opening"},
        {"empty", "conversations that end with an empty utterance, in %"},
        {"repeats_self", "conversations that end because an agent repeats itself, in %"},
        {"repeats_partner", "conversations that end because an agent repeats its partner, in %"},
        {"limit", "conversations that end at the maximum number of utterances, in %"},
        {"repeated", "utterances that equal an earlier one of their conversation, in %"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;
};

}  // namespace lvtext
