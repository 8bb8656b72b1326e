#include "framework/decoding/decoder.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "framework/base/error.h"
#include "framework/base/signals.h"
#include "framework/model/batch.h"

namespace lvtext {
namespace {

// The token that each row of `start` feeds first: the last one of BOS + prompt, [B].
at::Tensor first_ids(const Start& start) {
  if (!start.prompt) return at::full({start.rows}, kBos, at::kLong);
  return with_bos(*start.prompt).gather(1, start.prompt->lengths.unsqueeze(1)).squeeze(1);
}

// Decodes the rows of `start` and `example_ids` into sentences `first`, `first + 1`, ...
void decode_batch(NextToken& model, const Start& start, at::Tensor example_ids,
                  const NoiseKey& key, const DecodeOptions& options, int64_t first,
                  Decoded& result) {
  const auto state = model.start(start);
  at::Tensor places = at::arange(first, first + start.rows, at::kLong);  // of living rows
  at::Tensor ids = first_ids(start);
  const OutputMap map = model.output_map();
  for (int64_t position = 0; position < options.max_length; ++position) {
    throw_if_stopped();
    const at::Tensor scores = model.step(*state, ids);
    ids = choose_tokens(options.policy, map, scores, example_ids, key, position);
    const at::Tensor on_host = ids.to(at::kCPU);
    const at::Tensor ended = on_host == kEos;
    const auto* id = on_host.const_data_ptr<int64_t>();
    const auto* place = places.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < on_host.size(0); ++i) {
      if (id[i] != kEos) result.sentences[place[i]].push_back(static_cast<int32_t>(id[i]));
    }
    if (!ended.any().item<bool>()) continue;
    const at::Tensor living = ended.logical_not().nonzero().squeeze(1);
    if (living.size(0) == 0) return;
    places = places.index_select(0, living);
    example_ids = example_ids.index_select(0, living);
    const at::Tensor index = living.to(ids.device());
    ids = ids.index_select(0, index);
    state->select_rows(index);
  }
  result.cut_off += places.size(0);
}

}  // namespace

Decoded decode(NextToken& model, const at::Tensor& z, const at::Tensor& example_ids,
               const NoiseKey& key, const DecodeOptions& options,
               std::span<const TokenIds> prompts) {
  at::NoGradGuard no_grad;
  const int64_t rows = example_ids.size(0);
  LVT_ASSERT(prompts.empty() || static_cast<int64_t>(prompts.size()) == rows,
             "there must be one prompt for each example id");
  Decoded result;
  result.sentences.resize(static_cast<size_t>(rows));
  for (int64_t first = 0; first < rows; first += options.batch) {
    const int64_t count = std::min(options.batch, rows - first);
    Start start{count, z.defined() ? z.narrow(0, first, count) : z, {}};
    if (!prompts.empty()) {
      const auto part = prompts.subspan(first, count);
      start.prompt = pad_sentences({part.begin(), part.end()});
    }
    decode_batch(model, start, example_ids.narrow(0, first, count), key, options, first, result);
  }
  return result;
}

}  // namespace lvtext
