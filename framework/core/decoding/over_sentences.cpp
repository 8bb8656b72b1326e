#include "framework/core/decoding/over_sentences.h"

#include <ATen/ATen.h>

#include "framework/core/decoding/batching.h"
#include "framework/core/decoding/output_map.h"

namespace lvtext {

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
    Decoded part = decode(decoder, encoder.encode(tokens), indices + first, key, options);
    const auto* index = indices.const_data_ptr<int64_t>();
    if (!part.hypotheses.empty()) result.hypotheses.resize(sentences.size());
    for (size_t i = 0; i < part.sentences.size(); ++i) {
      result.sentences[index[i]] = std::move(part.sentences[i]);
      if (!part.hypotheses.empty()) result.hypotheses[index[i]] = std::move(part.hypotheses[i]);
    }
    result.cut_off += part.cut_off;
  });
  return result;
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

std::vector<double> eos_nats(NextTokenModel& model, std::span<const TokenIds> sentences,
                             int64_t batch) {
  const int64_t eos = eos_of(model.vocabulary(), "the likelihood of EOS");
  const int64_t start = start_of(model.vocabulary());
  return to_doubles(rows_of_batches(sentences, batch, [&](const Tokens& tokens) {
    const auto state = model.start({.rows = tokens.rows(), .prompt = tokens});
    const at::Tensor last = with_bos(tokens, start).gather(1, tokens.lengths.unsqueeze(1));
    const at::Tensor scores = model.step(*state, last.squeeze(1));
    return -log_probabilities(model.output_map(), scores).select(1, eos);
  }));
}

}  // namespace lvtext
