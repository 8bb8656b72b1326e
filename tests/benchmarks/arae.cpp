#include <iostream>
#include <sstream>

#include "framework/core/base/error.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/philox.h"
#include "models/arae/arae.h"
#include "tests/benchmarks/setup.h"
#include "tests/model_inputs.h"
#include "trainers/trainer.h"
#include "trainers/weights.h"

namespace lvtext::benchmarks {
namespace {

constexpr int64_t kWords = 8000, kLength = 15, kAraeBatches = 8;
constexpr float kSubnormalMean = 1e-40F, kSubnormalSquare = 1e-42F;

/// The release's sizes. It begins with one round of critic and generator updates per step and has
/// four after six epochs.
std::shared_ptr<Arae> build_arae(int64_t rounds = 4) {
  AraeOptions options;
  options.loop.rounds = rounds;
  options.loop.raise_at = {};
  return std::make_shared<Arae>(options, testing::model_inputs(kWords, 1111));
}

/// The prepared batches in turn: sentences of equal length.
class PreparedSentences : public DataLoader {
 public:
  explicit PreparedSentences(const at::Tensor& ids) : ids_(ids) {}
  int64_t batches(int64_t) const override { return kAraeBatches; }
  Batch batch(int64_t, int64_t index) const override {
    return {at::arange(kBatch, at::kLong),
            {{"text", ids_[index]}, {"text.lengths", at::full({kBatch}, kLength, at::kLong)}}};
  }

 private:
  at::Tensor ids_;
};

TrainOptions arae_train_options() {
  TrainOptions options = read_train_options(parse_yaml_or_throw(
      "{select_checkpoint: last, optimizers: {autoencoder: {type: sgd, lr: 1, clip_norm: 1}, "
      "encoder: {type: sgd, lr: 1, clip_norm: 1}, critic: {type: adam, lr: 1e-5, clip_norm: 0}, "
      "generator: {type: adam, lr: 5e-5, clip_norm: 0}}}",
      "benchmark of ARAE"));
  options.device = "cpu";
  options.batch.size = kBatch;
  options.stop = {{Period::updates(1000000)}};
  options.log_every = Period::updates(1);
  options.validate_every = Period::updates(1000000);
  options.save_every = Period::seconds(1e9);
  return options;
}

/// On request, resumes with a generator whose hidden units are inactive, so that its gradients are
/// zero, and whose moments have decayed to subnormal numbers.
class GeneratorHost : public MemoryHost {
 public:
  bool dead = false;

  std::optional<Checkpoint> resume() override {
    auto checkpoint = MemoryHost::resume();
    if (!checkpoint || !dead) return checkpoint;
    for (auto& [name, value] : checkpoint->contents.model) {
      if (!name.starts_with("generator.norm")) continue;
      if (name.ends_with(".weight")) value = at::zeros_like(value);
      if (name.ends_with(".bias")) value = at::full_like(value, -1);
    }
    for (auto& [name, value] : checkpoint->contents.optimizers.at("generator")) {
      if (name.ends_with(".exp_avg")) value = at::full_like(value, kSubnormalMean);
      if (name.ends_with(".exp_avg_sq")) value = at::full_like(value, kSubnormalSquare);
    }
    return checkpoint;
  }
};

}  // namespace

void prepare_arae(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_safetensors(folder / "arae.safetensors", model_tensors(*build_arae()));
  // Words after the special tokens, with the frequencies of Zipf's law.
  const at::Tensor u = uniform_step({.seed = 9}, {kAraeBatches, kBatch, kLength}, at::kDouble);
  const at::Tensor ids = (4 * at::pow(static_cast<double>(kWords) / 4, u)).floor().to(at::kLong);
  write_safetensors(folder / "batches.safetensors", {{"text", ids}});
  std::cout << nlohmann::ordered_json{{"words", kWords}, {"length", kLength}}.dump() << std::endl;
}

void serve_arae(const std::filesystem::path& folder, bool flushes, int64_t rounds) {
  at::globalContext().setFlushDenormal(flushes);
  const auto model = build_arae(rounds);
  load_into(model_tensors(*model), read_safetensors(folder / "arae.safetensors").tensors,
            "arae.safetensors");
  const auto batches = std::make_shared<PreparedSentences>(
      read_safetensors(folder / "batches.safetensors").tensors.at("text"));
  GeneratorHost host;
  Trainer trainer(model, arae_train_options(), {{"train", batches}, {"critic", batches}}, {}, host);
  trainer.resume();
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    int64_t count = 0;
    words >> command >> count;
    if (command == "dead") {
      trainer.save();
      host.dead = true;
      trainer.resume();
      std::cout << "{}" << std::endl;
      continue;
    }
    if (command != "steps") throw UsageError("'" + line + "': expected 'steps N' or 'dead'");
    const Clock before = now();
    for (int64_t i = 0; i < count; ++i) trainer.step();
    const Clock after = now();
    const std::string& log = host.log_text();
    const size_t last = log.rfind('\n', log.size() - 2) + 1;  // npos + 1 = 0
    std::cout << nlohmann::ordered_json{{"seconds", after.wall - before.wall},
                                        {"cpu", after.cpu - before.cpu},
                                        {"steps", count},
                                        {"log", nlohmann::ordered_json::parse(log.substr(last))}}
                     .dump()
              << std::endl;
  }
}

}  // namespace lvtext::benchmarks
