// A bank of probes as an evaluator trains it in memory: K linear classifiers on a table of
// features, each with its own examples, decay and end, in one training.
#pragma once

#include <limits>

#include "tests/contract/toy_parts.h"

namespace lvtext::testing {

/// What the probes read and do not train: features [N, D] and classes [N].
struct ToyTable : torch::nn::Module {
  ToyTable(const at::Tensor& features, const at::Tensor& classes)
      : features(register_buffer("features", features)),
        classes(register_buffer("classes", classes)) {}
  at::Tensor features, classes;
};

/// One classifier of the bank.
struct ToyProbe {
  std::string name;  ///< of its weights' seed
  double l2 = 0;     ///< weight decay, as torch.optim's: on weights and bias
};

/// Batches carry "rows" [B, K]: a row of the table for each probe. A probe is over at its second
/// validation without a new lowest error, counted over the whole training (SentEval's tenacity 1);
/// the training, when all are.
class ToyProbeBank : public Trainable {
 public:
  static constexpr int64_t kTenacity = 1;

  ToyProbeBank(uint64_t seed, std::shared_ptr<ToyTable> table, std::vector<ToyProbe> probes)
      : table_(std::move(table)), probes_(std::move(probes)) {
    const int64_t width = table_->features.size(1);
    std::vector<at::Tensor> weights;
    for (const auto& probe : probes_) {
      weights.push_back(toy_weight(seed, probe.name, {2, width}, at::kDouble));
    }
    weights_ = register_parameter("weights", at::stack(weights));
    biases_ = register_parameter("biases", at::zeros({weights_.size(0), 2}, at::kDouble));
  }

  std::vector<ParamGroup> groups() override {
    return {{.name = "probes", .params = {{"weights", weights_}, {"biases", biases_}}}};
  }

  std::vector<Phase> phases() const override {
    Phase bank{.name = "bank",
               .updates = {{"probes", {"probes"}}},
               .draws = {{"train", Draw::kNext}},
               .terms = {}};
    for (size_t k = 0; k < probes_.size(); ++k) {
      const Schedule open = [this, k](const Progress& p) { return is_over(p, k) ? 0.0 : 1.0; };
      bank.terms.push_back({.name = nll(k), .weight = open});
    }
    for (size_t k = 0; k < probes_.size(); ++k) {
      bank.terms.push_back({.name = error(k), .weight = 0, .select_weight = 0});
    }
    bank.terms.push_back({.name = "l2", .over = Over::kOnce, .select_weight = 0});
    return {bank};
  }

  std::vector<StreamDecl> streams() const override {
    return {{.fields = {{"rows", ColumnKind::kVector}}}};
  }
  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override { return {table_}; }

  Sums losses(const Phase&, const Batches& batches, StepContext&) override {
    const at::Tensor& rows = batches[0].field("rows");
    const auto of_table = [&](const at::Tensor& values) {
      return values.index_select(0, rows.flatten()).unflatten(0, rows.sizes());
    };
    const at::Tensor scores =
        at::einsum("bkd,kcd->bkc", {of_table(table_->features), weights_}) + biases_;
    const at::Tensor classes = of_table(table_->classes);
    const at::Tensor losses =
        -at::log_softmax(scores, 2).gather(2, classes.unsqueeze(2)).squeeze(2).sum(0);
    const at::Tensor errors = scores.argmax(2).ne(classes).to(at::kDouble).sum(0);
    at::Tensor decay = at::zeros({}, at::kDouble);
    for (size_t k = 0; k < probes_.size(); ++k) {
      const auto row = static_cast<int64_t>(k);
      decay = decay +
              (weights_[row].square().sum() + biases_[row].square().sum()) * (probes_[k].l2 / 2);
    }
    Sums sums = losses.unbind();
    for (const auto& each : errors.unbind()) sums.push_back(each);
    sums.push_back(decay);
    return sums;
  }

  std::optional<std::string> stop_reason(const Progress& progress) const override {
    for (size_t k = 0; k < probes_.size(); ++k) {
      if (!is_over(progress, k)) return std::nullopt;
    }
    return "tenacity";
  }

  /// The step of a probe's best weights up to its end, and whether it has ended.
  struct Best {
    int64_t step = 0;
    bool over = false;
  };
  Best best(const Progress& progress, size_t k) const {
    Best best;
    double lowest = std::numeric_limits<double>::infinity();
    int64_t failures = 0;
    for (const auto& evaluation : progress.evaluations) {
      const double value = evaluation.terms.at("bank/" + error(k));
      if (value < lowest) {
        lowest = value;
        best.step = evaluation.step;
      } else if (++failures > kTenacity) {
        best.over = true;
        break;
      }
    }
    return best;
  }

 private:
  static std::string nll(size_t k) { return "nll_" + std::to_string(k); }
  static std::string error(size_t k) { return "error_" + std::to_string(k); }
  bool is_over(const Progress& progress, size_t k) const { return best(progress, k).over; }

  std::shared_ptr<ToyTable> table_;
  std::vector<ToyProbe> probes_;
  at::Tensor weights_, biases_;
};

}  // namespace lvtext::testing
