#include "evaluators/critic_distance/critic_distance_evaluator.h"

#include <ATen/ATen.h>

#include <cmath>

#include "evaluators/critic_scores.h"
#include "framework/core/base/counts.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

constexpr double kSaturated = 0.85;

at::Tensor with_one(const at::Tensor& conditions) {
  return conditions.defined() ? conditions.unsqueeze(0) : conditions;
}

}  // namespace

std::vector<InputDecl> CriticDistanceEvaluator::inputs() const {
  return critic_inputs();
}

std::vector<Score> CriticDistanceEvaluator::evaluate(const Inputs& inputs) const {
  const CriticInputs images(inputs, options_.images);
  at::Tensor rows = at::zeros({images.size()}, at::kDouble);
  std::vector<double> distances, shares;
  double saturated = 0, steps = 0;
  const at::Tensor real_conditions = with_one(images.conditions(images.real(), 0));
  for (ImageScorer* critic : images.critics()) {
    at::Tensor difference = images.scores(*critic, images.real(), 0, real_conditions)[0];
    for (int64_t item = 0; item < images.items(); ++item) {
      difference =
          difference - images.scores(*critic, images.drawn(), item,
                                     with_one(images.conditions(images.drawn(), item)))[0] /
                           static_cast<double>(images.items());
    }
    rows += difference;
    distances.push_back(difference.mean().item<double>());
    shares.push_back(distances.back() / critic->largest_distance());
    saturated += shares.back() > kSaturated ? 1 : 0;
  }
  const auto critics = static_cast<double>(distances.size());
  for (const LoadedModel& critic : inputs.models("critics")) {
    steps += static_cast<double>(critic.step) / critics;
  }
  std::vector<std::string> notes = images.notes();
  if (saturated > 0) {
    notes.push_back(format_count(static_cast<int64_t>(saturated)) + " of " +
                    format_count(std::ssize(distances), "critic") +
                    " saturated: more than 0.85 of the largest possible distance");
  }
  const auto score = [&](const std::string& id, double value, Direction direction) {
    return Score{.id = id,
                 .value = value,
                 .direction = direction,
                 .n = images.size(),
                 .signature = "critic_distance|" + images.signature() + "|" + id +
                              "|version:" + std::to_string(kRevision)};
  };
  Score distance = score("distance", 0, Direction::kLower);
  distance.rows = {"mean", 1, to_doubles(rows / critics)};
  distance.notes = notes;
  Score deviation = score("critics_sd", std::nan(""), Direction::kNone);
  if (const auto sd = sample_deviation(distances)) {
    deviation.value = *sd;
  } else {
    deviation.reason = "there is one critic";
  }
  return {summarized(std::move(distance)), deviation,
          score("bound_share", mean(shares), Direction::kNone),
          score("saturated", saturated / critics, Direction::kLower),
          score("steps", steps, Direction::kNone)};
}

void register_critic_distance(Registries& registries) {
  add_evaluator<CriticDistanceEvaluator, CriticDistanceOptions>(
      registries, "critic_distance",
      "Difference between the scores that critics give real and drawn images",
      {"Spinks and Moens 2018", "https://aclanthology.org/W18-5405"});
}

}  // namespace lvtext
