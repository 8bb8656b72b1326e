#include "framework/core/decoding/sampling.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace lvtext {

PolicyOptions sampling_policy(bool has_prior) {
  PolicyOptions policy;
  policy.type = has_prior ? Policy::kGreedy : Policy::kTemperature;
  return policy;
}

Decoded sample_sentences(NextTokenModel& decoder, PriorSampler* prior, int64_t first, int64_t count,
                         int64_t seed, const DecodeOptions& options) {
  const NoiseKey z_key{static_cast<uint64_t>(seed), 0, 0, noise_use("samples.prior")};
  const NoiseKey text_key{static_cast<uint64_t>(seed), 0, 0, noise_use("samples.text")};
  const at::NoGradGuard no_grad;
  Decoded all;
  for (int64_t done = 0; done < count; done += options.batch) {
    const int64_t from = first + done;
    const at::Tensor ids =
        at::arange(from, from + std::min(options.batch, count - done), at::kLong);
    Decoded part = decode(decoder, prior ? prior->sample_prior(ids, z_key) : at::Tensor(), ids,
                          text_key, options);
    for (auto& sentence : part.sentences) all.sentences.push_back(std::move(sentence));
    for (auto& best : part.hypotheses) all.hypotheses.push_back(std::move(best));
    all.cut_off += part.cut_off;
  }
  return all;
}

}  // namespace lvtext
