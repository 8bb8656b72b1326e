#include "framework/pipeline/inference/shared/predicted_tokens.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"

namespace lvtext {

int64_t given_tokens(const NextTokenModel& model) {
  return model.start_symbol() ? 0 : 1;
}

PredictedTokens predicted_tokens(const NextTokenModel& model, const Tokens& texts) {
  const bool ends = model.ends();
  const at::Tensor ids =
      ends ? with_eos(texts, eos_of(model.vocabulary(), "the end of a text")) : texts.ids;
  const at::Tensor positions = at::arange(ids.size(1)).expand_as(ids);
  const at::Tensor ends_at = (texts.lengths + (ends ? 1 : 0)).unsqueeze(1);
  const at::Tensor is_predicted =
      positions.ge(given_tokens(model)).logical_and(positions.lt(ends_at));
  const at::Tensor rows = at::arange(ids.size(0)).unsqueeze(1).expand_as(ids);
  return {ids.masked_select(is_predicted), rows.masked_select(is_predicted),
          positions.masked_select(is_predicted)};
}

int64_t texts_at_once(const NextTokenModel& model, std::span<const TokenIds> texts,
                      const std::string& component) {
  int64_t longest = 0;
  for (const TokenIds& text : texts) longest = std::max(longest, std::ssize(text));
  const int64_t read = longest + 1 - given_tokens(model) - (model.ends() ? 0 : 1);
  if (const auto most = model.max_positions(); most && read > *most) {
    throw ConfigError(component + ": the longest text has " + format_count(longest, "token") +
                      ", but the model reads at most " + std::to_string(*most) +
                      "; use data of shorter texts, such as shorter blocks");
  }
  constexpr int64_t kScores = int64_t{1} << 24;
  return std::max<int64_t>(1, kScores / (std::max<int64_t>(read, 1) * model.vocabulary().size));
}

}  // namespace lvtext
