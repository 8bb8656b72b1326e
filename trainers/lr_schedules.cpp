// The learning-rate schedules.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "trainers/lr_schedule.h"

namespace lvtext {
namespace {

struct ConstantSchedule : LrSchedule {
  double rate(const LrState& state) const override { return state.lr; }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
  }
};

/// lr (1 + cos(pi (t - w) / (T - w))) / 2 after t of T updates with w warm-up updates
/// (Loshchilov and Hutter 2017, without restarts).
struct CosineSchedule : LrSchedule {
  double rate(const LrState& state) const override {
    return state.lr * 0.5 * (1 + std::cos(std::numbers::pi * (1 - state.left())));
  }
  bool needs_end() const override { return true; }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
  }
};

/// lr factor^(t / E) after t updates with E updates per epoch. Equals
/// torch.optim.lr_scheduler.ExponentialLR at the ends of epochs and interpolates smoothly between
/// them. For a constant rate within each epoch, use `step` with `every: 1e`.
struct ExponentialSchedule : LrSchedule {
  double factor = 1;

  double rate(const LrState& state) const override {
    return state.lr * std::pow(factor, state.at / state.updates_per_epoch);
  }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
    v.field("factor", factor, "factor by which the rate changes over one epoch", required(),
            above(0), at_most(1));
  }
};

/// lr sqrt(max(w, 1) / t) after t updates with w warm-up updates (Vaswani et al. 2017).
struct InverseSqrtSchedule : LrSchedule {
  double rate(const LrState& state) const override {
    const double start = std::max(state.warmup, 1.0);
    return state.lr * std::sqrt(start / std::max(state.at, start));
  }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
  }
};

/// lr (T - t) / (T - w) after t of T updates with w warm-up updates
/// (get_linear_schedule_with_warmup of transformers). With `constant` c, lr min(1, (T - t) / ((1 -
/// c) (T - w))).
struct LinearSchedule : LrSchedule {
  std::optional<double> constant;

  double rate(const LrState& state) const override {
    return state.lr * std::min(1.0, state.left() / (1 - constant.value_or(0)));
  }
  bool needs_end() const override { return true; }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
    v.field("constant", constant,
            "share of the updates after the warm-up before the decay starts (unset: none)",
            above(0), below(1));
  }
};

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

/// lr factor^floor(t / every) after t updates (torch.optim.lr_scheduler.StepLR).
struct StepSchedule : LrSchedule {
  Period every = Period::epochs(1);
  double factor = 0.1;

  double rate(const LrState& state) const override {
    // updates_per_epoch may be fractional; the tolerance keeps rounding from missing an epoch end.
    return state.lr * std::pow(factor, std::floor(state.at / state.updates(every) + 1e-9));
  }

  template <class V>
  void visit(V& v) {
    visit_warmup(v);
    v.field("every", every, "interval between rate changes, in updates or epochs", required(),
            above(0));
    v.field("factor", factor, "factor by which the rate changes", above(0), at_most(1));
    v.check(is_updates_or_epochs(every),
            "every must be a number of updates or epochs, such as 20e");
  }
};

}  // namespace

Choices<LrSchedule>& LrSchedule::components() {
  static auto components = [] {
    Choices<LrSchedule> all(kKind);
    add_component<ConstantSchedule>(all, "constant", "constant learning rate");
    add_component<CosineSchedule>(all, "cosine", "half-cosine decay to 0 at the planned end");
    add_component<ExponentialSchedule>(all, "exponential", "smooth decay by `factor` per epoch");
    add_component<InverseSqrtSchedule>(all, "inverse_sqrt",
                                       "decay by 1 / sqrt(updates) after the warm-up");
    add_component<LinearSchedule>(all, "linear", "linear decay to 0 at the planned end");
    add_component<ReduceOnPlateauSchedule>(all, "reduce_on_plateau",
                                           "decay by `factor` when validations do not improve");
    add_component<StepSchedule>(all, "step", "decay by `factor` every `every`");
    return all;
  }();
  return components;
}

}  // namespace lvtext
