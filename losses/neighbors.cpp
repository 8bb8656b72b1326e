#include "losses/neighbors.h"

#include "framework/core/tensor/shape.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

constexpr double kNoProbability = -1e30;  // finite, so that a batch of one sentence has a softmax

}  // namespace

const std::vector<EnumName<OwnScore>>& enum_names(OwnScore) {
  static const std::vector<EnumName<OwnScore>> names = {
      {"zero", OwnScore::kZero, "as a candidate with the score 0, as the authors' program"},
      {"excluded", OwnScore::kExcluded, "not as a candidate"}};
  return names;
}

at::Tensor neighbor_scores(const at::Tensor& f, const at::Tensor& g, OwnScore own) {
  LVT_CHECK_SHAPE(f, {-1, -1});
  LVT_CHECK_SHAPE(g, {f.size(0), f.size(1)});
  const at::Tensor diagonal = at::eye(f.size(0), f.options().dtype(at::kBool));
  return at::mm(f, g.t()).masked_fill(diagonal, own == OwnScore::kZero ? 0 : kNoProbability);
}

at::Tensor neighbor_targets(const at::Tensor& positions, int64_t context, const at::Tensor& like) {
  LVT_CHECK_SHAPE(positions, {-1});
  const at::Tensor distance = (positions.unsqueeze(1) - positions.unsqueeze(0)).abs();
  const at::Tensor is_near = distance.gt(0).logical_and(distance.le(context)).to(like.options());
  return is_near / is_near.sum(1, /*keepdim=*/true).clamp_min(1);
}

at::Tensor neighbor_cross_entropy(const at::Tensor& scores, const at::Tensor& targets) {
  LVT_CHECK_SHAPE(scores, {-1, scores.size(0)});
  LVT_CHECK_SHAPE(targets, {scores.size(0), scores.size(0)});
  return -(at::log_softmax(scores, 1) * targets).sum(1);
}

}  // namespace lvtext
