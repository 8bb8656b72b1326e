// The tokens of texts that a model of the next token predicts.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/text/token_ids.h"

namespace lvtext {

/// The tokens that NextTokenModel::text_scores() has scores of, text after text.
struct PredictedTokens {
  at::Tensor ids;        ///< [P] int64
  at::Tensor texts;      ///< [P] int64, index of the text
  at::Tensor positions;  ///< [P] int64, index in the text; that of EOS is the text's length
};
PredictedTokens predicted_tokens(const NextTokenModel& model, const Tokens& texts);

/// The scores of the tokens of texts that follow contexts: for each text its tokens and, if the
/// model has ends(), EOS, text after text, [P, V]. A context must have a token unless the model has
/// a start symbol. `predicted` is set to these tokens; their positions are those in the text.
/// Computed step by step after the context, so that nothing is computed for its tokens' scores.
at::Tensor continuation_scores(NextTokenModel& model, const Tokens& contexts, const Tokens& texts,
                               PredictedTokens& predicted);

/// Number of first tokens of a text that the model reads without predicting them: 1 for models
/// without a start symbol, else 0.
int64_t given_tokens(const NextTokenModel& model);

/// Number of texts that are scored together so that their scores, [P, V], take 64 MiB, at least 1.
/// Does not affect the scores, except for rounding. Throws ConfigError, naming `component`, if the
/// longest text is longer than the model reads (max_positions()).
int64_t texts_at_once(const NextTokenModel& model, std::span<const TokenIds> texts,
                      const std::string& component);

}  // namespace lvtext
