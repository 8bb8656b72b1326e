#include <algorithm>
#include <cmath>
#include <limits>

#include "trainers/lr_schedule.h"

namespace lvtext {
namespace {

/// max(min_lr, lr factor^k decay^e), where k counts how often `patience` consecutive validations
/// had no objective below all earlier ones (torch.optim.lr_scheduler.ReduceLROnPlateau with
/// threshold 0 and a `patience` that is smaller by one) and e the completed epochs.
struct ReduceOnPlateauSchedule : LrSchedule {
  double factor = 0.1;
  int64_t patience = 10;
  double min_lr = 0;
  std::optional<double> decay;  // unset: not part of identities

  double rate(const LrState& state) const override {
    const auto count = static_cast<double>(reductions(state.evaluations));
    const double epochs = std::floor(state.at / state.updates_per_epoch);
    const double reduced = state.lr * std::pow(factor, count) * std::pow(decay.value_or(1), epochs);
    return std::max(reduced, std::min(min_lr, state.lr));
  }
  bool compares_validations() const override { return true; }

  int64_t reductions(const std::vector<Evaluation>& evaluations) const {
    double best = std::numeric_limits<double>::infinity();
    int64_t waited = 0;
    int64_t count = 0;
    for (const auto& each : evaluations) {
      if (each.objective < best) {
        best = each.objective;
        waited = 0;
      } else if (++waited == patience) {
        ++count;
        waited = 0;
      }
    }
    return count;
  }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
    v.field("factor", factor, "factor by which the rate is reduced", above(0), below(1));
    v.field("patience", patience,
            "number of consecutive validations without improvement after which the rate is reduced "
            "(PyTorch's patience + 1)",
            at_least(1));
    v.field("decay", decay,
            "factor by which the rate is reduced after each epoch besides, as InferSent's authors "
            "do with 0.99 (unset: 1)",
            above(0), at_most(1));
    v.field("min_lr", min_lr, "lower bound of the learning rate", at_least(0));
  }
};

}  // namespace

void add_reduce_on_plateau(Choices<LrSchedule>& schedules) {
  add_component<ReduceOnPlateauSchedule>(schedules, "reduce_on_plateau",
                                         "decay by `factor` when validations do not improve");
}

}  // namespace lvtext
