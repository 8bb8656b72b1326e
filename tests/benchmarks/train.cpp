#include <iostream>
#include <sstream>

#include "framework/core/base/error.h"
#include "framework/core/model/dataset_loader.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/bf16_product.h"
#include "tests/benchmarks/setup.h"
#include "trainers/trainer.h"

namespace lvtext::benchmarks {
namespace {

/// Pass 0 contains the batches given to both sides; later passes are bucketed by lvtext.
class GivenFirst : public DataLoader {
 public:
  GivenFirst(const Dataset& corpus, const std::filesystem::path& given)
      : corpus_(corpus),
        rows_(read_safetensors(given).tensors.at("rows")),
        own_(corpus, {Order::kBucketed, kBatch, 0, 0, 1111}) {}

  int64_t batches(int64_t epoch) const override {
    return epoch == 0 ? rows_.size(0) : own_.batches(epoch - 1);
  }
  Batch batch(int64_t epoch, int64_t index) const override {
    if (epoch > 0) return own_.batch(epoch - 1, index);
    const at::Tensor row = rows_[index];
    const auto* first = row.const_data_ptr<int64_t>();
    return make_batch(corpus_, {first, first + row.size(0)});
  }

 private:
  Dataset corpus_;
  at::Tensor rows_;
  DatasetLoader own_;
};

/// Training steps only: no validation, checkpoints or logs.
TrainOptions train_options(const std::string& precision) {
  TrainOptions options = read_train_options(parse_yaml_or_throw(
      "optimizers: {default: {type: adam, lr: 5e-4, betas: [0.5, 0.999], clip_norm: 5}}",
      "configuration A"));
  for (const auto& known : enum_names(Precision::kFp32)) {
    if (known.name == precision) options.precision = known.value;
  }
  options.device = "cpu";
  options.batch.size = kBatch;
  options.stop = {{Period::updates(1000000)}};
  options.validate_every = options.log_every = Period::updates(1000000);
  options.save_every = Period::seconds(1e9);
  return options;
}

Dataset corpus_of(const std::filesystem::path& folder, const std::string& name) {
  return Dataset(folder / (name + ".dataset.safetensors"));
}

nlohmann::ordered_json take_steps(Trainer& trainer, int64_t count) {
  const Clock before = now();
  const int64_t tokens = trainer.state().tokens;
  for (int64_t i = 0; i < count; ++i) trainer.step();
  const Clock after = now();
  return {{"seconds", after.wall - before.wall},
          {"cpu", after.cpu - before.cpu},
          {"tokens", trainer.state().tokens - tokens}};
}

}  // namespace

void serve_training(const std::filesystem::path& folder, const std::string& corpus,
                    const std::string& precision) {
  const double before = memory("VmRSS");
  const auto model = build_model();
  load_weights(*model, folder / "weights.safetensors");
  MemoryHost host({});
  const auto held_out = std::make_shared<DatasetLoader>(corpus_of(folder, "held_out"),
                                                        BatchOptions{Order::kSequential, kBatch});
  const auto stream = std::make_shared<GivenFirst>(corpus_of(folder, corpus),
                                                   folder / (corpus + ".given.safetensors"));
  Trainer trainer(model, train_options(precision), {{"train", stream}}, {{"train", held_out}},
                  host);
  trainer.resume();
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    int64_t count = 0;
    words >> command >> count;
    nlohmann::ordered_json answer;
    if (command == "steps") {
      answer = take_steps(trainer, count);
    } else if (command == "loss") {
      answer = {{"loss", trainer.validate().objective}};
    } else if (command == "memory") {
      answer = {{"before", before}, {"peak", memory("VmHWM")}};
    } else {
      throw UsageError("'" + line + "': expected 'steps N', 'loss' or 'memory'");
    }
    std::cout << answer.dump() << std::endl;
  }
}

void print_bf16() {
  const Bf16Support& support = cpu_bf16_support();
  std::cout << nlohmann::ordered_json{{"amx", support.kernel == Bf16Support::kMkl},
                                      {"fast", support.is_fast()},
                                      {"reason", support.reason}}
                   .dump()
            << std::endl;
}

void first_step(const std::filesystem::path& folder) {
  const auto model = build_model();
  MemoryHost host({});
  const auto stream =
      std::make_shared<GivenFirst>(corpus_of(folder, "real"), folder / "real.given.safetensors");
  Trainer trainer(model, train_options("fp32"), {{"train", stream}}, {}, host);
  trainer.resume();
  trainer.step();
  std::cout << nlohmann::ordered_json{{"tokens", trainer.state().tokens}}.dump() << std::endl;
}

}  // namespace lvtext::benchmarks
