// A small model that uses everything the trainer offers: the trainer's own contract runs on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/model/stream.h"
#include "framework/model/trainable.h"
#include "framework/tensor/philox.h"
#include "framework/tensor/torch.h"
#include "trainers/trainer.h"

namespace lvtext::testing {

/// A linear layer with weights from a fixed seed; torch's generator is not used.
inline at::Tensor toy_weight(uint64_t seed, const std::string& name, at::IntArrayRef shape,
                             at::ScalarType dtype) {
  return normal_step({seed, 0, 0, noise_use(name)}, shape, at::TensorOptions(at::kDouble))
      .mul(0.3)
      .to(dtype);
}

/// Phases: ae (two optimisers in one backward), critic (penalty by a second derivative, clamp),
/// gen (shares the fakes of the critic phase where it may, gate on an earlier result).
class ToyAdversary : public Trainable {
 public:
  static constexpr int64_t kVocabulary = 13;
  static constexpr int64_t kSize = 4;

  /// `batch_norm`: the encoder's codes are normalised over the batch, which does not split.
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
    const std::string why = batch_norm_ ? "it normalises over the batch" : "";
    return {
        {.name = "ae",
         .updates = {{"sgd", {"encoder"}}, {"adam", {"decoder"}}},
         .draws = {{"train", Draw::kNext}},
         .terms =
             {{.name = "rec", .over = Over::kTargets, .splits = !batch_norm_, .why_not = why},
              {.name = "size", .over = Over::kRows, .weight = "size_weight", .select_weight = 0}}},
        {.name = "critic",
         .updates = {{"critic", {"critic"}}, {"sgd", {"encoder"}}},
         .draws = {{"train", Draw::kSame}, {"other", Draw::kNext}},
         .terms = {{.name = "adv", .over = Over::kRows, .select_weight = 0},
                   {.name = "penalty", .over = Over::kRows, .weight = "0.1", .select_weight = 0}}},
        {.name = "gen",
         .updates = {{"gen", {"generator"}}},
         .draws = {{"train", Draw::kSame}},
         .terms = {{.name = "adv", .over = Over::kRows, .select_weight = 0}}}};
  }

  std::map<std::string, Schedule> schedules() const override {
    return {{"size_weight", [](const Progress& p) { return 1e-3 * p.scheduled(p.step); }},
            {"noise", [](const Progress& p) {
               const auto runs = p.phase_runs.find("ae");
               return runs == p.phase_runs.end() ? 0.2 : 0.2 / (1.0 + double(runs->second));
             }}};
  }

  StepPlan plan(const Progress& progress, const NoiseKey& key) const override {
    StepPlan plan = {"ae"};
    const int rounds = progress.step < 3 ? 1 : 2;
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

  std::string why_not_split() const override {
    return batch_norm_ ? "codes are normalised over the batch" : "";
  }
  int revision() const override { return 1; }

 private:
  at::Tensor code(const Tokens& tokens, StepContext& context) {
    const at::Tensor mask =
        at::arange(tokens.ids.size(1), at::kLong).unsqueeze(0).lt(tokens.lengths.unsqueeze(1));
    const at::Tensor words = embedding_.index_select(0, tokens.ids.flatten())
                                 .view({tokens.rows(), tokens.ids.size(1), kSize});
    const at::Tensor sum = (words * mask.unsqueeze(2).to(words.scalar_type())).sum(1);
    at::Tensor z = at::tanh(at::matmul(sum, encoder_.t()));
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
    context.keep("z", z);
    if (context.training()) {
      z = z + context.value("noise").to(z.scalar_type()) *
                  normal(context.noise("code"), batch.example_ids, {kSize}, z.options());
    }
    context.log("code_norm", z.norm());
    const at::Tensor targets = with_eos(tokens);
    const at::Tensor scores = at::log_softmax(at::matmul(z, decoder_.t()), 1);
    const at::Tensor valid = at::arange(targets.size(1), at::kLong)
                                 .unsqueeze(0)
                                 .le(tokens.lengths.unsqueeze(1))
                                 .to(z.scalar_type());
    return {-(scores.gather(1, targets) * valid).sum(), z.square().sum()};
  }

  at::Tensor score(const at::Tensor& z) {
    return at::matmul(at::tanh(at::matmul(z, critic_.t())), head_.t()).squeeze(1);
  }

  /// Fakes from prior noise; shared by critic and generator phases.
  at::Tensor fake(const Batch& batch, StepContext& context) {
    return context.once("fake", {"generator"}, [&] {
      return at::matmul(
          normal(context.noise("prior"), batch.example_ids, {kSize}, generator_.options()),
          generator_.t());
    });
  }

  Sums critic(const Batches& batches, StepContext& context) {
    const at::Tensor other = code(batches[1].tokens(), context);
    const at::Tensor z = context.tap(code(batches[0].tokens(), context),
                                     [](const at::Tensor& g) { return g * -0.1; });
    const at::Tensor fakes = fake(batches[0], context);
    // Scaled to the rows of the first draw, over which the term is divided.
    const at::Tensor share = score(other).sum() * 0.01;
    const at::Tensor adversarial =
        (score(fakes) - score(z)).sum() + share - (score(context.kept("z")) * 0.1).sum();
    if (!context.training()) return {adversarial, adversarial * 0};
    const at::Tensor at_point = fakes.detach().requires_grad_();
    const at::Tensor slope =
        torch::autograd::grad({score(at_point).sum()}, {at_point}, {}, true, true)[0];
    return {adversarial, (slope.square().sum(1) - 1).square().sum()};
  }

  Sums generator(const Batch& batch, StepContext& context) {
    // A gate on the device: the autoencoder must be good enough before the generator learns.
    const at::Tensor open = context.result("ae/rec") < 100;
    const at::Tensor loss = -score(fake(batch, context)).sum();
    return {at::where(open, loss, loss * 0)};
  }

  bool batch_norm_;
  at::Tensor embedding_, encoder_, decoder_, critic_, head_, generator_, running_mean_;
};

/// Batches of random sentences, some of them empty; a function of (seed, epoch, index).
class ToyStream : public Stream {
 public:
  ToyStream(uint64_t seed, int64_t batches, int64_t rows)
      : seed_(seed), count_(batches), rows_(rows) {}
  int64_t batches(int64_t) const override { return count_; }
  Batch batch(int64_t epoch, int64_t index) const override {
    const NoiseKey key{seed_, static_cast<uint64_t>(epoch), static_cast<uint32_t>(index), 7};
    const auto draws = uniform_step(key, {rows_, 8}, at::TensorOptions(at::kDouble));
    std::vector<std::vector<int32_t>> sentences;
    for (int64_t row = 0; row < rows_; ++row) {
      const auto value = [&](int64_t k) { return draws[row][k].item<double>(); };
      std::vector<int32_t> sentence(static_cast<size_t>(value(0) * 7));
      for (size_t t = 0; t < sentence.size(); ++t) {
        sentence[t] = 4 + static_cast<int32_t>(value(static_cast<int64_t>(t) + 1) * 9);
      }
      sentences.push_back(std::move(sentence));
    }
    const Tokens tokens = pad_sentences(sentences);
    return {at::arange(index * rows_, (index + 1) * rows_),
            {{"text", tokens.ids}, {"text.lengths", tokens.lengths}}};
  }

 private:
  uint64_t seed_;
  int64_t count_, rows_;
};

/// A ToyStream with the fields that a model declares: other texts are its sentences in another
/// order, labels the parity of the example.
class ToyFields : public Stream {
 public:
  ToyFields(ToyStream sentences, std::vector<FieldDecl> fields)
      : sentences_(std::move(sentences)), fields_(std::move(fields)) {}
  int64_t batches(int64_t epoch) const override { return sentences_.batches(epoch); }
  Batch batch(int64_t epoch, int64_t index) const override {
    const Batch drawn = sentences_.batch(epoch, index);
    Batch batch{drawn.example_ids, {}};
    int64_t shift = 0;
    for (const auto& field : fields_) {
      if (field.kind == FieldDecl::kLabel) {
        batch.fields[field.name] = drawn.example_ids % 2;
        continue;
      }
      for (const char* part : {"", ".lengths"}) {
        batch.fields[field.name + part] =
            at::roll(drawn.field(std::string("text") + part), shift, 0);
      }
      ++shift;
    }
    return batch;
  }

 private:
  ToyStream sentences_;
  std::vector<FieldDecl> fields_;
};

/// A toy stream of that name with the fields that the model reads of it.
inline std::shared_ptr<const Stream> toy_stream(const Trainable& model, const std::string& name,
                                                uint64_t seed, int64_t batches, int64_t rows) {
  const uint64_t own = name == "train" ? seed : seed ^ noise_use(name);
  return std::make_shared<ToyFields>(ToyStream(own, batches, rows), model.fields(name));
}

/// One for every stream that the model's phases draw.
inline Streams toy_streams(const Trainable& model, uint64_t seed, int64_t batches, int64_t rows) {
  Streams streams;
  for (const auto& phase : model.phases()) {
    for (const auto& draw : phase.draws) {
      streams[draw.stream] = toy_stream(model, draw.stream, seed, batches, rows);
    }
  }
  return streams;
}

}  // namespace lvtext::testing
