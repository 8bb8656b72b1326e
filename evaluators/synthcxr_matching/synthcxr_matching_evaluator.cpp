#include "evaluators/synthcxr_matching/synthcxr_matching_evaluator.h"

#include <ATen/ATen.h>

#include <string>

#include "evaluators/chest_kinds.h"
#include "evaluators/critic_scores.h"
#include "evaluators/image_columns.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// Whether two images differ, and in this kind alone.
bool differ_in(const ChestKind& kind, const ChestAttributes& a, const ChestAttributes& b) {
  bool differ = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (!kind.has(i)) return false;
    differ = true;
  }
  return differ;
}

/// For each of the first `rows` images the next one that differs in this kind alone, [rows]; itself
/// if there is none.
at::Tensor others_in(const ChestKind& kind, const std::vector<ChestAttributes>& attributes,
                     int64_t rows) {
  at::Tensor others = at::arange(rows);
  auto* other = others.mutable_data_ptr<int64_t>();
  const auto of = [&](int64_t row) -> const ChestAttributes& {
    return attributes[static_cast<size_t>(row)];
  };
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t shift = 1; shift < rows && other[row] == row; ++shift) {
      const int64_t next = (row + shift) % rows;
      if (differ_in(kind, of(row), of(next))) other[row] = next;
    }
  }
  return others;
}

std::string id_of(const ChestKind& kind) {
  return "ranked" + kind.suffix;
}

}  // namespace

std::vector<InputDecl> SynthcxrMatchingEvaluator::inputs() const {
  std::vector<InputDecl> inputs = critic_inputs();
  inputs.pop_back();  // real images alone
  inputs.back().help =
      "real images, with their conditions and attributes, in columns of these names";
  return inputs;
}

std::vector<ScoreDecl> SynthcxrMatchingEvaluator::scores() {
  std::vector<ScoreDecl> all;
  for (const ChestKind& kind : chest_kinds()) {
    all.push_back({id_of(kind),
                   "share of images that score higher under their own condition than "
                   "under one that differs in " +
                       kind.name + " alone"});
  }
  return all;
}

std::vector<Score> SynthcxrMatchingEvaluator::evaluate(const Inputs& inputs) const {
  const CriticInputs images(inputs);
  images.require_conditions("synthcxr_matching");
  const std::vector<ChestAttributes> attributes = chest_attributes(images.real(), "real");
  const at::Tensor own = images.conditions(images.real(), 0);
  std::vector<at::Tensor> others, conditions = {own};
  for (const ChestKind& kind : chest_kinds()) {
    others.push_back(others_in(kind, attributes, images.size()));
    conditions.push_back(own.index_select(0, others.back()));
  }
  const at::Tensor under = at::stack(conditions);
  const int64_t kinds = std::ssize(others);
  at::Tensor found = at::zeros({kinds, images.size()}, at::kDouble);
  for (ImageScorer* critic : images.critics()) {
    found += critic_preferences(images.scores(*critic, images.real(), 0, under), under) /
             static_cast<double>(images.critics().size());
  }
  std::vector<Score> scores;
  for (int64_t k = 0; k < kinds; ++k) {
    const ChestKind& kind = chest_kinds()[static_cast<size_t>(k)];
    const at::Tensor has_other = others[static_cast<size_t>(k)].ne(at::arange(images.size()));
    Score score{
        .id = id_of(kind),
        .reason = has_other.any().item<bool>() ? std::string()
                                               : "no two images differ in " + kind.name + " alone",
        .direction = Direction::kHigher,
        .signature = "synthcxr_matching|" + images.signature() + "|" + id_of(kind) +
                     "|version:" + std::to_string(kRevision),
        .rows = {"ratio", 2,
                 to_doubles(at::stack(
                     {at::where(has_other, found[k], 0.0), has_other.to(at::kDouble)}, 1))}};
    score.notes = images.notes();
    scores.push_back(summarized(std::move(score)));
  }
  return scores;
}

void register_synthcxr_matching(Registries& registries) {
  add_evaluator<SynthcxrMatchingEvaluator, NoOptions>(
      registries, "synthcxr_matching",
      "Whether critics of chest radiographs notice conditions that are wrong in one kind of "
      "finding",
      {});
}

}  // namespace lvtext
