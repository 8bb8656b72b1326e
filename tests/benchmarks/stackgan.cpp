#include "models/stackgan/stackgan.h"

#include <algorithm>
#include <iostream>
#include <sstream>

#include "framework/core/base/error.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/philox.h"
#include "tests/benchmarks/setup.h"
#include "trainers/trainer.h"
#include "trainers/weights.h"

namespace lvtext::benchmarks {
namespace {

constexpr int64_t kCondition = 300, kPrepared = 4, kFirstSize = 64, kFirstWidth = 16;
constexpr uint64_t kNoiseSeed = 1111;

/// What is measured.
struct GanBenchmark {
  int64_t stage = 1, size = 64, batch = 64, generator = 16, discriminator = 16, residual = 4;
  std::string device = "cpu";
  Precision precision = Precision::kFp32;
  bool float64 = false;

  template <class V>
  void visit(V& v) {
    v.field("stage", stage, "1 or 2", in_range(1, 2));
    v.field("size", size, "pixels", in_range(8, 1024));
    v.field("batch", batch, "images per step", in_range(2, 1024));
    v.field("generator", generator, "width", in_range(2, 4096));
    v.field("discriminator", discriminator, "width", in_range(1, 4096));
    v.field("residual", residual, "residual blocks of stage 2", in_range(0, 64));
    v.field("device", device, "device of the training", one_of({"cpu", "cuda"}));
    v.field("precision", precision, "precision of matrix products");
    v.field("float64", float64, "parameters, noise and images are float64");
  }
};

ModelInputs gan_inputs(int64_t size) {
  ModelInputs inputs{.seed = kNoiseSeed};
  inputs.streams["train"] = {
      {.name = "image", .kind = ColumnKind::kImage, .shape = {1, size, size}},
      {.name = "embedding", .kind = ColumnKind::kVector, .shape = {kCondition}}};
  return inputs;
}

struct GanSetup {
  std::shared_ptr<Trainable> model;
  std::shared_ptr<StackGanOne> first;  ///< of a second stage; else null
};

/// Options of the models with these widths; everything else as usual.
template <class Options>
Options gan_options(int64_t generator, int64_t discriminator, const std::string& more = "") {
  const std::string text = "{generator: " + std::to_string(generator) +
                           ", discriminator: " + std::to_string(discriminator) + more + "}";
  return parse_options_or_throw<Options>(parse_yaml_or_throw(text, "benchmark of stackgan"));
}

GanSetup build_gan(const GanBenchmark& what) {
  ModelInputs inputs = gan_inputs(what.size);
  if (what.stage == 1) {
    const auto options = gan_options<StageOneOptions>(what.generator, what.discriminator);
    return {std::make_shared<StackGanOne>(options, inputs), nullptr};
  }
  auto first = std::make_shared<StackGanOne>(gan_options<StageOneOptions>(kFirstWidth, kFirstWidth),
                                             gan_inputs(kFirstSize));
  inputs.models["stage_one"] = {.component = "stackgan_one", .model = first};
  const auto options = gan_options<StageTwoOptions>(
      what.generator, what.discriminator, ", residual_blocks: " + std::to_string(what.residual));
  return {std::make_shared<StackGanTwo>(options, inputs), first};
}

/// The prepared batches in turn.
class PreparedImages : public DataLoader {
 public:
  explicit PreparedImages(TensorMap tensors) : tensors_(std::move(tensors)) {}
  int64_t batches(int64_t) const override { return kPrepared; }
  Batch batch(int64_t, int64_t index) const override {
    const at::Tensor images = tensors_.at("images")[index];
    return {at::arange(images.size(0), at::kLong),
            {{"image", images}, {"embedding", tensors_.at("conditions")[index]}}};
  }

 private:
  TensorMap tensors_;
};

TrainOptions gan_train_options(const GanBenchmark& what) {
  TrainOptions options = read_train_options(
      parse_yaml_or_throw("optimizers: {default: {type: adam, lr: 2e-4, betas: [0.5, 0.999]}}",
                          "benchmark of stackgan"));
  options.device = what.device;
  options.precision = what.precision;
  options.seed = kNoiseSeed;
  options.batch.size = what.batch;
  options.stop = {{Period::updates(1000000)}};
  options.log_every = Period::updates(1);
  options.validate_every = Period::updates(1000000);
  options.save_every = Period::seconds(1e9);
  return options;
}

/// Noise of the first steps as the model draws it, [steps, B, width]: of both phases' images, and
/// of the first stage.
at::Tensor noise_of_steps(const GanBenchmark& what, int64_t width, bool of_first_stage) {
  const at::Tensor ids = at::arange(what.batch, at::kLong);
  std::vector<at::Tensor> steps;
  for (int64_t step = 0; step < kGiven; ++step) {
    NoiseKey key{kNoiseSeed, static_cast<uint64_t>(step), noise_use("fake") | 0x80000000U,
                 noise_use("image")};
    if (of_first_stage) key.use ^= noise_use("stackgan.first_stage");
    steps.push_back(normal(key, ids, {width}, what.float64 ? at::kDouble : at::kFloat));
  }
  return at::stack(steps);
}

}  // namespace

void prepare_stackgan(const std::filesystem::path& folder, const std::string& options) {
  const auto what =
      parse_options_or_throw<GanBenchmark>(parse_yaml_or_throw(options, "stackgan-prepare"));
  std::filesystem::create_directories(folder);
  const GanSetup setup = build_gan(what);
  write_safetensors(folder / "weights.safetensors", model_tensors(*setup.model));
  if (setup.first) write_safetensors(folder / "first.safetensors", model_tensors(*setup.first));
  const StageOneOptions usual;
  const int64_t width = usual.noise + usual.conditioning.size;
  // Smooth images, as radiographs are.
  const at::Tensor coarse =
      uniform_step({.seed = 9}, {kPrepared * what.batch, 1, 8, 8}, at::kFloat);
  const at::Tensor images =
      at::upsample_bilinear2d(coarse, {what.size, what.size}, /*align_corners=*/false);
  write_safetensors(
      folder / "batches.safetensors",
      {{"images",
        (images * 255).to(at::kByte).view({kPrepared, what.batch, 1, what.size, what.size})},
       {"conditions",
        normal_step({.seed = 10}, {kPrepared, what.batch, kCondition}, at::kFloat) * 0.3},
       {"noise", noise_of_steps(what, width, false)},
       {"first_noise", noise_of_steps(what, width, true)}});
  std::cout << nlohmann::ordered_json{{"steps", kGiven}}.dump() << std::endl;
}

void serve_stackgan(const std::filesystem::path& folder, const std::string& options) {
  const auto what = parse_options_or_throw<GanBenchmark>(parse_yaml_or_throw(options, "stackgan"));
  const GanSetup setup = build_gan(what);
  load_into(model_tensors(*setup.model), read_safetensors(folder / "weights.safetensors").tensors,
            "weights.safetensors");
  if (what.float64) {
    setup.model->to(at::kDouble);
    if (setup.first) setup.first->to(at::kDouble);
  }
  const auto batches =
      std::make_shared<PreparedImages>(read_safetensors(folder / "batches.safetensors").tensors);
  MemoryHost host({});
  Trainer trainer(setup.model, gan_train_options(what), {{"train", batches}}, {}, host);
  trainer.resume();
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    int64_t count = 0;
    words >> command >> count;
    if (command != "steps") throw UsageError("'" + line + "': expected 'steps N'");
    const size_t begin = host.log_text().size();
    const Clock before = now();
    for (int64_t i = 0; i < count; ++i) trainer.step();
    const Clock after = now();
    nlohmann::ordered_json losses;
    std::istringstream log(host.log_text().substr(begin));
    for (std::string step; std::getline(log, step);) {
      const auto entry = nlohmann::ordered_json::parse(step);
      if (entry.contains("train")) losses.push_back(entry["train"]);
    }
    std::cout << nlohmann::ordered_json{{"seconds", after.wall - before.wall},
                                        {"cpu", after.cpu - before.cpu},
                                        {"images", count * what.batch},
                                        {"losses", losses}}
                     .dump()
              << std::endl;
  }
}

}  // namespace lvtext::benchmarks
