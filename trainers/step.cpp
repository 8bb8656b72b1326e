#include "trainers/step.h"

#include <cmath>
#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

/// Noise stream of model plans; distinct from the numbers of all phase runs.
constexpr uint32_t kPlanStream = 0x7fffffff;

/// A copy of the buffers, to restore running statistics after a skipped phase.
class SavedBuffers {
 public:
  SavedBuffers(Trainable& model, bool requested) {
    if (!requested) return;
    for (const auto& buffer : model.buffers()) saved_.emplace_back(buffer, buffer.clone());
  }
  void restore() const {
    const at::NoGradGuard no_grad;
    for (const auto& [buffer, value] : saved_) buffer.copy_(value);
  }

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> saved_;
};

/// Returns micro-batch `micro` of `micros` of each batch.
Batches parts_of(const Batches& batches, int64_t micro, int64_t micros) {
  if (micros == 1) return batches;
  Batches parts;
  for (const auto& batch : batches) {
    const int64_t rows = batch.rows();
    parts.push_back(batch.slice(rows * micro / micros, rows * (micro + 1) / micros));
  }
  return parts;
}

/// Denominator of each term, computed before the first forward pass.
std::vector<double> totals_of(const Phase& phase, const Batches& batches, int64_t micros) {
  std::vector<int64_t> counts(phase.terms.size(), 0);
  for (int64_t micro = 0; micro < micros; ++micro) {
    const Batches parts = parts_of(batches, micro, micros);
    for (size_t k = 0; k < counts.size(); ++k) counts[k] += term_count(phase.terms[k], parts);
  }
  // A count of 0 (a batch of empty sentences) has sum 0 and gets mean 0.
  std::vector<double> totals;
  for (const int64_t count : counts) {
    totals.push_back(static_cast<double>(std::max<int64_t>(count, 1)));
  }
  return totals;
}

/// Projects a parameter onto its constraint: clamps each element, or the norm of each matrix row.
void project(const at::Tensor& value, const Constraint& rule) {
  if (rule.kind == Constraint::kClamp) {
    value.clamp_(-rule.bound, rule.bound);
  } else if (value.dim() >= 2) {
    std::vector<int64_t> within;
    for (int64_t d = 1; d < value.dim(); ++d) within.push_back(d);
    const at::Tensor norm = at::norm(value, 2, within, /*keepdim=*/true);
    value.mul_(rule.bound / norm.clamp_min(rule.bound));
  }
}

/// `where`: location of the diagnostics.
Error nonfinite_error(const std::string& what, const Phase& phase, NonFinite policy,
                      const std::string& where) {
  std::vector<std::string> rates;
  for (const auto& update : phase.updates) {
    rates.push_back("train.optimizers." + update.optimizer + ".lr");
  }
  const bool halts = policy == NonFinite::kHalt;
  return {Exit::kSomeFailed,
          what + (halts ? "" : ", and train.nonfinite.budget is exhausted") +
              "; it was not applied to the parameters. Diagnostics: " + where + ". Lower " +
              join(rates, " or ") + " or clip_norm" +
              (halts ? ", or allow skips with train.nonfinite.policy=skip" : "")};
}

}  // namespace

void StepRunner::run(TrainerState& state) {
  memory_ = {};
  latest_.clear();
  parts_.metrics.terms.clear();
  parts_.metrics.gradient_norm.clear();
  for (const auto& [name, optimizer] : parts_.optimizers) {
    parts_.metrics.lr[name] = learning_rate(optimizer.options(), state, parts_.length);
  }
  const NoiseKey key{static_cast<uint64_t>(parts_.options.seed), static_cast<uint64_t>(state.step),
                     kPlanStream, noise_use("plan")};
  const StepPlan plan = parts_.model.plan(state, key);
  for (size_t i = 0; i < plan.size(); ++i) {
    if (!run_phase(parts_.layout.phase(plan[i]), i, i + 1 == plan.size(), state)) break;
  }
  memory_ = {};
}

bool StepRunner::run_phase(const Phase& phase, size_t phase_run, bool last, TrainerState& state) {
  project_parameters(phase, Constraint::kBefore);
  const PhaseContext::StepPosition position{true,
                                            static_cast<uint64_t>(parts_.options.seed),
                                            static_cast<uint64_t>(state.step),
                                            phase_run,
                                            0,
                                            1};
  PhaseContext asking(position, parts_.layout, state, parts_.device, memory_,
                      [](const std::string&, const at::Tensor&) {});
  if (!parts_.model.active(phase, asking)) return true;

  const Drawn drawn = draw(phase, state);
  const SavedBuffers buffers(parts_.model, parts_.options.nonfinite.policy == NonFinite::kSkip);
  drop_gradients(phase);
  logged_.clear();
  const auto means = backward(phase, drawn, phase_run, last, state);
  auto updates = collect_gradients(phase);
  if (!check_finite(phase, means, updates)) {
    buffers.restore();
    const auto diagnostics = diagnostics_of(phase, drawn, updates, state);
    drop_gradients(phase);
    const int64_t step = state.step + 1;
    const std::string what = "step " + std::to_string(step) + ", phase '" + phase.name +
                             "': " + diagnostics.at("first_bad").get<std::string>() +
                             " is not finite";
    if (!parts_.skips.try_spend(step)) {
      throw nonfinite_error(what, phase, parts_.options.nonfinite.policy,
                            parts_.save_diagnostics(diagnostics));
    }
    log_warning(what + "; the rest of this step was skipped");
    return false;
  }
  // Values of a rejected phase are not logged, since they may be non-finite.
  for (const auto& [name, value] : logged_) parts_.means.add(name, value);
  apply_updates(phase, updates, state);
  drop_gradients(phase);
  ++state.phase_runs[phase.name];
  return true;
}

StepRunner::Drawn StepRunner::draw(const Phase& phase, TrainerState& state) {
  const std::string& leading = leading_stream(parts_.layout.phases());
  Drawn drawn;
  int64_t fewest = std::numeric_limits<int64_t>::max();
  int64_t most = 1;
  for (const auto& draw : phase.draws) {
    if (draw.what == Draw::kNext) {
      latest_[draw.stream] = parts_.prefetchers.at(draw.stream).next();
      if (draw.stream == leading) state.tokens += target_tokens(latest_.at(draw.stream));
    }
    const auto found = latest_.find(draw.stream);
    LVT_ASSERT(found != latest_.end(), "phase '" + phase.name + "' draws the same batch of '" +
                                           draw.stream + "' as before, but this step drew none");
    drawn.batches.push_back(found->second);
    fewest = std::min(fewest, found->second.rows());
    most = std::max(most, found->second.rows());
  }
  const int64_t part = parts_.options.batch.micro_size;
  if (part > 0) drawn.micros = std::max<int64_t>(1, std::min(fewest, (most - 1) / part + 1));
  drawn.totals = totals_of(phase, drawn.batches, drawn.micros);
  return drawn;
}

at::Tensor StepRunner::objective(const Phase& phase, const Sums& sums,
                                 const std::vector<double>& totals, const TrainerState& state,
                                 std::vector<at::Tensor>& means) const {
  LVT_ASSERT(sums.size() == phase.terms.size(),
             "phase '" + phase.name + "': the number of returned sums differs from its terms");
  at::Tensor loss;
  for (size_t k = 0; k < sums.size(); ++k) {
    LVT_ASSERT(sums[k].dim() == 0, "the sum of '" + phase.terms[k].name + "' is not a scalar");
    const at::Tensor share = sums[k] / totals[k];
    const at::Tensor mean = share.detach().to(at::kDouble);
    means[k] = means[k].defined() ? means[k] + mean : mean;
    const double weight = phase.terms[k].weight.at(state);
    // Skip terms of weight 0: 0 times an infinite value is NaN.
    if (weight == 0) continue;
    const at::Tensor weighted = weight == 1 ? share : share * weight;
    loss = loss.defined() ? loss + weighted : weighted;
  }
  return loss;
}

std::vector<at::Tensor> StepRunner::backward(const Phase& phase, const Drawn& drawn,
                                             size_t phase_run, bool last,
                                             const TrainerState& state) {
  torch::autograd::variable_list inputs;
  for (const auto& update : phase.updates) {
    for (const auto& [name, value] : parts_.layout.parameters(update)) inputs.push_back(value);
  }
  const bool mixed =
      parts_.options.precision == Precision::kBf16 && phase.precision == PhasePrecision::kInherit;
  const auto log = [&](const std::string& name, const at::Tensor& value) {
    logged_.emplace_back(phase.name + "/" + name, value.detach());
  };
  std::vector<at::Tensor> means(phase.terms.size());
  at::ScalarType dtype = at::kFloat;
  for (int64_t micro = 0; micro < drawn.micros; ++micro) {
    Batches batches = parts_of(drawn.batches, micro, drawn.micros);
    for (auto& batch : batches) batch = batch.to(parts_.device);
    PhaseContext context({true, static_cast<uint64_t>(parts_.options.seed),
                          static_cast<uint64_t>(state.step), phase_run, micro, drawn.micros},
                         parts_.layout, state, parts_.device, memory_, log);
    at::Tensor loss;
    {
      const MixedPrecisionScope scope(mixed);
      const Sums sums = parts_.model.losses(phase, batches, context);
      loss = objective(phase, sums, drawn.totals, state, means);
      dtype = sums.back().scalar_type();
    }
    if (!loss.defined() || !loss.requires_grad()) continue;
    const bool retain = !last && memory_.holds_graphs();
    torch::autograd::backward({loss}, {}, retain, /*create_graph=*/false, inputs);
  }
  for (size_t k = 0; k < means.size(); ++k) {
    memory_.term_means[phase.name + "/" + phase.terms[k].name] = means[k].to(dtype);
  }
  return means;
}

std::vector<StepRunner::Gradients> StepRunner::collect_gradients(const Phase& phase) const {
  std::vector<Gradients> updates;
  for (const auto& update : phase.updates) {
    Gradients each;
    each.update = &update;
    for (const auto& [name, value] : parts_.layout.parameters(update)) {
      if (!value.grad().defined()) continue;
      each.params.emplace_back(name, value);
      each.gradients.push_back(value.grad());
    }
    updates.push_back(std::move(each));
  }
  return updates;
}

bool StepRunner::check_finite(const Phase& phase, const std::vector<at::Tensor>& means,
                              std::vector<Gradients>& updates) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> numbers = means;
  for (auto& update : updates) {
    if (!update.gradients.empty()) update.norms = at::_foreach_norm(update.gradients, 2);
    numbers.push_back(update.norms.empty() ? at::zeros({}, means.front().options())
                                           : at::stack(update.norms).to(at::kDouble).norm());
  }
  // The only device synchronization of a phase.
  const at::Tensor read = at::stack(numbers).cpu();
  const auto* value = read.const_data_ptr<double>();
  bool good = true;
  for (size_t k = 0; k < means.size(); ++k, ++value) {
    parts_.metrics.terms[phase.name + "/" + phase.terms[k].name] = *value;
    good = good && std::isfinite(*value);
  }
  for (auto& update : updates) {
    update.norm = *value++;
    parts_.metrics.gradient_norm[phase.name + "/" + update.update->optimizer] = update.norm;
    good = good && std::isfinite(update.norm);
  }
  if (!good) return false;
  for (const auto& term : phase.terms) {
    const std::string name = phase.name + "/" + term.name;
    parts_.means.add(name, parts_.metrics.terms.at(name));
  }
  for (const auto& update : updates) {
    parts_.means.add(phase.name + "/gradient_norm." + update.update->optimizer, update.norm);
  }
  return true;
}

nlohmann::ordered_json StepRunner::diagnostics_of(const Phase& phase, const Drawn& drawn,
                                                  const std::vector<Gradients>& updates,
                                                  const TrainerState& state) const {
  NamedNumbers terms, norms;
  for (const auto& term : phase.terms) {
    terms.emplace_back(term.name, parts_.metrics.terms.at(phase.name + "/" + term.name));
  }
  for (const auto& update : updates) {
    for (size_t i = 0; i < update.params.size(); ++i) {
      norms.emplace_back(update.params[i].first, update.norms[i].item<double>());
    }
  }
  return nonfinite_diagnostics(state.step + 1, phase, terms, norms, drawn.batches);
}

void StepRunner::apply_updates(const Phase& phase, std::vector<Gradients>& updates,
                               TrainerState& state) {
  for (auto& update : updates) {
    Optimizer& optimizer = parts_.optimizers.at(update.update->optimizer);
    const double clip = optimizer.options().clip_norm;
    // Same formula as torch.nn.utils.clip_grad_norm_, which the papers' released code uses.
    const double scale = clip / (update.norm + 1e-6);
    if (clip > 0 && scale < 1) {
      const at::NoGradGuard no_grad;
      at::_foreach_mul_(update.gradients, scale);
    }
    const auto* trigger = std::get_if<Choice<Trigger>>(&optimizer.options().t0);
    optimizer.step(update.params, std::move(update.gradients),
                   parts_.metrics.lr.at(update.update->optimizer),
                   trigger && (*trigger)->fired(state.evaluations));
    for (const auto& group : update.update->groups) {
      memory_.touch(group);
      ++state.group_updates[group];
    }
  }
  project_parameters(phase, Constraint::kAfter);
}

void StepRunner::project_parameters(const Phase& phase, Constraint::When when) {
  const at::NoGradGuard no_grad;
  for (const auto& update : phase.updates) {
    for (const auto& name : update.groups) {
      const ParamGroup& group = parts_.layout.group(name);
      const Constraint& rule = group.project;
      if (rule.kind == Constraint::kNone || rule.when != when) continue;
      for (const auto& [param, value] : group.params) project(value, rule);
      memory_.touch(name);
    }
  }
}

void StepRunner::drop_gradients(const Phase& phase) const {
  for (const auto& update : phase.updates) {
    for (const auto& [name, value] : parts_.layout.parameters(update)) value.mutable_grad().reset();
  }
}

}  // namespace lvtext
