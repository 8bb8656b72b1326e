#include "models/gpt2/gpt2.h"

#include <iostream>
#include <sstream>

#include "framework/core/base/error.h"
#include "framework/core/decoding/decoder.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/torch.h"
#include "tests/benchmarks/setup.h"
#include "tests/model_inputs.h"
#include "trainers/trainer.h"
#include "trainers/weights.h"

namespace lvtext::benchmarks {
namespace {

/// The given blocks [N, B, T] in turn.
class GivenBlocks : public DataLoader {
 public:
  explicit GivenBlocks(at::Tensor ids) : ids_(std::move(ids)) {}
  int64_t batches(int64_t) const override { return ids_.size(0); }
  Batch batch(int64_t, int64_t index) const override {
    return {at::arange(ids_.size(1), at::kLong),
            {{"text", ids_[index]},
             {"text.lengths", at::full({ids_.size(1)}, ids_.size(2), at::kLong)}}};
  }

 private:
  at::Tensor ids_;
};

TrainOptions block_options(int64_t batch) {
  TrainOptions options = read_train_options(parse_yaml_or_throw(
      "optimizers: {default: {type: adamw, lr: 6.25e-5, clip_norm: 1}}", "benchmark of gpt2"));
  options.device = "cpu";
  options.batch.size = batch;
  options.stop = {{Period::updates(1000000)}};
  options.log_every = Period::updates(1);
  options.validate_every = Period::updates(1000000);
  options.save_every = Period::seconds(1e9);
  return options;
}

/// Continues the first tokens of `ids` [N, P] by nucleus sampling.
nlohmann::ordered_json generate(Gpt2& model, const at::Tensor& ids, int64_t rows, int64_t length) {
  std::vector<TokenIds> prompts;
  for (int64_t n = 0; n < rows; ++n) {
    const auto* first = ids[n].const_data_ptr<int64_t>();
    prompts.emplace_back(first, first + ids.size(1));
  }
  const Clock before = now();
  const Decoded decoded = decode(
      model, {}, at::arange(rows, at::kLong), {.seed = 1},
      {.policy = PolicyOptions{.type = Policy::kNucleus, .p = 0.9}, .max_length = length}, prompts);
  const Clock after = now();
  return {{"seconds", after.wall - before.wall},
          {"cpu", after.cpu - before.cpu},
          {"tokens", rows * length},
          {"first", decoded.sentences.front()}};
}

}  // namespace

void serve_gpt2(const std::filesystem::path& folder, const std::string& options) {
  const TensorMap given = read_safetensors(folder / "weights.safetensors").tensors;
  const TensorMap texts = read_safetensors(folder / "texts.safetensors").tensors;
  const double start = memory("VmRSS");
  const auto model = std::make_shared<Gpt2>(
      parse_options_or_throw<Gpt2Options>(parse_yaml_or_throw(options, "options")),
      testing::model_inputs(
          Vocabulary{.size = static_cast<int32_t>(given.at("tokens.weight").size(0))}, 1));
  load_into(model_tensors(*model), given, "weights.safetensors");
  model->eval();
  const at::Tensor blocks = texts.at("blocks");
  MemoryHost host({});
  std::unique_ptr<Trainer> trainer;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    int64_t count = 0, length = 0;
    words >> command >> count >> length;
    nlohmann::ordered_json answer;
    if (command == "scores") {
      const at::Tensor ids = texts.at("prompts");
      const at::Tensor scores =
          model->text_scores({ids, at::full({ids.size(0)}, ids.size(1), at::kLong)});
      write_safetensors(folder / "scores.safetensors", {{"scores", scores}});
    } else if (command == "steps") {
      if (!trainer) {
        trainer = std::make_unique<Trainer>(
            model, block_options(blocks.size(1)),
            DataLoaders{{"train", std::make_shared<GivenBlocks>(blocks)}}, DataLoaders{}, host);
        trainer->resume();
      }
      const Clock before = now();
      for (int64_t i = 0; i < count; ++i) trainer->step();
      const Clock after = now();
      const std::string& log = host.log_text();
      const size_t last = log.rfind('\n', log.size() - 2) + 1;  // npos + 1 = 0
      answer = {{"seconds", after.wall - before.wall},
                {"cpu", after.cpu - before.cpu},
                {"tokens", count * blocks.size(1) * blocks.size(2)},
                {"log", nlohmann::ordered_json::parse(log.substr(last))}};
    } else if (command == "generate") {
      answer = generate(*model, texts.at("prompts"), count, length);
    } else if (command == "memory") {
      answer = {{"before", start}, {"peak", memory("VmHWM")}};
    } else {
      throw UsageError("'" + line + "': expected 'scores', 'steps N', 'generate ROWS LENGTH' or " +
                       "'memory'");
    }
    std::cout << answer.dump() << std::endl;
  }
}

}  // namespace lvtext::benchmarks
