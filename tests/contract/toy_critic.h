// A critic that is trained on a finished generator until its stop condition holds.
#pragma once

#include <numeric>

#include "tests/contract/toy_stages.h"

namespace lvtext::testing {

/// f(x) = w x with |w| <= 0.01, trained to separate images from a generator's: the distance is the
/// mean over real images minus that over generated ones. It stops when the mean of the last five
/// distances has not increased by 0.5 % for ten validations.
class ToyCritic : public Trainable {
 public:
  explicit ToyCritic(uint64_t seed, std::shared_ptr<ToyStageOne> generator)
      : generator_(std::move(generator)) {
    weight_ = register_parameter("weight",
                                 toy_weight(seed, "critic", {16}, at::kDouble).clamp(-0.01, 0.01));
  }
  std::vector<ParamGroup> groups() override {
    return {{.name = "critic",
             .params = {{"weight", weight_}},
             .project = {Constraint::kClamp, 0.01, Constraint::kAfter}}};
  }
  std::vector<Phase> phases() const override {
    return {{.name = "critic",
             .updates = {{"critic", {"critic"}}},
             .draws = {{"train", Draw::kNext}},
             .terms = {{.name = "distance", .weight = -1, .select_weight = -1}},
             .precision = PhasePrecision::kFp32}};
  }
  std::vector<StreamDecl> streams() const override {
    return {{.fields = {{"image", ColumnKind::kImage}, {"condition", ColumnKind::kVector}}}};
  }
  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override { return {generator_}; }

  Sums losses(const Phase&, const Batches& batches, StepContext&) override {
    const at::Tensor& condition = batches[0].field("condition");
    const at::Tensor fake = generator_->forward(condition, BatchNormMode::kRunning);
    return {at::matmul((toy_pixels(batches[0].field("image")) - fake).flatten(1), weight_).sum()};
  }

  std::optional<std::string> stop_reason(const TrainerState& state) const override {
    double best = -1;
    int since = 0;
    std::vector<double> last;
    for (const auto& evaluation : state.evaluations) {
      last.push_back(evaluation.terms.at("critic/distance"));
      if (last.size() > 5) last.erase(last.begin());
      const double smooth = std::accumulate(last.begin(), last.end(), 0.0) / double(last.size());
      const bool risen = smooth > best + 0.005 * std::abs(best);
      since = risen ? 0 : since + 1;
      if (risen) best = smooth;
    }
    if (since < 10) return std::nullopt;
    return "plateau";
  }

 private:
  std::shared_ptr<ToyStageOne> generator_;
  at::Tensor weight_;
};

}  // namespace lvtext::testing
