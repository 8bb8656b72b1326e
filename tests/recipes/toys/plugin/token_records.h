// Statistics of each token of a text under a model and a token policy.
#pragma once

#include <ATen/ATen.h>

#include "framework/core/decoding/policy.h"
#include "framework/core/model/batch.h"
#include "framework/core/model/capabilities.h"

namespace toys {

/// Scores [N, V] before each of the N tokens of sentences, including EOS, sentence by sentence, and
/// these tokens [N].
struct TokenScores {
  at::Tensor scores, targets;
};

inline TokenScores token_scores(lvtext::NextTokenModel& model, const lvtext::Tokens& sentences) {
  const lvtext::Vocabulary& vocabulary = model.vocabulary();
  const at::Tensor inputs = lvtext::with_bos(sentences, lvtext::start_of(vocabulary));
  const at::Tensor targets =
      lvtext::with_eos(sentences, lvtext::eos_of(vocabulary, "the token records"));
  const auto state = model.start({.rows = sentences.rows()});
  std::vector<at::Tensor> steps;
  for (int64_t t = 0; t < inputs.size(1); ++t) {
    steps.push_back(model.step(*state, inputs.select(1, t)).to(at::kCPU));
  }
  const at::Tensor is_token =
      at::arange(inputs.size(1)).unsqueeze(0) <= sentences.lengths.unsqueeze(1);
  return {at::stack(steps, 1).flatten(0, 1).index({is_token.flatten()}),
          targets.flatten().index({is_token.flatten()})};
}

/// Each [N]: the probability of the true token, 1 - |p - true|^2 / 2 (Martins et al. 2020), the
/// number of tokens with nonzero probability, and the most probable token.
struct TokenRecords {
  at::Tensor gold, sparsemax, support, expected;
};

inline TokenRecords token_records(const lvtext::PolicyOptions& policy,
                                  lvtext::NextTokenModel& model, const TokenScores& tokens) {
  const auto [ids, p, support] = lvtext::candidates(
      policy, model.output_map(), lvtext::never_chosen(model.vocabulary()), tokens.scores);
  const at::Tensor gold = (p * ids.eq(tokens.targets.unsqueeze(1))).sum(1);
  return {gold, gold + (1 - p.square().sum(1)) / 2, support.to(at::kFloat),
          ids.gather(1, p.argmax(1, true)).squeeze(1)};
}

}  // namespace toys
