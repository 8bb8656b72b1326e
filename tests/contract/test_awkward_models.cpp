// Trainings with unusual requirements: toy models, and models of the test plug-in beyond the tests
// of its own suite.
#include "tests/contract/contract.h"
#include "tests/contract/toy_critic.h"
#include "tests/contract/toy_stages.h"
#include "tests/plugin/probe_bank.h"
#include "tests/plugin/unlikelihood_lm.h"
#include "trainers/memory_training.h"

using namespace lvtext;
using namespace lvtext::testing;
using namespace example;

namespace {

Subject subject(const std::string& name,
                std::function<std::shared_ptr<Trainable>(uint64_t seed)> model) {
  Subject subject{.name = name, .model = std::move(model), .train = {}, .validation = {}};
  subject.train = toy_streams(*subject.model(1), 5, 7, 32);
  subject.validation = toy_streams(*subject.model(1), 7, 2, 8);
  return subject;
}

std::shared_ptr<ToyStageOne> generator() {
  return std::make_shared<ToyStageOne>(17);
}

OptimizerOptions rmsprop(double lr) {
  OptimizerOptions options;
  options.type = OptimizerType::kRmsprop;
  options.lr = lr;
  options.clip_norm = 0;
  return options;
}

/// 60 rows of features in which the first two mostly determine the class.
std::shared_ptr<FeatureTable> table() {
  const at::Tensor features = normal({3, 0, 0, 1}, at::arange(60), {5}, at::kDouble);
  const at::Tensor noise = normal({3, 0, 0, 2}, at::arange(60), {}, at::kDouble);
  const at::Tensor score = features.select(1, 0) - features.select(1, 1) + noise;
  return std::make_shared<FeatureTable>(features, score.gt(0).to(at::kLong));
}

const std::vector<Probe> kProbes = {{"a", 0}, {"b", 1e-3}, {"c", 1e-1}};

/// Each probe leaves out a different third of the table.
DataLoaders folds(const std::vector<int64_t>& own, bool held_out) {
  return {{"train", std::make_shared<FoldStream>(60, 3, own, held_out)}};
}

/// Trains probes like an evaluator and returns the best weights of each.
std::vector<TensorMap> train_probes(const std::vector<int64_t>& which, TrainResult& result) {
  std::vector<Probe> probes;
  for (const int64_t k : which) probes.push_back(kProbes[k]);
  const auto bank = std::make_shared<ProbeBank>(4, table(), probes);
  bank->to(at::kDouble);
  TrainOptions options;
  options.device = "cpu";
  options.stop = {{Period::epochs(200)}};
  options.validate_every = Period::epochs(1);
  options.keep.checkpoints = options.validate_every;
  OptimizerOptions adam;
  adam.lr = 0.05;
  adam.betas = {0.5, 0.999};
  adam.clip_norm = 0;
  options.optimizers = {{"default", adam}};
  const at::NoGradGuard as_in_evaluators;
  const MemoryTraining training =
      train_in_memory(bank, options, folds(which, false), folds(which, true));
  result = training.result;
  CHECK(static_cast<int64_t>(training.evaluations.size()) == result.steps / 4);
  std::vector<TensorMap> best;
  for (size_t k = 0; k < which.size(); ++k) {
    TensorMap own;
    for (const auto& [name, value] :
         training.kept_checkpoints.at(ProbeBank::best(training.evaluations, k).step)) {
      own[name] = value[static_cast<int64_t>(k)];
    }
    best.push_back(own);
  }
  return best;
}

/// In double precision, for sums that are compared with small tolerances.
std::shared_ptr<Trainable> unlikelihood(uint64_t seed) {
  auto model = std::make_shared<UnlikelihoodLm>(UnlikelihoodLmOptions{}, model_inputs(13, seed));
  model->to(at::kDouble);
  return model;
}

}  // namespace

TEST_CASE("contract: toy of a second stage", "[contract]") {
  check_contract(
      subject("toy_stage_two", [](uint64_t seed) { return std::make_shared<ToyStageTwo>(seed); }));
}

TEST_CASE("contract: toy of a critic", "[contract]") {
  Subject critic = subject(
      "toy_critic", [](uint64_t seed) { return std::make_shared<ToyCritic>(seed, generator()); });
  critic.options.optimizers = {{"critic", rmsprop(1e-4)}};
  check_contract(critic);
}

TEST_CASE("contract: a bank of probes", "[contract]") {
  Subject bank{
      .name = "probes",
      .model = [](uint64_t seed) { return std::make_shared<ProbeBank>(seed, table(), kProbes); },
      .train = folds({0, 1, 2}, false),
      .validation = folds({0, 1, 2}, true)};
  check_contract(bank);
}

TEST_CASE("contract: unlikelihood with AdamW", "[contract]") {
  Subject coin = subject("unlikelihood", unlikelihood);
  OptimizerOptions adamw;
  adamw.type = OptimizerType::kAdamW;
  adamw.lr = 5e-4;
  adamw.betas = {0.5, 0.999};
  adamw.weight_decay = 0.01;
  adamw.clip_norm = 5;
  coin.options.optimizers = {{"adamw", adamw}};
  check_contract(coin);
}

TEST_CASE("unlikelihood: the coin is fair, and every batch counts towards epochs", "[contract]") {
  const Subject coin = subject("coin", unlikelihood);
  MemoryHost host;
  Trainer trainer(coin.model(1), suite_options(coin), coin.train, coin.validation, host);
  int64_t tokens = 0;
  for (int64_t step = 0; step < 200; ++step) {
    const Batch batch = coin.train.at("train")->batch(step / 7, step % 7);
    tokens += batch.rows() + batch.field("text.lengths").sum().item<int64_t>();
    trainer.step();
  }
  CHECK(trainer.state().tokens == tokens);
  const auto runs = trainer.state().phase_runs;
  CHECK(runs.at("likelihood") + runs.at("unlikelihood") == 200);
  // Four standard deviations of 200 fair coin flips are 28.
  CHECK(std::abs(runs.at("likelihood") - 100) < 28);
}

TEST_CASE("unlikelihood: each phase is validated on all sentences", "[contract]") {
  const Subject coin = subject("coin", unlikelihood);
  const auto nll = [&](const ChangedStream::Change& change) {
    const DataLoaders validation = changed(coin.validation, change);
    MemoryHost host;
    return Trainer(coin.model(1), suite_options(coin), coin.train, validation, host)
        .validate()
        .terms.at("likelihood/nll");
  };
  const auto batch = [&](int64_t index) { return coin.validation.at("train")->batch(0, index); };
  double sum = 0;
  double targets = 0;
  for (const int64_t index : {0, 1}) {
    const double count =
        static_cast<double>(batch(index).field("text.lengths").sum().item<int64_t>() + 8);
    sum += nll([&](const Batch&) { return batch(index); }) * count;
    targets += count;
  }
  CHECK(nll([](Batch each) { return each; }) == Approx(sum / targets).epsilon(1e-12));
}

TEST_CASE("toy of a critic: it ends at its plateau, whose value follows from the clipping",
          "[contract]") {
  const auto critic = std::make_shared<ToyCritic>(1, generator());
  const DataLoaders whole = {{"train", toy_stream(*critic, "train", 5, 1, 200)}};
  TrainOptions options;
  options.device = "cpu";
  options.stop = {{Period::updates(3000)}};
  options.validate_every = Period::updates(5);
  options.optimizers = {{"critic", rmsprop(2e-4)}};
  MemoryHost host;
  const TrainResult result = Trainer(critic, options, whole, whole, host).train();
  CHECK(result.stopped_by == "plateau");
  CHECK(result.steps < 1000);
  // The optimum over |w| <= c is c sign(mean difference): its distance is c times the absolute sum.
  const Batch batch = whole.at("train")->batch(0, 0);
  const at::Tensor fake = generator()->forward(batch.field("condition"), BatchNormMode::kRunning);
  const at::Tensor difference = (toy_pixels(batch.field("image")) - fake).flatten(1).mean(0);
  const double best = 0.01 * difference.abs().sum().item<double>();
  CHECK(-result.best_objective == Approx(best).epsilon(1e-9));
}

TEST_CASE("probes: a bank equals its probes trained separately", "[contract]") {
  TrainResult together;
  const auto bank = train_probes({0, 1, 2}, together);
  CHECK(together.stopped_by == "tenacity");
  int64_t longest = 0;
  for (size_t k = 0; k < kProbes.size(); ++k) {
    TrainResult alone;
    const auto single = train_probes({static_cast<int64_t>(k)}, alone);
    INFO("probe " << kProbes[k].name);
    CHECK(alone.stopped_by == "tenacity");
    CHECK(distance(bank[k], single[0]) < 1e-10);
    longest = std::max(longest, alone.steps);
  }
  CHECK(together.steps == longest);
}
