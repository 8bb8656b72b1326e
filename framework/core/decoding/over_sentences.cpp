#include "framework/core/decoding/over_sentences.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/decoding/output_map.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

/// Moves the sentences of a batch to their positions `indices` in `all`.
void add_batch(Decoded part, const at::Tensor& indices, Decoded& all) {
  const auto* index = indices.const_data_ptr<int64_t>();
  if (!part.hypotheses.empty()) all.hypotheses.resize(all.sentences.size());
  for (size_t i = 0; i < part.sentences.size(); ++i) {
    all.sentences[index[i]] = std::move(part.sentences[i]);
    if (!part.hypotheses.empty()) all.hypotheses[index[i]] = std::move(part.hypotheses[i]);
  }
  all.cut_off += part.cut_off;
}

}  // namespace

at::Tensor posterior_means(Encoder& model, std::span<const TokenIds> sentences, int64_t batch) {
  const at::Tensor means =
      rows_of_batches(sentences, batch, [&](const Tokens& tokens) { return model.encode(tokens); });
  return means.defined() ? means : at::empty({0, model.latent_size()});
}

at::Tensor posterior_draws(Encoder& model, std::span<const TokenIds> sentences, int64_t batch,
                           const NoiseKey& key, int64_t first) {
  at::Tensor draws = at::empty({static_cast<int64_t>(sentences.size()), model.latent_size()});
  for_each_batch(sentences, batch, [&](const Tokens& tokens, const at::Tensor& indices) {
    draws.index_copy_(0, indices,
                      model.encode_sampled(tokens, indices + first, key).to(at::kCPU, at::kFloat));
  });
  return draws;
}

Decoded reconstruct(Encoder& encoder, NextTokenModel& decoder, std::span<const TokenIds> sentences,
                    const DecodeOptions& options, const NoiseKey& key, int64_t first) {
  // Encodes and decodes in the same batches, because sentences of similar length end at similar
  // steps.
  Decoded result;
  result.sentences.resize(sentences.size());
  for_each_batch(sentences, options.batch, [&](const Tokens& tokens, const at::Tensor& indices) {
    add_batch(decode(decoder, encoder.encode(tokens), indices + first, key, options), indices,
              result);
  });
  return result;
}

Decoded transfer(StyleTransfer& encoder, NextTokenModel& decoder,
                 std::span<const TokenIds> sentences, const at::Tensor& from, const at::Tensor& to,
                 const DecodeOptions& options, const NoiseKey& key, int64_t first) {
  LVT_CHECK_SHAPE(from, {std::ssize(sentences)});
  LVT_CHECK_SHAPE(to, {std::ssize(sentences)});
  Decoded result;
  result.sentences.resize(sentences.size());
  for_each_unpadded_batch(
      sentences, options.batch, [&](const Tokens& tokens, const at::Tensor& indices) {
        const at::Tensor z =
            encoder.encode_for(tokens, from.index_select(0, indices), to.index_select(0, indices));
        add_batch(decode(decoder, z, indices + first, key, options), indices, result);
      });
  return result;
}

bool scores_end(const TextScorer& model) {
  const auto* next_token = dynamic_cast<const NextTokenModel*>(&model);
  return next_token == nullptr || next_token->ends();
}

int64_t scored_tokens(const TextScorer& model, int64_t length) {
  const auto* next_token = dynamic_cast<const NextTokenModel*>(&model);
  const bool first = next_token == nullptr || next_token->start_symbol().has_value();
  return std::max<int64_t>(0, length - (first ? 0 : 1) + (scores_end(model) ? 1 : 0));
}

std::vector<double> reconstruction_nats(Encoder& encoder, TextScorer& decoder,
                                        std::span<const TokenIds> sentences, int64_t batch) {
  return to_doubles(rows_of_batches(sentences, batch, [&](const Tokens& tokens) {
    return decoder.score(tokens, encoder.encode(tokens));
  }));
}

std::vector<double> sentence_nats(TextScorer& model, std::span<const TokenIds> sentences,
                                  int64_t batch) {
  return to_doubles(rows_of_batches(sentences, batch,
                                    [&](const Tokens& tokens) { return model.score(tokens, {}); }));
}

std::vector<double> token_nats(NextTokenModel& model, std::span<const TokenIds> sentences,
                               int32_t id, int64_t batch) {
  const std::optional<int32_t> symbol = model.start_symbol();
  const int64_t first = symbol ? 0 : 1;  // the first token that is predicted
  return to_doubles(rows_of_batches(sentences, batch, [&](const Tokens& tokens) {
    const at::Tensor inputs = symbol ? with_bos(tokens, *symbol) : tokens.ids;
    const at::Tensor positions = at::arange(tokens.ids.size(1)).unsqueeze(0);
    const at::Tensor found =
        (tokens.ids == id).logical_and(positions < tokens.lengths.unsqueeze(1));
    at::Tensor nats = at::zeros({tokens.rows()}, at::kDouble);
    const auto state = model.start({.rows = tokens.rows()});
    for (int64_t t = first; t < tokens.ids.size(1); ++t) {
      throw_if_stopped();
      const at::Tensor scores = model.step(*state, inputs.select(1, t - first));
      const at::Tensor here = found.select(1, t);
      if (!here.any().item<bool>()) continue;
      const at::Tensor log_p =
          log_probabilities(model.output_map(), scores).select(1, id).to(at::kCPU, at::kDouble);
      nats -= at::where(here, log_p, at::zeros_like(log_p));
    }
    return nats;
  }));
}

std::vector<double> eos_nats(NextTokenModel& model, std::span<const TokenIds> sentences,
                             int64_t batch) {
  LVT_ASSERT(model.ends(), "texts of the model have no end");
  const int64_t eos = eos_of(model.vocabulary(), "the likelihood of EOS");
  const std::optional<int32_t> symbol = model.start_symbol();
  return to_doubles(rows_of_batches(sentences, batch, [&](const Tokens& tokens) {
    const auto state = model.start({.rows = tokens.rows(), .prompt = tokens});
    const at::Tensor inputs = symbol ? with_bos(tokens, *symbol) : tokens.ids;
    const at::Tensor last = inputs.gather(1, tokens.lengths.unsqueeze(1) - (symbol ? 0 : 1));
    const at::Tensor scores = model.step(*state, last.squeeze(1));
    return -log_probabilities(model.output_map(), scores).select(1, eos);
  }));
}

}  // namespace lvtext
