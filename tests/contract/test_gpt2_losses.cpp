// GPT-2 with each of its losses, on running text and on dialogues.
#include "framework/core/options/yaml.h"
#include "models/gpt2/gpt2.h"
#include "tests/contract/contract.h"
#include "tests/contract/toy_parts.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

const std::string kSequenceUnlikelihood =
    "{type: unlikelihood, prefix: 2, completion: 5, ngram: 2}";
const std::vector<std::string> kGpt2Losses = {"{type: nll}", "{type: entmax, alpha: 1.5}",
                                              kSequenceUnlikelihood,
                                              "{type: unlikelihood, level: token}"};

Gpt2Options gpt2_options(const std::string& loss) {
  return parse_options_or_throw<Gpt2Options>(parse_yaml_or_throw(
      "{layers: 2, heads: 2, width: 8, positions: 24, loss: " + loss + "}", "options"));
}

/// On a vocabulary without special tokens, with `rows` texts in a batch.
Subject gpt2_subject(const std::string& loss, int64_t rows) {
  Subject subject;
  subject.name = "gpt2 " + loss;
  subject.model = [options = gpt2_options(loss)](uint64_t seed) {
    return std::make_shared<Gpt2>(options, model_inputs(Vocabulary{.size = 13}, seed));
  };
  subject.train = toy_streams(*subject.model(1), 5, 7, rows);
  subject.validation = toy_streams(*subject.model(1), 7, 2, 8);
  return subject;
}

/// Kills its process when it has generated `tokens` tokens of each text. Only the phase
/// "unlikelihood" of a training generates.
class KilledGpt2 : public Gpt2 {
 public:
  KilledGpt2(const Gpt2Options& options, const ModelInputs& inputs, int64_t tokens)
      : Gpt2(options, inputs), left_(tokens) {}
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    at::Tensor scores = Gpt2::step(state, ids);
    if (--left_ == 0) ::kill(::getpid(), SIGKILL);
    return scores;
  }

 private:
  int64_t left_;
};

}  // namespace

TEST_CASE("contract: gpt2 with each loss, without special tokens", "[contract]") {
  for (const std::string& loss : kGpt2Losses) check_contract(gpt2_subject(loss, 32));
}

TEST_CASE("contract: gpt2 killed during unlikelihood resumes as an uninterrupted run",
          "[contract]") {
  const Subject subject = gpt2_subject(kSequenceUnlikelihood, 32);
  if (const std::string task = child_task(); !task.empty()) {  // TOKENS|FOLDER
    Subject killed = subject;
    killed.model = [tokens = std::stoll(task)](uint64_t seed) {
      return std::make_shared<KilledGpt2>(gpt2_options(kSequenceUnlikelihood),
                                          model_inputs(Vocabulary{.size = 13}, seed), tokens);
    };
    train_in(killed, task.substr(task.find('|') + 1), subject.train);
    return;
  }
  const TemporaryFolder folder;
  train_in(subject, folder / "whole", subject.train);
  // About ten of the 20 updates have the phase, with 5 tokens each. Moments in the first five of
  // them, from the fixed seed 46: before and after the first checkpoints, which are every 4
  // updates.
  const at::Tensor moments =
      (uniform_step({.seed = 46}, {5}, at::TensorOptions(at::kDouble)) * 25).to(at::kLong) + 1;
  for (int64_t i = 0; i < moments.size(0); ++i) {
    const std::string tokens = std::to_string(moments[i].item<int64_t>());
    INFO("killed after " << tokens << " tokens");
    const auto run = folder / std::to_string(i);
    const int killed = wait_for(start_child(tokens + "|" + run.string()));
    REQUIRE(WIFSIGNALED(killed));
    REQUIRE(WTERMSIG(killed) == SIGKILL);
    train_in(subject, run, subject.train);
    require_same_runs(folder / "whole", run);
  }
}

TEST_CASE("contract: gpt2 in 8 parts of one text equals 2 parts of 4 texts", "[contract]") {
  // Per transition, over texts of different lengths: means of parts would not give the same.
  for (const std::string& loss : kGpt2Losses) {
    INFO("loss " << loss);
    const Subject subject = gpt2_subject(loss, 8);
    for (const Phase& phase : subject.model(1)->phases()) {
      if (phase.name != "lm") continue;
      for (const LossTerm& term : phase.terms) {
        CHECK(term.denominator == Denominator::kTransitions);
      }
    }
    const auto trained = [&](int64_t micro_size, int64_t steps) {
      TrainOptions options = descent_options(subject);
      options.batch.micro_size = micro_size;
      return after_steps(subject, options, steps, subject.train);
    };
    const TensorMap singles = trained(1, 4);
    CHECK(distance(singles, trained(4, 4)) < 1e-10);
    CHECK(distance(singles, trained(0, 4)) < 1e-10);
    CHECK(distance(singles, trained(1, 0)) > 1e-6);
  }
}

TEST_CASE("contract: gpt2 on replies of dialogues", "[contract]") {
  for (const char* more : {"dialogue: {}", "loss: {type: entmax, alpha: 1.5}, dialogue: {}",
                           "dialogue: {padded: 24}"}) {
    const auto options = parse_options_or_throw<Gpt2Options>(parse_yaml_or_throw(
        std::string("{layers: 2, heads: 2, width: 8, positions: 24, ") + more + "}", "options"));
    Subject subject;
    subject.name = std::string("gpt2 ") + more;
    subject.model = [options](uint64_t seed) {
      return std::make_shared<Gpt2>(
          options, model_inputs(Vocabulary{.size = 13, .bos = 1, .eos = 2, .pad = 0}, seed));
    };
    subject.train = toy_streams(*subject.model(1), 5, 7, 32);
    subject.validation = toy_streams(*subject.model(1), 7, 2, 8);
    check_contract(subject);
  }
}
