#include "tests/contract/contract.h"
#include "tests/contract/toy_adversary.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

Subject toy(const std::string& name, bool batch_norm) {
  Subject subject;
  subject.name = name;
  subject.model = [batch_norm](uint64_t seed) {
    return std::make_shared<ToyAdversary>(seed, batch_norm);
  };
  subject.train = {{"train", std::make_shared<ToyStream>(5, 7, 32)},
                   {"other", std::make_shared<ToyStream>(6, 11, 32)}};
  subject.validation = {{"train", std::make_shared<ToyStream>(7, 2, 8)},
                        {"other", std::make_shared<ToyStream>(8, 3, 8)}};
  OptimizerOptions sgd;
  sgd.type = OptimizerType::kSgd;
  sgd.momentum = 0.5;
  sgd.lr = 0.05;
  sgd.clip_norm = 5;
  OptimizerOptions critic;
  critic.type = OptimizerType::kRmsprop;
  critic.lr = 1e-3;
  critic.clip_norm = 5;
  subject.options.optimizers = {{"sgd", sgd}, {"critic", critic}};
  return subject;
}

}  // namespace

TEST_CASE("contract: toy adversary that is micro-batchable", "[contract]") {
  check_contract(toy("toy_splitting", false));
}

TEST_CASE("contract: toy adversary with batch normalization", "[contract]") {
  check_contract(toy("toy_batch_norm", true));
}

TEST_CASE("contract: toy adversary counts updates of phases and groups separately", "[contract]") {
  const Subject subject = toy("toy_counts", false);
  MemoryHost host;
  Trainer trainer(subject.model(1), suite_options(subject), subject.train, {}, host);
  for (int i = 0; i < 4; ++i) trainer.step();
  const TrainerState& state = trainer.state();
  // Three steps of one round and one of two; the encoder moves in both phases.
  CHECK(state.phase_runs.at("ae") == 4);
  CHECK(state.phase_runs.at("critic") == 25);
  CHECK(state.group_updates.at("encoder") == 29);
  CHECK(state.group_updates.at("decoder") == 4);
}
