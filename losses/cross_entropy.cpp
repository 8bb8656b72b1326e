#include "losses/cross_entropy.h"

#include <cmath>

#include "framework/base/error.h"
#include "framework/nn/packing.h"

namespace lvtext {

at::Tensor sequence_nll_sum(const OutputLayer& layer, const at::Tensor& outputs,
                            const at::Tensor& targets, const at::Tensor& target_lengths) {
  return layer.nll_sum(pack_rows(outputs, target_lengths), pack_rows(targets, target_lengths));
}

at::Tensor sentence_nll(const OutputLayer& layer, const at::Tensor& outputs,
                        const at::Tensor& targets, const at::Tensor& target_lengths) {
  return sum_by_sentence(
      layer.nll_rows(pack_rows(outputs, target_lengths), pack_rows(targets, target_lengths)),
      target_lengths);
}

NllStatistics nll_statistics(double total_nats, int64_t sentences, int64_t tokens) {
  LVT_ASSERT(sentences > 0 && tokens > 0, "statistics need at least one sentence and one token");
  const double nats_per_token = total_nats / static_cast<double>(tokens);
  return {sentences, tokens, total_nats / static_cast<double>(sentences),
          nats_per_token / std::log(2.0), std::exp(nats_per_token)};
}

}  // namespace lvtext
