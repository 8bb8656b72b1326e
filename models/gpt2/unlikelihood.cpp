#include "models/gpt2/unlikelihood.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "framework/core/nn/output_layer.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

constexpr double kSure = 1e-4;           // of 1 - p, below which float32 has few digits of it
constexpr double kMinComplement = 1e-5;  // of 1 - p in the token-level loss

/// ln(1 - e^-nats).
at::Tensor log_complement(const at::Tensor& nats) {
  return at::log(-at::expm1(-nats));
}

}  // namespace

at::Tensor repeated_ngrams(const at::Tensor& ids, int64_t order) {
  LVT_CHECK_SHAPE(ids, {-1, -1});
  const at::Tensor read = ids.contiguous();
  const int64_t rows = ids.size(0), time = ids.size(1);
  at::Tensor mask = at::zeros({rows, time}, at::kBool);
  auto* marks = mask.mutable_data_ptr<bool>();
  for (int64_t b = 0; b < rows; ++b) {
    const int64_t* text = read.const_data_ptr<int64_t>() + b * time;
    std::set<std::vector<int64_t>> seen;
    for (int64_t t = 0; t + order <= time; ++t) {
      if (seen.emplace(text + t, text + t + order).second) continue;
      std::fill_n(marks + b * time + t, order, true);
    }
  }
  return mask;
}

at::Tensor unlikelihood_rows(const at::Tensor& hidden, const at::Tensor& weight,
                             const at::Tensor& targets) {
  const at::Tensor nats = output_loss_rows(hidden, weight, {}, targets);
  const at::Tensor is_sure = nats.detach() < kSure;
  const at::Tensor sure = is_sure.nonzero().squeeze(1);
  const at::Tensor others = is_sure.logical_not().nonzero().squeeze(1);
  const at::Tensor scores = affine(hidden.index_select(0, sure), weight);
  const at::Tensor others_only = scores.scatter(1, targets.index_select(0, sure).unsqueeze(1),
                                                -std::numeric_limits<double>::infinity());
  return at::zeros_like(nats.detach())
      .index_copy(0, sure, scores.logsumexp(1) - others_only.logsumexp(1))
      .index_copy(0, others, -log_complement(nats.index_select(0, others)));
}

at::Tensor token_unlikelihood(const at::Tensor& hidden, const at::Tensor& weight,
                              const at::Tensor& ids) {
  const int64_t count = hidden.size(0);
  LVT_CHECK_SHAPE(ids, {count + 1});
  const at::Tensor given = ids.narrow(0, 0, count), targets = ids.narrow(0, 1, count);
  // [predictions, earlier tokens]: the first occurrence of each token that is not the target.
  const at::Tensor is_same = given.unsqueeze(1) == given.unsqueeze(0);
  const at::Tensor is_first = is_same.tril(-1).any(1).logical_not();
  const at::Tensor is_candidate = at::ones_like(is_same).tril() & is_first.unsqueeze(0) &
                                  (targets.unsqueeze(1) != given.unsqueeze(0));
  // Scores of the candidates only; the normalizer follows from the likelihood of the target.
  const at::Tensor scores = affine(hidden, weight.index_select(0, given));
  const at::Tensor of_target = (hidden * weight.index_select(0, targets)).sum(1);
  const at::Tensor normalizer = output_loss_rows(hidden, weight, {}, targets) + of_target;
  const at::Tensor log_p = (scores - normalizer.unsqueeze(1)).clamp_max(0);
  const at::Tensor loss = -(-at::expm1(log_p)).clamp_min(kMinComplement).log();
  return loss.masked_select(is_candidate).sum();
}

}  // namespace lvtext
