// A bank of probes: K linear classifiers on a table of features, each with its own examples, decay
// and stop condition, trained together (SentEval trains them one after the other).
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/model/data_loader.h"
#include "framework/core/model/trainable.h"
#include "framework/core/nn/init.h"

namespace example {

/// Fixed inputs of the probes: features [N, D] and classes [N] of 0 and 1.
struct FeatureTable : torch::nn::Module {
  FeatureTable(const at::Tensor& given_features, const at::Tensor& given_classes)
      : features(register_buffer("features", given_features)),
        classes(register_buffer("classes", given_classes)) {}
  at::Tensor features, classes;
};

/// One classifier of the bank.
struct Probe {
  std::string name;  ///< key of the initial weights
  double l2 = 0;     ///< weight decay, as torch.optim's: on weights and bias
};

/// Batches contain "rows" [B, K]: a row of the table for each probe. A probe stops at its second
/// validation without a new lowest error, counted over the whole training (SentEval's tenacity 1);
/// the training stops when all have stopped.
class ProbeBank : public lvtext::Trainable {
 public:
  static constexpr int64_t kTenacity = 1;

  ProbeBank(uint64_t seed, std::shared_ptr<FeatureTable> table, std::vector<Probe> probes)
      : table_(std::move(table)), probes_(std::move(probes)) {
    const lvtext::Init init{seed};
    std::vector<at::Tensor> weights;
    for (const auto& probe : probes_) {
      weights.push_back(
          lvtext::uniform_init(init.child(probe.name), {2, table_->features.size(1)}, 0.5));
    }
    weights_ = register_parameter("weights", at::stack(weights));
    biases_ = register_parameter("biases", at::zeros({weights_.size(0), 2}));
  }

  std::vector<lvtext::ParamGroup> groups() override {
    return {{.name = "probes", .params = {{"weights", weights_}, {"biases", biases_}}}};
  }

  std::vector<lvtext::Phase> phases() const override {
    lvtext::Phase bank{
        .name = "bank", .updates = {{"probes", {"probes"}}}, .draws = {{}}, .terms = {}};
    for (size_t k = 0; k < probes_.size(); ++k) {
      const lvtext::Schedule open = [k](const lvtext::TrainerState& state) {
        return best(state.evaluations, k).over ? 0.0 : 1.0;
      };
      bank.terms.push_back({.name = nll(k), .weight = open});
    }
    for (size_t k = 0; k < probes_.size(); ++k) {
      bank.terms.push_back({.name = error(k), .weight = 0, .select_weight = 0});
    }
    bank.terms.push_back(
        {.name = "l2", .denominator = lvtext::Denominator::kOnce, .select_weight = 0});
    return {bank};
  }

  std::vector<lvtext::StreamDecl> streams() const override {
    return {{.fields = {{"rows", lvtext::ColumnKind::kVector}}}};
  }
  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override { return {table_}; }

  lvtext::Sums losses(const lvtext::Phase&, const lvtext::Batches& batches,
                      lvtext::StepContext&) override {
    const at::Tensor rows = batches.at(0).field("rows");
    const auto of_table = [&](const at::Tensor& values) {
      return values.index_select(0, rows.flatten()).unflatten(0, rows.sizes());
    };
    const at::Tensor scores =
        at::einsum("bkd,kcd->bkc",
                   {of_table(table_->features).to(weights_.scalar_type()), weights_}) +
        biases_;
    const at::Tensor classes = of_table(table_->classes);
    const at::Tensor losses =
        -at::log_softmax(scores, 2).gather(2, classes.unsqueeze(2)).squeeze(2).sum(0);
    const at::Tensor errors = scores.argmax(2).ne(classes).to(scores.scalar_type()).sum(0);
    at::Tensor decay = at::zeros({}, scores.options());
    for (size_t k = 0; k < probes_.size(); ++k) {
      const auto row = static_cast<int64_t>(k);
      decay = decay +
              (weights_[row].square().sum() + biases_[row].square().sum()) * (probes_[k].l2 / 2);
    }
    lvtext::Sums sums = losses.unbind();
    for (const auto& each : errors.unbind()) sums.push_back(each);
    sums.push_back(decay);
    return sums;
  }

  std::optional<std::string> stop_reason(const lvtext::TrainerState& state) const override {
    for (size_t k = 0; k < probes_.size(); ++k) {
      if (!best(state.evaluations, k).over) return std::nullopt;
    }
    return "tenacity";
  }

  /// The step of a probe's best weights until it stopped, and whether it has stopped.
  struct Best {
    int64_t step = 0;
    bool over = false;
  };
  static Best best(const std::vector<lvtext::Evaluation>& evaluations, size_t k) {
    Best best;
    double lowest = std::numeric_limits<double>::infinity();
    int64_t failures = 0;
    for (const auto& evaluation : evaluations) {
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

  std::shared_ptr<FeatureTable> table_;
  std::vector<Probe> probes_;
  at::Tensor weights_, biases_;
};

/// Rows of the table for each probe: rows whose index is the probe's fold modulo `folds` are
/// excluded from its training and used for its validation. `rows` is a multiple of `folds`.
class FoldStream : public lvtext::DataLoader {
 public:
  static constexpr int64_t kBatch = 10;

  FoldStream(int64_t rows, int64_t folds, std::vector<int64_t> own, bool held_out)
      : rows_(rows), folds_(folds), own_(std::move(own)), held_out_(held_out) {}

  int64_t batches(int64_t) const override {
    return held_out_ ? 1 : (examples() + kBatch - 1) / kBatch;
  }
  lvtext::Batch batch(int64_t epoch, int64_t index) const override {
    const int64_t from = held_out_ ? 0 : index * kBatch;
    const int64_t to = held_out_ ? examples() : std::min(from + kBatch, examples());
    const at::Tensor all = at::arange(rows_);
    std::vector<at::Tensor> columns;
    for (const int64_t fold : own_) {
      const at::Tensor is_own = (all % folds_).eq(fold);
      const at::Tensor here = all.masked_select(held_out_ ? is_own : is_own.logical_not());
      columns.push_back(here.index_select(0, order(fold, epoch)).slice(0, from, to));
    }
    return {at::arange(from, to), {{"rows", at::stack(columns, 1)}}};
  }

 private:
  /// Rows of each probe in a pass.
  int64_t examples() const { return held_out_ ? rows_ / folds_ : rows_ - rows_ / folds_; }
  at::Tensor order(int64_t fold, int64_t epoch) const {
    const at::Tensor all = at::arange(examples());
    if (held_out_) return all;
    const lvtext::NoiseKey key{static_cast<uint64_t>(fold), static_cast<uint64_t>(epoch), 0, 0};
    return lvtext::uniform(key, all, {}, at::kDouble).argsort();
  }

  int64_t rows_, folds_;
  std::vector<int64_t> own_;
  bool held_out_;
};

}  // namespace example
