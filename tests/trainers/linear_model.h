// A model of two numbers whose training can be computed by hand.
#pragma once

#include <functional>
#include <memory>

#include "framework/core/model/data_loader.h"
#include "framework/core/model/trainable.h"
#include "framework/core/tensor/torch.h"

namespace lvtext::testing {

/// Loss per row: (w - x)^2 / 2 with x the row's "value"; gradient w - mean(x). A second phase does
/// the same for another parameter. `spoil` may change the loss of a phase at a step.
class LinearModel : public Trainable {
 public:
  using Spoil = std::function<at::Tensor(const std::string& phase, const at::Tensor& loss)>;
  explicit LinearModel(Spoil spoil = {}, int64_t size = 1) : spoil_(std::move(spoil)) {
    w_ = register_parameter("w", at::zeros({size}, at::kDouble));
    v_ = register_parameter("v", at::zeros({size}, at::kDouble));
    seen_ = register_buffer("seen", at::zeros({}, at::kDouble));
  }
  std::vector<ParamGroup> groups() override {
    if (!regroup) return {{"w", {{"w", w_}}, {}}, {"v", {{"v", v_}}, constraint}};
    return regroup(w_, v_);
  }
  std::vector<Phase> phases() const override {
    return {
        {.name = "first",
         .updates = {{"main", {"w"}}},
         .draws = {{"train", Draw::kNext}},
         .terms = {{.name = "fit", .denominator = Denominator::kExamples}}},
        {.name = "second",
         .updates = {{"main", {"v"}}},
         .draws = {{"train", Draw::kSame}},
         .terms = {{.name = "fit", .denominator = Denominator::kExamples, .select_weight = 0}}}};
  }
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override {
    const at::Tensor& parameter = phase.name == "first" ? w_ : v_;
    if (context.training()) {
      const at::NoGradGuard no_grad;
      seen_.add_(1);
    }
    at::Tensor loss = (parameter - batches[0].field("value")).square().sum() / 2;
    if (spoil_ && context.training()) loss = spoil_(phase.name, loss);
    context.log("seen", loss.detach());
    return {loss};
  }
  int64_t min_batch_size() const override { return fewest; }

  double w() const { return w_[0].item<double>(); }
  double v() const { return v_[0].item<double>(); }
  double seen() const { return seen_.item<double>(); }
  Constraint constraint = {};
  int64_t fewest = 1;
  std::function<std::vector<ParamGroup>(const at::Tensor&, const at::Tensor&)> regroup;

 private:
  Spoil spoil_;
  at::Tensor w_, v_, seen_;
};

/// `count` batches per epoch of `rows` rows, all with one value.
class ConstantStream : public DataLoader {
 public:
  ConstantStream(double value, int64_t count, int64_t rows = 2)
      : value_(value), count_(count), rows_(rows) {}
  int64_t batches(int64_t) const override { return count_; }
  Batch batch(int64_t, int64_t index) const override {
    return {at::arange(index * rows_, (index + 1) * rows_),
            {{"value", at::full({rows_, 1}, value_, at::kDouble)}}};
  }

 private:
  double value_;
  int64_t count_, rows_;
};

}  // namespace lvtext::testing
