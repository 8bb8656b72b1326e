// Encoding, reconstruction, transfer and scoring of any number of sentences.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "framework/core/decoding/decoder.h"
#include "framework/core/model/capabilities.h"

namespace lvtext {

/// Posterior means, [N, Z] on the CPU, in the order of `sentences`.
at::Tensor posterior_means(Encoder& model, std::span<const TokenIds> sentences, int64_t batch);

/// One posterior sample per sentence, [N, Z] on the CPU, in the order of `sentences`. The noise
/// depends on `key` and example ids, which are the sentences' indices plus `first`.
at::Tensor posterior_draws(Encoder& model, std::span<const TokenIds> sentences, int64_t batch,
                           const NoiseKey& key, int64_t first = 0);

/// Decodes each sentence from its posterior mean. The noise of sampling depends on `key` and
/// example ids, which are the sentences' indices plus `first`.
Decoded reconstruct(Encoder& encoder, NextTokenModel& decoder, std::span<const TokenIds> sentences,
                    const DecodeOptions& options, const NoiseKey& key = {}, int64_t first = 0);

/// Decodes sentences of the styles `from` in the styles `to`, both [N] int64 on the CPU. Sentences
/// are encoded in batches without padding. The noise of sampling is that of reconstruct().
Decoded transfer(StyleTransfer& encoder, NextTokenModel& decoder,
                 std::span<const TokenIds> sentences, const at::Tensor& from, const at::Tensor& to,
                 const DecodeOptions& options, const NoiseKey& key = {}, int64_t first = 0);

/// Whether score() of the model includes the end of a text, EOS: not for models of running text
/// (NextTokenModel::ends()).
bool scores_end(const TextScorer& model);

/// The number of tokens of a text of `length` tokens whose likelihood score() contains: not the
/// first one if the model has no start symbol, and EOS if scores_end().
int64_t scored_tokens(const TextScorer& model, int64_t length);

/// NLL of each sentence given its posterior mean, in nats, of scored_tokens(); without noise and
/// dropout.
std::vector<double> reconstruction_nats(Encoder& encoder, TextScorer& decoder,
                                        std::span<const TokenIds> sentences, int64_t batch);

/// NLL of each sentence under `model` in nats, of scored_tokens(). For models without a latent
/// variable.
std::vector<double> sentence_nats(TextScorer& model, std::span<const TokenIds> sentences,
                                  int64_t batch);

/// NLL in nats of all occurrences of the token `id` in each sentence, given the tokens before them;
/// without a start symbol, not of the first token. For models without a latent variable.
std::vector<double> token_nats(NextTokenModel& model, std::span<const TokenIds> sentences,
                               int32_t id, int64_t batch);

/// NLL of EOS after each sentence in nats, for a model with ends(). For models without a latent
/// variable.
std::vector<double> eos_nats(NextTokenModel& model, std::span<const TokenIds> sentences,
                             int64_t batch);

}  // namespace lvtext
