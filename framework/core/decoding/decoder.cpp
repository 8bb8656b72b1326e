#include "framework/core/decoding/decoder.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/decoding/text_end.h"
#include "framework/core/model/batch.h"

namespace lvtext {
namespace {

// Returns the first input token of each row of `start`, [B]: the last token of start symbol +
// prompt.
at::Tensor first_ids(const Start& start, std::optional<int32_t> symbol) {
  if (!start.prompt) return at::full({start.rows}, *symbol, at::kLong);
  const Tokens& prompt = *start.prompt;
  const at::Tensor read = symbol ? with_bos(prompt, *symbol) : prompt.ids;
  return read.gather(1, prompt.lengths.unsqueeze(1) - (symbol ? 0 : 1)).squeeze(1);
}

// Refuses prompts that the model cannot read or continue.
void check_prompts(const NextTokenModel& model, std::span<const TokenIds> prompts,
                   int64_t max_length) {
  int64_t shortest = std::numeric_limits<int64_t>::max(), longest = 0;
  for (const TokenIds& prompt : prompts) {
    shortest = std::min(shortest, std::ssize(prompt));
    longest = std::max(longest, std::ssize(prompt));
  }
  const bool symbol = model.start_symbol().has_value();
  if (!symbol && (prompts.empty() || shortest == 0)) {
    throw ConfigError(
        "the model continues running text and has no start symbol, but a text has no first token: "
        "give a prompt of at least one token");
  }
  const std::optional<int64_t> positions = model.max_positions();
  const int64_t before = longest + (symbol ? 1 : 0), needed = before + max_length - 1;
  if (!positions || needed <= *positions) return;
  const int64_t room = *positions - before + 1;
  throw ConfigError("a prompt of " + std::to_string(longest) + " tokens and a max_length of " +
                    std::to_string(max_length) + " need " + std::to_string(needed) +
                    " positions, but the model has " + std::to_string(*positions) + ": " +
                    (room > 0 ? "use a max_length of at most " + std::to_string(room) +
                                    (longest > 0 ? " or a shorter prompt" : "")
                              : "use a shorter prompt"));
}

// Chooses each sentence's next token by a policy.
class TokenByToken {
 public:
  // Writes to the sentences `first`, `first + 1`, ... of `result`.
  TokenByToken(const DecodeOptions& options, const OutputMap& map, const TextEnd& end,
               at::Tensor example_ids, const NoiseKey& key, int64_t first, Decoded& result)
      : options_(std::get<PolicyOptions>(options.policy)),
        refuses_nonfinite_(options.refuse_nonfinite),
        map_(map),
        end_(end),
        key_(key),
        example_ids_(std::move(example_ids)),
        indices_(at::arange(first, first + example_ids_.size(0), at::kLong)),
        result_(result) {}

  Continuation advance(const at::Tensor& scores, int64_t position) {
    at::Tensor ids =
        choose_tokens(options_, map_, end_.excluded, scores, example_ids_, key_, position);
    at::Tensor on_host = ids.to(at::kCPU);
    if ((on_host < 0).any().item<bool>()) {
      if (refuses_nonfinite_) throw nonfinite_scores();
      ids = ids.clamp_min(0);
      on_host = on_host.clamp_min(0);
    }
    const auto* id = on_host.const_data_ptr<int64_t>();
    const auto* index = indices_.const_data_ptr<int64_t>();
    std::vector<int64_t> open;
    for (int64_t i = 0; i < on_host.size(0); ++i) {
      if (end_.is(id[i])) continue;
      result_.sentences[index[i]].push_back(static_cast<int32_t>(id[i]));
      open.push_back(i);
    }
    if (std::ssize(open) == on_host.size(0)) return {ids, {}};
    const at::Tensor living = at::tensor(open, at::kLong);
    indices_ = indices_.index_select(0, living);
    example_ids_ = example_ids_.index_select(0, living);
    if (open.empty()) return {};
    const at::Tensor rows = living.to(ids.device());
    return {ids.index_select(0, rows), rows};
  }

  int64_t unfinished() const { return indices_.size(0); }

 private:
  const PolicyOptions& options_;
  bool refuses_nonfinite_;
  OutputMap map_;
  const TextEnd& end_;
  const NoiseKey& key_;
  at::Tensor example_ids_;  // example ids of the unfinished sentences
  at::Tensor indices_;      // indices of these sentences in the result
  Decoded& result_;
};

// Passes tokens to the model until the search returns none or has received max_length scores.
template <class Search>
void step_through(NextTokenModel& model, const Start& start, int64_t max_length, Search& search) {
  const auto state = model.start(start);
  at::Tensor ids = first_ids(start, model.start_symbol());
  for (int64_t position = 0; position < max_length; ++position) {
    throw_if_stopped();
    const Continuation next = search.advance(model.step(*state, ids), position);
    if (!next.ids.defined()) return;
    if (next.rows.defined()) state->select_rows(next.rows);
    ids = next.ids;
  }
}

void search(NextTokenModel& model, const Start& start, const BeamOptions& options,
            const TextEnd& end, int64_t max_length, int64_t first, Decoded& result) {
  BeamSearch beams(options, model.output_map(), end, start.rows, max_length);
  step_through(model, start, max_length, beams);
  for (auto& best : beams.best()) {
    if (!best.empty()) {
      result.sentences[first] = best.front().tokens;
      result.cut_off += !best.front().ended;
    }
    result.hypotheses[first++] = std::move(best);
  }
}

}  // namespace

Decoded decode(NextTokenModel& model, const at::Tensor& z, const at::Tensor& example_ids,
               const NoiseKey& key, const DecodeOptions& options,
               std::span<const TokenIds> prompts) {
  at::NoGradGuard no_grad;
  const int64_t rows = example_ids.size(0);
  LVT_ASSERT(prompts.empty() || static_cast<int64_t>(prompts.size()) == rows,
             "the number of prompts must equal the number of example ids");
  if (rows > 0) check_prompts(model, prompts, options.max_length);
  const TextEnd end = end_of(model, options.stop_ids);
  const auto* beam = std::get_if<BeamOptions>(&options.policy);
  const int64_t batch = beam ? std::max<int64_t>(1, options.batch / beam->width) : options.batch;
  Decoded result;
  result.sentences.resize(static_cast<size_t>(rows));
  if (beam) result.hypotheses.resize(static_cast<size_t>(rows));
  for (int64_t first = 0; first < rows; first += batch) {
    const int64_t count = std::min(batch, rows - first);
    Start start{count, z.defined() ? z.narrow(0, first, count) : z, {}};
    if (!prompts.empty()) {
      const auto part = prompts.subspan(first, count);
      start.prompt = pad_sentences({part.begin(), part.end()});
    }
    if (beam) {
      search(model, start, *beam, end, options.max_length, first, result);
      continue;
    }
    TokenByToken tokens(options, model.output_map(), end, example_ids.narrow(0, first, count), key,
                        first, result);
    step_through(model, start, options.max_length, tokens);
    result.cut_off += tokens.unfinished();
  }
  if (end.ids.empty()) result.cut_off = 0;
  return result;
}

}  // namespace lvtext
