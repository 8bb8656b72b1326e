// A small model that uses all features of the trainer, for the contract suite of the trainer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/contract/toy_parts.h"

namespace lvtext::testing {

/// Phases: ae (two optimizers in one backward), critic (penalty by a second derivative, clamp),
/// gen (reuses the fakes of the critic phase where allowed, gate on an earlier result).
class ToyAdversary : public Trainable {
 public:
  static constexpr int64_t kVocabulary = 13;
  static constexpr int64_t kSize = 4;

  /// `batch_norm`: latent vectors are normalized over the batch, which excludes micro-batches.
  ToyAdversary(uint64_t seed, bool batch_norm, at::ScalarType dtype = at::kDouble)
      : batch_norm_(batch_norm) {
    const auto weight = [&](const char* name, at::IntArrayRef shape) {
      return register_parameter(name, toy_weight(seed, name, shape, dtype));
    };
    embedding_ = weight("embedding", {kVocabulary, kSize});
    encoder_ = weight("encoder", {kSize, kSize});
    decoder_ = weight("decoder", {kVocabulary, kSize});
    critic_ = weight("critic", {kSize, kSize});
    head_ = weight("head", {1, kSize});
    generator_ = weight("generator", {kSize, kSize});
    if (batch_norm) running_mean_ = register_buffer("running_mean", at::zeros({kSize}, dtype));
  }

  std::vector<ParamGroup> groups() override {
    return {{"encoder", {{"embedding", embedding_}, {"encoder", encoder_}}, {}},
            {"decoder", {{"decoder", decoder_}}, {Constraint::kRowNorm, 2.0, Constraint::kAfter}},
            {"critic",
             {{"critic", critic_}, {"head", head_}},
             {Constraint::kClamp, 0.25, Constraint::kBefore}},
            {"generator", {{"generator", generator_}}, {}}};
  }

  std::vector<Phase> phases() const override {
    const Schedule size_weight = [](const TrainerState& state) {
      return 1e-3 * state.scheduled(state.step);
    };
    const std::string why = batch_norm_ ? "it normalizes over the batch" : "";
    return {
        {.name = "ae",
         .updates = {{"sgd", {"encoder"}}, {"adam", {"decoder"}}},
         .draws = {{"train", Draw::kNext}},
         .terms = {{.name = "rec",
                    .denominator = Denominator::kTargets,
                    .micro_batchable = !batch_norm_,
                    .reason = why},
                   {.name = "size",
                    .denominator = Denominator::kExamples,
                    .weight = size_weight,
                    .select_weight = 0}}},
        {.name = "critic",
         .updates = {{"critic", {"critic"}}, {"sgd", {"encoder"}}},
         .draws = {{"train", Draw::kSame}, {"other", Draw::kNext}},
         .terms =
             {{.name = "adv", .denominator = Denominator::kExamples, .select_weight = 0},
              {.name = "other", .denominator = Denominator::kTokens, .draw = 1, .select_weight = 0},
              {.name = "penalty",
               .denominator = Denominator::kExamples,
               .weight = 0.1,
               .select_weight = 0}}},
        {.name = "gen",
         .updates = {{"gen", {"generator"}}},
         .draws = {{"train", Draw::kSame}},
         .terms = {{.name = "adv", .denominator = Denominator::kExamples, .select_weight = 0}}}};
  }

  std::vector<StreamDecl> streams() const override { return {{}, {.name = "other"}}; }
  StepPlan plan(const TrainerState& state, const NoiseKey& key) const override {
    StepPlan plan = {"ae"};
    const int rounds = state.step < 3 ? 1 : 2;
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < 5; ++i) plan.push_back("critic");
    }
    const double lot = uniform_step(key, {1}, at::TensorOptions(at::kDouble)).item<double>();
    if (lot < 0.9) plan.push_back("gen");
    return plan;
  }

  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override {
    if (phase.name == "ae") return autoencoder(batches[0], context);
    if (phase.name == "critic") return critic(batches, context);
    return generator(batches[0], context);
  }

  std::string micro_batch_problem() const override {
    return batch_norm_ ? "codes are normalized over the batch" : "";
  }

 private:
  at::Tensor code(const Tokens& tokens, StepContext& context) {
    at::Tensor z = at::tanh(at::matmul(toy_bag(embedding_, tokens), encoder_.t()));
    if (!batch_norm_) return z;
    if (context.batch_norm() == BatchNormMode::kRunning) return z - running_mean_;
    const at::Tensor mean = z.mean(0);
    if (context.batch_norm() == BatchNormMode::kUpdate) {
      const at::NoGradGuard no_grad;
      running_mean_.lerp_(mean.detach(), 0.1);
    }
    return z - mean;
  }

  Sums autoencoder(const Batch& batch, StepContext& context) {
    const Tokens tokens = batch.tokens();
    at::Tensor z = code(tokens, context);
    context.store("z", z);
    if (context.training()) {
      const Schedule noise = [](const TrainerState& state) {
        const auto runs = state.phase_runs.find("ae");
        return runs == state.phase_runs.end() ? 0.2 : 0.2 / (1.0 + double(runs->second));
      };
      z = z + context.value(noise).to(z.scalar_type()) *
                  normal(context.noise("code"), batch.example_ids, {kSize}, z.options());
    }
    context.log("latent_norm", z.norm());
    const at::Tensor targets = with_eos(tokens, kEos);
    const at::Tensor scores = at::log_softmax(at::matmul(z, decoder_.t()), 1);
    const at::Tensor valid = toy_mask(tokens, 1).to(z.scalar_type());
    return {-(scores.gather(1, targets) * valid).sum(), z.square().sum()};
  }

  at::Tensor score(const at::Tensor& z) {
    return at::matmul(at::tanh(at::matmul(z, critic_.t())), head_.t()).squeeze(1);
  }

  /// Fakes from prior noise; shared by critic and generator phases.
  at::Tensor fake(const Batch& batch, StepContext& context) {
    return context.shared("fake", {"generator"}, [&] {
      return at::matmul(
          normal(context.noise("prior"), batch.example_ids, {kSize}, generator_.options()),
          generator_.t());
    });
  }

  Sums critic(const Batches& batches, StepContext& context) {
    const at::Tensor other = code(batches[1].tokens(), context);
    const at::Tensor z = context.gradient_hook(code(batches[0].tokens(), context),
                                               [](const at::Tensor& g) { return g * -0.1; });
    const at::Tensor fakes = fake(batches[0], context);
    const at::Tensor share = score(other).sum() * 0.01;
    const at::Tensor adversarial =
        (score(fakes) - score(z)).sum() - (score(context.load("z")) * 0.1).sum();
    if (!context.training()) return {adversarial, share, adversarial * 0};
    const at::Tensor at_point = fakes.detach().requires_grad_();
    const at::Tensor slope =
        torch::autograd::grad({score(at_point).sum()}, {at_point}, {}, true, true)[0];
    return {adversarial, share, (slope.square().sum(1) - 1).square().sum()};
  }

  Sums generator(const Batch& batch, StepContext& context) {
    // A gate on the device: the generator is only trained once the autoencoder is good enough.
    const at::Tensor open = context.term_mean("ae/rec") < 100;
    const at::Tensor loss = -score(fake(batch, context)).sum();
    return {at::where(open, loss, loss * 0)};
  }

  bool batch_norm_;
  at::Tensor embedding_, encoder_, decoder_, critic_, head_, generator_, running_mean_;
};

}  // namespace lvtext::testing
