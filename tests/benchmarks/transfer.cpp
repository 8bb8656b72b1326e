#include <iostream>
#include <sstream>

#include "framework/core/base/error.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/philox.h"
#include "models/rnn_lm/rnn_lm.h"
#include "models/style_transfer/style_transfer.h"
#include "tests/benchmarks/setup.h"
#include "tests/model_inputs.h"
#include "trainers/trainer.h"
#include "trainers/weights.h"

namespace lvtext::benchmarks {
namespace {

constexpr int64_t kWords = 10000, kLength = 15, kTransferBatches = 8;

/// M7 at the paper's sizes. Without noise, both sides compute the same losses: no dropout, no
/// Gumbel noise, no gradient penalty, whose points are random.
StyleTransferOptions transfer_options(bool noise) {
  StyleTransferOptions options;
  options.loss.cyc = 5;
  options.loss.para = 0.2;
  options.loss.lang = 1e-3;
  options.second_pair.enabled = true;
  options.discriminator.gate = 0;  // so that every step has all terms
  if (noise) return options;
  options.dropout = options.discriminator.dropout = options.second_pair.dropout = 0;
  options.soft.feed = SoftFeed::kSoftmax;
  options.second_pair.penalty = 0;
  return options;
}

std::shared_ptr<RnnLm> language_model(uint64_t seed) {
  RnnLmOptions options;
  options.embedding = 100;
  options.decoder.cell = CellType::kGru;
  options.decoder.hidden = 500;
  return std::make_shared<RnnLm>(options, testing::model_inputs(kWords, seed));
}

struct TransferSetup {
  std::shared_ptr<StyleTransferModel> model;
  std::vector<std::shared_ptr<RnnLm>> language_models;
};

TransferSetup build_transfer(const StyleTransferOptions& options) {
  TransferSetup setup;
  ModelInputs inputs = testing::model_inputs(kWords, 1111);
  for (const char* name : {"from", "to"}) {
    inputs.streams["paraphrases"].push_back(
        {.name = name, .vocabulary = testing::usual_vocabulary(kWords)});
  }
  for (const InputDecl& input : StyleTransferModel::inputs(options)) {
    setup.language_models.push_back(language_model(setup.language_models.size()));
    inputs.models[input.name] = {.component = "rnn_lm", .model = setup.language_models.back()};
  }
  setup.model = std::make_shared<StyleTransferModel>(options, inputs);
  return setup;
}

/// The prepared batches in turn: two text fields of equally many sentences without padding.
class PreparedBatches : public DataLoader {
 public:
  PreparedBatches(const TensorMap& ids, const std::string& first, const std::string& second) {
    const at::Tensor lengths = at::full({kBatch}, kLength, at::kLong);
    for (int64_t k = 0; k < kTransferBatches; ++k) {
      batches_.push_back({at::arange(kBatch, at::kLong),
                          {{first, ids.at(first)[k]},
                           {first + ".lengths", lengths},
                           {second, ids.at(second)[k]},
                           {second + ".lengths", lengths}}});
    }
  }
  int64_t batches(int64_t) const override { return kTransferBatches; }
  Batch batch(int64_t, int64_t index) const override { return batches_[index]; }

 private:
  std::vector<Batch> batches_;
};

TrainOptions transfer_train_options() {
  TrainOptions options = read_train_options(parse_yaml_or_throw(
      "optimizers: {default: {type: adam, lr: 1e-4, clip_norm: 30}}", "benchmark of transfer"));
  options.device = "cpu";
  options.batch.size = kBatch;
  options.stop = {{Period::updates(1000000)}};
  options.log_every = Period::updates(1);
  options.validate_every = Period::updates(1000000);
  options.save_every = Period::seconds(1e9);
  return options;
}

}  // namespace

void prepare_transfer(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const TransferSetup setup = build_transfer(transfer_options(true));
  write_safetensors(folder / "transfer.safetensors", model_tensors(*setup.model));
  for (size_t style = 0; style < setup.language_models.size(); ++style) {
    write_safetensors(folder / ("lm_" + std::to_string(style) + ".safetensors"),
                      model_tensors(*setup.language_models[style]));
  }
  // Words after the special tokens, with the frequencies of Zipf's law.
  TensorMap ids;
  uint32_t use = 0;
  for (const char* name : {"text_0", "text_1", "from", "to"}) {
    const at::Tensor u =
        uniform_step({.seed = 9, .use = use++}, {kTransferBatches, kBatch, kLength}, at::kDouble);
    ids[name] = (4 * at::pow(static_cast<double>(kWords) / 4, u)).floor().to(at::kLong);
  }
  write_safetensors(folder / "batches.safetensors", ids);
  std::cout << nlohmann::ordered_json{{"words", kWords}, {"length", kLength}}.dump() << std::endl;
}

void serve_transfer(const std::filesystem::path& folder, bool noise) {
  const TransferSetup setup = build_transfer(transfer_options(noise));
  load_into(model_tensors(*setup.model), read_safetensors(folder / "transfer.safetensors").tensors,
            "transfer.safetensors");
  const TensorMap ids = read_safetensors(folder / "batches.safetensors").tensors;
  MemoryHost host({});
  Trainer trainer(setup.model, transfer_train_options(),
                  {{"train", std::make_shared<PreparedBatches>(ids, "text_0", "text_1")},
                   {"paraphrases", std::make_shared<PreparedBatches>(ids, "from", "to")}},
                  {}, host);
  trainer.resume();
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    int64_t count = 0;
    words >> command >> count;
    if (command != "steps") throw UsageError("'" + line + "': expected 'steps N'");
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
