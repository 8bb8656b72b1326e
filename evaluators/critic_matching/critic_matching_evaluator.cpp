#include "evaluators/critic_matching/critic_matching_evaluator.h"

#include <ATen/ATen.h>

#include "evaluators/critic_scores.h"
#include "framework/core/base/error.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// For each of `rows` rows another one, [rows].
at::Tensor other_rows(int64_t seed, int64_t item, int64_t rows) {
  at::Tensor others = at::empty({rows}, at::kLong);
  auto* other = others.mutable_data_ptr<int64_t>();
  for (int64_t row = 0; row < rows; ++row) {
    const uint64_t shift =
        1 + bootstrap_draw(static_cast<uint64_t>(seed), static_cast<uint64_t>(item),
                           static_cast<uint64_t>(row), static_cast<uint64_t>(rows - 1));
    other[row] = (row + static_cast<int64_t>(shift)) % rows;
  }
  return others;
}

}  // namespace

std::vector<InputDecl> CriticMatchingEvaluator::inputs() const {
  return critic_inputs();
}

std::vector<Score> CriticMatchingEvaluator::evaluate(const Inputs& inputs) const {
  const CriticInputs images(inputs, options_.images);
  images.require_conditions("critic_matching");
  const int64_t rows = images.size();
  if (rows < 2) throw DataError("critic_matching requires at least two rows");
  const auto critics = static_cast<double>(images.critics().size());
  at::Tensor mismatch = at::zeros({rows}, at::kDouble);
  at::Tensor retrieval = at::zeros_like(mismatch), retrieval_real = at::zeros_like(mismatch);
  const auto retrieved = [&](ImageScorer& critic, const Dataset& side, int64_t item) {
    const at::Tensor own = images.conditions(side, item);
    const at::Tensor other = own.index_select(0, other_rows(options_.seed, item, rows));
    const at::Tensor conditions = at::stack({own, other});
    return critic_preferences(images.scores(critic, side, item, conditions), conditions)[0];
  };
  const at::Tensor own = images.conditions(images.real(), 0);
  const at::Tensor next = at::roll(own, -1, 0);
  for (ImageScorer* critic : images.critics()) {
    const at::Tensor scores = images.scores(*critic, images.real(), 0, at::stack({own, next}));
    mismatch += (scores[0] - scores[1]) / critics;
    retrieval_real += retrieved(*critic, images.real(), 0) / critics;
    for (int64_t item = 0; item < images.items(); ++item) {
      retrieval += retrieved(*critic, images.drawn(), item) /
                   (critics * static_cast<double>(images.items()));
    }
  }
  const auto score = [&](const std::string& id, const at::Tensor& values) {
    Score result{.id = id,
                 .direction = Direction::kHigher,
                 .signature = "critic_matching|" + images.signature() +
                              "|seed:" + std::to_string(options_.seed) + "|" + id +
                              "|version:" + std::to_string(kRevision),
                 .rows = {"mean", 1, to_doubles(values)}};
    result.notes = images.notes();
    return summarized(std::move(result));
  };
  return {score("mismatch", mismatch), score("retrieval", retrieval),
          score("retrieval_real", retrieval_real)};
}

void register_critic_matching(Registries& registries) {
  add_evaluator<CriticMatchingEvaluator, CriticMatchingOptions>(
      registries, "critic_matching",
      "Whether critics score an image higher under its own condition than under another one",
      {"Spinks and Moens 2018", "https://aclanthology.org/W18-5405"});
}

}  // namespace lvtext
