#include "framework/pipeline/inference/shared/predicted_tokens.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"

namespace lvtext {

int64_t given_tokens(const NextTokenModel& model) {
  return model.start_symbol() ? 0 : 1;
}

namespace {

/// The tokens from the position `given` on, and EOS if the model has ends().
PredictedTokens tokens_from(int64_t given, const NextTokenModel& model, const Tokens& texts) {
  const bool ends = model.ends();
  const at::Tensor ids =
      ends ? with_eos(texts, eos_of(model.vocabulary(), "the end of a text")) : texts.ids;
  const at::Tensor positions = at::arange(ids.size(1)).expand_as(ids);
  const at::Tensor ends_at = (texts.lengths + (ends ? 1 : 0)).unsqueeze(1);
  const at::Tensor is_predicted = positions.ge(given).logical_and(positions.lt(ends_at));
  const at::Tensor rows = at::arange(ids.size(0)).unsqueeze(1).expand_as(ids);
  return {ids.masked_select(is_predicted), rows.masked_select(is_predicted),
          positions.masked_select(is_predicted)};
}

}  // namespace

PredictedTokens predicted_tokens(const NextTokenModel& model, const Tokens& texts) {
  return tokens_from(given_tokens(model), model, texts);
}

at::Tensor continuation_scores(NextTokenModel& model, const Tokens& contexts, const Tokens& texts,
                               PredictedTokens& predicted) {
  predicted = tokens_from(0, model, texts);
  const at::Tensor counts = texts.lengths + (model.ends() ? 1 : 0);
  const at::Tensor begins = counts.cumsum(0) - counts;
  at::Tensor last =
      contexts.ids.gather(1, (contexts.lengths - 1).clamp_min(0).unsqueeze(1)).squeeze(1);
  if (const auto symbol = model.start_symbol()) {
    last = last.masked_fill(contexts.lengths.eq(0), *symbol);
  }
  if (predicted.ids.size(0) == 0) return at::empty({0, model.vocabulary().size});
  const auto state = model.start({.rows = texts.rows(), .prompt = contexts});
  at::Tensor open = at::arange(texts.rows());  // the texts that are not finished
  at::Tensor all;
  for (int64_t t = 0;; ++t) {
    throw_if_stopped();
    const at::Tensor inputs = t == 0 ? last : texts.ids.select(1, t - 1);
    const at::Tensor scores = model.step(*state, inputs.index_select(0, open));
    if (!all.defined()) {
      all = at::empty({predicted.ids.size(0), scores.size(1)}, scores.options());
    }
    const auto longer_than = [&](int64_t length) {
      return counts.index_select(0, open).gt(length).nonzero().squeeze(1);
    };
    const at::Tensor predicts = longer_than(t), goes_on = longer_than(t + 1);
    all.index_copy_(0,
                    (begins.index_select(0, open.index_select(0, predicts)) + t).to(all.device()),
                    scores.index_select(0, predicts.to(scores.device())));
    if (goes_on.size(0) == 0) return all;
    if (goes_on.size(0) == open.size(0)) continue;
    state->select_rows(goes_on.to(scores.device()));
    open = open.index_select(0, goes_on);
  }
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
