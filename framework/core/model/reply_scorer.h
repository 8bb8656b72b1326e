// Capability of dialogue models that choose among replies.
#pragma once

#include <ATen/core/Tensor.h>

#include "framework/core/model/batch.h"

namespace lvtext {

/// Scores replies to contexts. Whether a model does may depend on its options.
class ReplyScorer {
 public:
  static constexpr const char* kName = "reply_scorer";
  virtual ~ReplyScorer() = default;
  /// A score of each reply, [B]: of several replies to a context, the model chooses the one with
  /// the highest. Throws ConfigError if the model was not trained to choose.
  virtual at::Tensor reply_scores(const Tokens& contexts, const Tokens& replies) = 0;
};

}  // namespace lvtext
