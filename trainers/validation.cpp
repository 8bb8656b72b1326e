#include "trainers/validation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/torch.h"
#include "trainers/phase_context.h"

namespace lvtext {
namespace {

/// Noise step of validation; distinct from all training steps.
constexpr uint64_t kValidationStep = std::numeric_limits<uint64_t>::max();

/// Iterates over the batches of the validation streams, repeating shorter ones. Within a round, all
/// phases receive the same batch of the leading stream, so each is validated on all of it.
class ValidationBatches {
 public:
  ValidationBatches(const DataLoaders& streams, std::string leading)
      : streams_(streams), leading_(std::move(leading)) {}
  void start_round() { drawn_.clear(); }
  const Batch& draw(const Draw& draw) {
    const bool next = draw.what == Draw::kNext && draw.stream != leading_;
    if (next || !drawn_.contains(draw.stream)) {
      const DataLoader& stream = *streams_.at(draw.stream);
      int64_t& index = next_[draw.stream];
      drawn_[draw.stream] = stream.batch(0, index);
      index = (index + 1) % stream.batches(0);
    }
    return drawn_.at(draw.stream);
  }

 private:
  const DataLoaders& streams_;
  std::string leading_;
  std::map<std::string, int64_t> next_;
  std::map<std::string, Batch> drawn_;
};

struct Mean {
  at::Tensor sum;
  double count = 0;
};

}  // namespace

std::vector<Phase> validated_phases(const std::vector<Phase>& phases, const DataLoaders& streams) {
  std::vector<Phase> validated;
  for (const auto& phase : phases) {
    bool there = phase.validated;
    for (const auto& draw : phase.draws) there = there && streams.contains(draw.stream);
    if (there) validated.push_back(phase);
  }
  return validated;
}

Evaluation validate_model(Trainable& model, const Layout& layout, const TrainOptions& options,
                          const DataLoaders& streams, const at::Device& device,
                          const TrainerState& state) {
  const at::NoGradGuard no_grad;
  const std::vector<Phase> phases = validated_phases(layout.phases(), streams);
  Evaluation evaluation;
  evaluation.step = state.step;
  if (phases.empty()) return evaluation;

  const std::string& leading = leading_stream(phases);
  const int64_t rounds = streams.at(leading)->batches(0);
  ValidationBatches source(streams, leading);
  std::map<std::string, Mean> means;
  for (int64_t round = 0; round < rounds; ++round) {
    throw_if_stopped();
    source.start_round();
    StepMemory memory;
    for (size_t run = 0; run < phases.size(); ++run) {
      const Phase& phase = phases[run];
      Batches batches;
      for (const auto& draw : phase.draws) batches.push_back(source.draw(draw).to(device));
      PhaseContext context({false, static_cast<uint64_t>(options.seed), kValidationStep, run, 0, 1},
                           layout, state, device, memory,
                           [](const std::string&, const at::Tensor&) {});
      const MixedPrecisionScope scope(options.precision == Precision::kBf16 &&
                                      phase.precision == PhasePrecision::kInherit);
      const Sums sums = model.losses(phase, batches, context);
      LVT_ASSERT(sums.size() == phase.terms.size(),
                 "phase '" + phase.name + "': the number of returned sums differs from its terms");
      for (size_t k = 0; k < sums.size(); ++k) {
        const std::string name = phase.name + "/" + phase.terms[k].name;
        const auto count = static_cast<double>(term_count(phase.terms[k], batches));
        memory.term_means[name] = (sums[k] / std::max(count, 1.0)).detach();
        Mean& mean = means[name];
        const at::Tensor sum = sums[k].detach().to(at::kDouble);
        mean.sum = mean.sum.defined() ? mean.sum + sum : sum;
        mean.count += count;
      }
    }
  }
  for (const auto& phase : phases) {
    for (const auto& term : phase.terms) {
      const std::string name = phase.name + "/" + term.name;
      const Mean& mean = means.at(name);
      const double value = mean.sum.item<double>() / std::max(mean.count, 1.0);
      evaluation.terms[name] = value;
      if (term.select_weight != 0) evaluation.objective += term.select_weight * value;
    }
  }
  return evaluation;
}

bool is_defined(const Evaluation& evaluation) {
  if (!std::isfinite(evaluation.objective)) return false;
  // Without terms in the objective, it is 0.
  const auto& terms = evaluation.terms;
  return terms.empty() || std::any_of(terms.begin(), terms.end(),
                                      [](const auto& term) { return std::isfinite(term.second); });
}

}  // namespace lvtext
