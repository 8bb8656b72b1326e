#include "evaluators/senteval/classification.h"

#include <ATen/ATen.h>

#include "evaluators/senteval/folds.h"

namespace lvtext {
namespace {

constexpr double kDevShare = 0.05;  // of the training rows that select the weights of a refit

class Classification {
 public:
  Classification(const at::Tensor& features, const ClassifiedTask& task, int64_t folds,
                 const std::vector<double>& l2, const ProbeTraining& training)
      : features_(features), task_(task), folds_(folds), l2_(l2), training_(training) {}

  Classified run() const {
    Classified result{at::zeros({task_.train.numel()}, at::kLong), task_.test, {}};
    if (!has(task_.test)) return nested();
    if (has(task_.valid)) {
      const FittedProbe probe = selected_probe(features_, task_.label, task_.classes, task_.train,
                                               task_.valid, l2_, training_);
      result.predicted = predicted_classes(probe, features_);
      return result;
    }
    const double chosen = selected({task_.train}).front();
    result.predicted = predicted_classes(train({refit(task_.train, chosen, 0)}).front(), features_);
    return result;
  }

 private:
  static bool has(const at::Tensor& split) { return split.any().item<bool>(); }

  std::vector<FittedProbe> train(const std::vector<Probe>& probes) const {
    return train_probes(features_, task_.label, task_.classes, probes, training_);
  }

  uint64_t seed() const { return static_cast<uint64_t>(training_.seed); }

  Probe refit(const at::Tensor& rows, double l2, uint64_t fold) const {
    const at::Tensor dev = random_share(rows, kDevShare, seed() + fold);
    return {l2, rows & ~dev, dev};
  }

  /// Folds of the rows of a mask; -1 elsewhere.
  at::Tensor folds_of(const at::Tensor& rows, uint64_t seed) const {
    const at::Tensor index = rows.nonzero().squeeze(1);
    at::Tensor folds = at::full({task_.train.numel()}, -1, at::kLong);
    folds.index_copy_(0, index, stratified_folds(task_.label.index_select(0, index), folds_, seed));
    return folds;
  }

  /// The weight decay that cross-validation within each set of rows selects; all are trained
  /// together.
  std::vector<double> selected(const std::vector<at::Tensor>& sets) const {
    std::vector<Probe> probes;
    for (size_t k = 0; k < sets.size(); ++k) {
      const at::Tensor folds = folds_of(sets[k], seed() + 1 + k);
      for (const double l2 : l2_) {
        for (int64_t fold = 0; fold < folds_; ++fold) {
          const at::Tensor dev = folds.eq(fold);
          probes.push_back({l2, sets[k] & ~dev, dev});
        }
      }
    }
    const std::vector<FittedProbe> fitted = train(probes);
    std::vector<double> chosen;
    auto next = fitted.begin();
    for (size_t k = 0; k < sets.size(); ++k) {
      std::vector<double> means;
      for (size_t l2 = 0; l2 < l2_.size(); ++l2) {
        double sum = 0;
        for (int64_t fold = 0; fold < folds_; ++fold) sum += (next++)->dev_accuracy;
        means.push_back(sum / static_cast<double>(folds_));
      }
      chosen.push_back(l2_[best_decay(means)]);
    }
    return chosen;
  }

  Classified nested() const {
    Classified result{at::zeros({task_.train.numel()}, at::kLong), task_.train,
                      folds_of(task_.train, seed())};
    std::vector<at::Tensor> sets;
    for (int64_t fold = 0; fold < folds_; ++fold) {
      sets.push_back(task_.train & result.folds.ne(fold));
    }
    const std::vector<double> chosen = selected(sets);
    std::vector<Probe> probes;
    for (size_t k = 0; k < sets.size(); ++k) probes.push_back(refit(sets[k], chosen[k], k));
    const std::vector<FittedProbe> fitted = train(probes);
    for (size_t k = 0; k < sets.size(); ++k) {
      const at::Tensor rows = result.folds.eq(static_cast<int64_t>(k)).nonzero().squeeze(1);
      result.predicted.index_copy_(0, rows,
                                   predicted_classes(fitted[k], features_.index_select(0, rows)));
    }
    return result;
  }

  const at::Tensor& features_;
  const ClassifiedTask& task_;
  int64_t folds_;
  const std::vector<double>& l2_;
  const ProbeTraining& training_;
};

}  // namespace

Classified classify(const at::Tensor& features, const ClassifiedTask& task, int64_t folds,
                    const std::vector<double>& l2, const ProbeTraining& training) {
  return Classification(features, task, folds, l2, training).run();
}

}  // namespace lvtext
