#include "framework/core/decoding/decoder.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/model/batch.h"

namespace lvtext {
namespace {

// Returns the first input token of each row of `start`, [B]: the last token of start symbol +
// prompt.
at::Tensor first_ids(const Start& start, int64_t symbol) {
  if (!start.prompt) return at::full({start.rows}, symbol, at::kLong);
  return with_bos(*start.prompt, symbol).gather(1, start.prompt->lengths.unsqueeze(1)).squeeze(1);
}

// Chooses each sentence's next token by a policy.
class TokenByToken {
 public:
  // Writes to the sentences `first`, `first + 1`, ... of `result`.
  TokenByToken(const DecodeOptions& options, const OutputMap& map, const Vocabulary& vocabulary,
               at::Tensor example_ids, const NoiseKey& key, int64_t first, Decoded& result)
      : options_(std::get<PolicyOptions>(options.policy)),
        refuses_nonfinite_(options.refuse_nonfinite),
        map_(map),
        excluded_(never_chosen(vocabulary)),
        eos_(eos_of(vocabulary, "a decoder")),
        key_(key),
        example_ids_(std::move(example_ids)),
        indices_(at::arange(first, first + example_ids_.size(0), at::kLong)),
        result_(result) {}

  Continuation advance(const at::Tensor& scores, int64_t position) {
    at::Tensor ids = choose_tokens(options_, map_, excluded_, scores, example_ids_, key_, position);
    at::Tensor on_host = ids.to(at::kCPU);
    if ((on_host < 0).any().item<bool>()) {
      if (refuses_nonfinite_) throw nonfinite_scores();
      ids = ids.clamp_min(0);
      on_host = on_host.clamp_min(0);
    }
    const at::Tensor ended = on_host == eos_;
    const auto* id = on_host.const_data_ptr<int64_t>();
    const auto* index = indices_.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < on_host.size(0); ++i) {
      if (id[i] != eos_) result_.sentences[index[i]].push_back(static_cast<int32_t>(id[i]));
    }
    if (!ended.any().item<bool>()) return {ids, {}};
    const at::Tensor living = ended.logical_not().nonzero().squeeze(1);
    indices_ = indices_.index_select(0, living);
    example_ids_ = example_ids_.index_select(0, living);
    if (living.size(0) == 0) return {};
    const at::Tensor rows = living.to(ids.device());
    return {ids.index_select(0, rows), rows};
  }

  int64_t unfinished() const { return indices_.size(0); }

 private:
  const PolicyOptions& options_;
  bool refuses_nonfinite_;
  OutputMap map_;
  std::vector<int32_t> excluded_;
  int64_t eos_;
  const NoiseKey& key_;
  at::Tensor example_ids_;  // example ids of the unfinished sentences
  at::Tensor indices_;      // indices of these sentences in the result
  Decoded& result_;
};

// Passes tokens to the model until the search returns none or has received max_length scores.
template <class Search>
void step_through(NextTokenModel& model, const Start& start, int64_t max_length, Search& search) {
  const auto state = model.start(start);
  at::Tensor ids = first_ids(start, start_of(model.vocabulary()));
  for (int64_t position = 0; position < max_length; ++position) {
    throw_if_stopped();
    const Continuation next = search.advance(model.step(*state, ids), position);
    if (!next.ids.defined()) return;
    if (next.rows.defined()) state->select_rows(next.rows);
    ids = next.ids;
  }
}

void search(NextTokenModel& model, const Start& start, const BeamOptions& options,
            int64_t max_length, int64_t first, Decoded& result) {
  BeamSearch beams(options, model.output_map(), model.vocabulary(), start.rows, max_length);
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
      search(model, start, *beam, options.max_length, first, result);
      continue;
    }
    TokenByToken tokens(options, model.output_map(), model.vocabulary(),
                        example_ids.narrow(0, first, count), key, first, result);
    step_through(model, start, options.max_length, tokens);
    result.cut_off += tokens.unfinished();
  }
  return result;
}

}  // namespace lvtext
