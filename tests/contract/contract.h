// Test suite for the properties of all trainable models, given a factory. A model's test:
//
//   TEST_CASE("contract: vae") {
//     check_contract({.name = "vae", .model = [](uint64_t seed) { return ...; },
//                     .train = {{"train", stream}}, .validation = {{"train", stream}}});
//   }
#pragma once

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/decoding/decoder.h"
#include "framework/core/model/capabilities.h"
#include "tests/contract/contract_parts.h"
#include "tests/contract/sentence_vectors.h"

namespace lvtext::testing {

struct Subject {
  std::string name;  ///< unique among the subjects of one test
  std::function<std::shared_ptr<Trainable>(uint64_t seed)> model;
  DataLoaders train;  ///< batches of several rows
  DataLoaders validation;
  TrainOptions options = {};  ///< optimizers and the like; device and periods are the suite's
};

/// LVTEXT_TEST_PRECISION: runs the suite in bf16 instead of fp32.
inline Precision suite_precision() {
  const char* name = std::getenv("LVTEXT_TEST_PRECISION");
  for (const auto& known : enum_names(Precision::kFp32)) {
    if (name != nullptr && name == std::string(known.name)) return known.value;
  }
  return Precision::kFp32;
}

/// LVTEXT_TEST_DEVICE: runs the suite on `cuda` instead of `cpu`.
inline std::string suite_device() {
  const char* name = std::getenv("LVTEXT_TEST_DEVICE");
  return name == nullptr ? "cpu" : name;
}

/// Options of the suite: 20 steps with logs, validations and checkpoints at different steps.
inline TrainOptions suite_options(const Subject& subject) {
  TrainOptions options = subject.options;
  options.device = suite_device();
  options.deterministic = suite_device() == "cuda";
  options.precision = suite_precision();
  options.stop = {{Period::updates(20)}};
  options.log_every = Period::updates(3);
  options.validate_every = Period::updates(6);
  options.save_every = Period::updates(4);
  return options;
}

/// Plain gradient descent: differences of parameters are proportional to those of gradients.
inline TrainOptions descent_options(const Subject& subject) {
  TrainOptions options = suite_options(subject);
  OptimizerOptions plain;
  plain.type = OptimizerType::kSgd;
  plain.lr = 0.1;
  plain.clip_norm = 5;
  options.optimizers = {{"default", plain}};
  return options;
}

/// The float64 weights after some steps.
inline TensorMap after_steps(const Subject& subject, const TrainOptions& options, int64_t steps,
                             const DataLoaders& train, bool split_anyway = false) {
  auto model = subject.model(1);
  to_double(*model);
  std::shared_ptr<Trainable> trained = model;
  if (split_anyway) trained = std::make_shared<SplitAnyway>(model);
  MemoryHost host;
  Trainer trainer(trained, options, train, {}, host);
  for (int64_t i = 0; i < steps; ++i) trainer.step();
  return snapshot(*model);
}

inline void check_steps(const Subject& subject) {
  auto model = subject.model(1);
  MemoryHost host;
  Trainer trainer(model, suite_options(subject), subject.train, subject.validation, host);
  std::set<std::string> names;
  size_t parameters = 0;
  for (const auto& group : model->groups()) {
    CHECK(names.insert(group.name).second);
    parameters += group.params.size();
  }
  CHECK(parameters == model->parameters().size());
  auto updates = trainer.state().group_updates;
  for (int step = 0; step < 3; ++step) {
    const TensorMap before = snapshot(*model);
    trainer.step();
    const TensorMap after = snapshot(*model);
    for (const auto& group : model->groups()) {
      bool has_changed = false;
      for (const auto& [name, value] : group.params) {
        INFO(name);
        CHECK(at::isfinite(value).all().item<bool>());
        has_changed = has_changed || !same_bits(before.at(name), after.at(name));
      }
      INFO("group " << group.name << ", step " << step);
      const auto count = trainer.state().group_updates.find(group.name);
      const int64_t now = count == trainer.state().group_updates.end() ? 0 : count->second;
      CHECK(has_changed == (now > updates[group.name]));
    }
    updates = trainer.state().group_updates;
  }
}

/// Models and other inputs that the model reads but does not train must not change.
inline void check_frozen(const Subject& subject) {
  auto model = subject.model(1);
  MemoryHost host;
  Trainer trainer(model, suite_options(subject), subject.train, subject.validation, host);
  const auto frozen = [&] {
    std::vector<at::Tensor> values;
    for (const auto& module : model->frozen()) {
      for (const auto& value : module->parameters()) values.push_back(value);
      for (const auto& value : module->buffers()) values.push_back(value);
    }
    return values;
  };
  std::vector<at::Tensor> before;
  for (const auto& value : frozen()) before.push_back(value.detach().clone());
  for (int step = 0; step < 3; ++step) trainer.step();
  trainer.validate();
  const auto after = frozen();
  REQUIRE(after.size() == before.size());
  for (size_t i = 0; i < after.size(); ++i) {
    CHECK(same_bits(after[i], before[i]));
    CHECK(!after[i].requires_grad());
    for (const auto& [name, own] : model_tensors(*model)) CHECK(!own.is_same(after[i]));
  }
}

inline void check_validation(const Subject& subject) {
  auto model = subject.model(1);
  MemoryHost host;
  Trainer trainer(model, suite_options(subject), subject.train, subject.validation, host);
  const TensorMap before = snapshot(*model);
  const Evaluation first = trainer.validate();
  require_same(before, snapshot(*model));
  for (const auto& parameter : model->parameters()) CHECK(!parameter.grad().defined());
  CHECK(!first.terms.empty());
  for (const auto& [name, value] : first.terms) {
    INFO(name);
    CHECK(std::isfinite(value));
  }
  CHECK(trainer.validate().terms == first.terms);
}

inline void check_seeds(const Subject& subject) {
  TrainOptions options = suite_options(subject);
  const auto run = [&](uint64_t seed) {
    auto model = subject.model(seed);
    options.seed = static_cast<int64_t>(seed);
    MemoryHost host;
    Trainer trainer(model, options, subject.train, {}, host);
    for (int i = 0; i < 3; ++i) trainer.step();
    return snapshot(*model);
  };
  const TensorMap first = run(1);
  require_same(first, run(1));
  CHECK(distance(first, run(2)) > 0);
}

inline void check_splitting(const Subject& subject) {
  const auto model = subject.model(1);
  bool splits = model->micro_batch_problem().empty();
  for (const auto& phase : model->phases()) {
    for (const auto& term : phase.terms) splits = splits && term.micro_batchable;
  }
  const TrainOptions whole = descent_options(subject);
  TrainOptions parts = whole;
  parts.batch.micro_size = 4;
  const TensorMap expected = after_steps(subject, whole, 2, subject.train);
  if (splits) {
    CHECK(distance(expected, after_steps(subject, parts, 2, subject.train)) < 1e-10);
    return;
  }
  MemoryHost host;
  CHECK_THROWS_AS(Trainer(subject.model(1), parts, subject.train, {}, host), ConfigError);
  // The exemption must be necessary: computing the batch in parts must change the result.
  CHECK(distance(expected, after_steps(subject, parts, 2, subject.train, true)) > 1e-8);
}

inline void check_padding(const Subject& subject) {
  const TrainOptions options = descent_options(subject);
  const TensorMap plain = after_steps(subject, options, 2, subject.train);
  const TensorMap wide = after_steps(subject, options, 2, changed(subject.train, padded));
  CHECK(distance(plain, wide) < 1e-12);
  const auto terms = [&](const DataLoaders& validation) {
    auto model = subject.model(1);
    to_double(*model);
    MemoryHost host;
    return Trainer(model, options, subject.train, validation, host).validate().terms;
  };
  const auto narrow_terms = terms(subject.validation);
  for (const auto& [name, value] : terms(changed(subject.validation, padded))) {
    INFO(name);
    CHECK(value == Approx(narrow_terms.at(name)).epsilon(1e-10).margin(1e-12));
  }
}

inline void check_small_batches(const Subject& subject) {
  const std::map<std::string, ChangedStream::Change> small = {
      {"one row", [](const Batch& batch) { return batch.slice(0, 1); }},
      {"length 1", [](Batch batch) { return shortened(std::move(batch), 1); }},
      {"empty sentences", [](Batch batch) { return shortened(std::move(batch), 0); }},
      {"one empty sentence", [](const Batch& batch) { return shortened(batch.slice(0, 1), 0); }}};
  for (const auto& [what, change] : small) {
    INFO(what);
    auto model = subject.model(1);
    MemoryHost host;
    Trainer trainer(model, suite_options(subject), changed(subject.train, change),
                    changed(subject.validation, change), host);
    trainer.step();
    for (const auto& [name, value] : snapshot(*model)) {
      INFO(name);
      if (value.is_floating_point()) CHECK(at::isfinite(value).all().item<bool>());
    }
    for (const auto& [name, value] : trainer.validate().terms) {
      INFO(name);
      CHECK(std::isfinite(value));
    }
  }
}

/// Trains in `folder`, from its current state to the end or to `until`.
inline void train_in(const Subject& subject, const std::filesystem::path& folder,
                     const DataLoaders& train, int64_t until = -1) {
  RunFolder run(folder);
  FolderHost host(run, Retention{}, "train: {}\n");
  auto model = subject.model(1);
  Trainer trainer(model, suite_options(subject), train, subject.validation, host);
  if (until < 0) {
    trainer.train();
    return;
  }
  trainer.resume();
  while (trainer.state().step < until) trainer.step();
}

/// Checks that both runs have the same weights, moments, counters and log.
inline void require_same_runs(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto first = find_newest_valid(a / "checkpoints").newest;
  const auto second = find_newest_valid(b / "checkpoints").newest;
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->step == second->step);
  require_same(first->contents.model, second->contents.model);
  REQUIRE(first->contents.optimizers.size() == second->contents.optimizers.size());
  for (const auto& [name, moments] : first->contents.optimizers) {
    require_same(moments, second->contents.optimizers.at(name));
  }
  auto left = first->contents.state;
  auto right = second->contents.state;
  left.erase("seconds");
  right.erase("seconds");
  CHECK(left == right);
  CHECK(read_file(a / "log.jsonl") == read_file(b / "log.jsonl"));
}

/// Runs the tasks of child processes; true if this process is a child.
inline bool run_as_child(const Subject& subject) {
  const std::string task = child_task();
  const std::string kill = subject.name + "|kill|";
  const std::string stop = subject.name + "|stop|";
  if (task.starts_with(kill)) {
    train_in(subject, task.substr(kill.size()), subject.train, 10);
    ::kill(::getpid(), SIGKILL);
  }
  if (task.starts_with(stop)) {
    const StopSignals signals;
    const DataLoaders slow = changed(subject.train, [](Batch batch) {
      std::this_thread::sleep_for(std::chrono::milliseconds(40));
      return batch;
    });
    try {
      train_in(subject, task.substr(stop.size()), slow);
    } catch (const Interrupted& interrupted) {
      std::_Exit(static_cast<int>(interrupted.code()));
    }
    std::_Exit(0);
  }
  return !task.empty();
}

inline void check_resumption(const Subject& subject) {
  const TemporaryFolder folder;
  train_in(subject, folder / "whole", subject.train);

  train_in(subject, folder / "halves", subject.train, 10);
  train_in(subject, folder / "halves", subject.train);
  require_same_runs(folder / "whole", folder / "halves");

  const int killed = wait_for(start_child(subject.name + "|kill|" + (folder / "kill").string()));
  REQUIRE(WIFSIGNALED(killed));
  REQUIRE(WTERMSIG(killed) == SIGKILL);
  train_in(subject, folder / "kill", subject.train);
  require_same_runs(folder / "whole", folder / "kill");

  const pid_t child = start_child(subject.name + "|stop|" + (folder / "stop").string());
  const auto log = folder / "stop/log.jsonl";
  for (int i = 0; i < 2000; ++i) {
    std::error_code absent;
    if (std::filesystem::file_size(log, absent) > 0 && !absent) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(child, SIGTERM);
  const int stopped = wait_for(child);
  REQUIRE(WIFEXITED(stopped));
  CHECK(WEXITSTATUS(stopped) == static_cast<int>(Exit::kInterrupted));
  const auto saved = find_newest_valid(folder / "stop/checkpoints").newest;
  REQUIRE(saved);
  CHECK(saved->step > 0);
  train_in(subject, folder / "stop", subject.train);
  require_same_runs(folder / "whole", folder / "stop");
}

/// An untrained model in the form used by decoding.
struct DecodedModel {
  std::shared_ptr<Trainable> model;
  NextTokenModel* decoder = nullptr;  // the same model; null if it does not generate text
  at::Tensor z = {};                  // [N, Z]; undefined without a latent vector
};

/// N = 4 prompts of different lengths; models without a start symbol read no empty ones.
inline std::vector<TokenIds> prompts_of(const NextTokenModel& decoder) {
  return {{5, 6, 7, 8}, {9}, decoder.start_symbol() ? TokenIds{} : TokenIds{11}, {10, 4}};
}

inline DecodedModel decoded_model(const Subject& subject) {
  DecodedModel result{subject.model(1)};
  result.model->eval();
  result.decoder = dynamic_cast<NextTokenModel*>(result.model.get());
  auto* encoder = dynamic_cast<Encoder*>(result.model.get());
  const at::NoGradGuard no_grad;
  auto* transfer = dynamic_cast<StyleTransfer*>(result.model.get());
  const Tokens sentences = pad_sentences({{4, 9, 5}, {7}, {8, 8}, {6, 10, 4, 11}});
  if (encoder) result.z = encoder->encode(sentences);
  if (auto* given = dynamic_cast<VectorDecoder*>(result.model.get())) {
    result.z = normal_step({.seed = 6}, {4, given->vector_size()}, at::kFloat);
  }
  if (transfer) {
    const at::Tensor from = at::zeros({4}, at::kLong);
    result.z = transfer->encode_for(sentences, from, from + 1);
  }
  return result;
}

inline at::Tensor rows_of(const at::Tensor& z, const at::Tensor& index) {
  return z.defined() ? z.index_select(0, index) : z;
}

/// Rows of a state are copied bit for bit, and a state with selected and repeated rows equals one
/// that was started with them.
inline void check_selected_rows(const Subject& subject) {
  const auto [model, decoder, z] = decoded_model(subject);
  if (decoder == nullptr) return;
  const at::NoGradGuard no_grad;
  const auto ids = [](std::vector<int64_t> values) { return at::tensor(values, at::kLong); };
  const at::Tensor bos = ids({kBos, kBos, kBos, kBos}), first = ids({5, 6, 7, 8});
  // Reorder twice. The last bits of a matrix product depend on the position of a row in the
  // batch, so each row must be in its original position before it is stepped.
  const auto moved = decoder->start({4, z});
  const auto unmoved = decoder->start({4, z});
  for (const at::Tensor& next : {bos, first, ids({9, 4, 10, 9})}) {
    moved->select_rows(ids({2, 0, 0, 3, 1, 3}));
    moved->select_rows(ids({2, 4, 0, 5}));
    CHECK(same_bits(decoder->step(*moved, next), decoder->step(*unmoved, next)));
  }
  // More rows than before, then fewer: copies of a row do not affect each other.
  const at::Tensor index = ids({3, 1, 1, 0, 2, 3, 1});
  const auto selected = decoder->start({4, z});
  const auto separate = decoder->start({7, rows_of(z, index)});
  decoder->step(*selected, first);
  decoder->step(*separate, first.index_select(0, index));
  selected->select_rows(index);
  const auto check_equal = [&, &stepped = *decoder](const at::Tensor& next) {
    const at::Tensor scores = stepped.step(*selected, next);
    CHECK(at::allclose(scores, stepped.step(*separate, next), 1e-5, 1e-5));
  };
  check_equal(ids({4, 9, 11, 5, 6, 4, 10}));
  check_equal(ids({7, 7, 7, 7, 7, 7, 7}));
  selected->select_rows(ids({6, 2}));
  separate->select_rows(ids({6, 2}));
  check_equal(ids({4, 5}));
}

/// A state started with prompts equals the state after stepping through each of them.
inline void check_prompts(const Subject& subject) {
  const auto [model, decoder, z] = decoded_model(subject);
  if (decoder == nullptr) return;
  const at::NoGradGuard no_grad;
  const std::vector<TokenIds> prompts = prompts_of(*decoder);
  const std::optional<int32_t> symbol = decoder->start_symbol();
  const auto primed = decoder->start({4, z, pad_sentences(prompts)});
  std::vector<int64_t> last;
  for (const TokenIds& prompt : prompts) last.push_back(prompt.empty() ? *symbol : prompt.back());
  const at::Tensor scores = decoder->step(*primed, at::tensor(last, at::kLong));
  const at::Tensor later = decoder->step(*primed, at::full({4}, 6, at::kLong));
  for (int64_t row = 0; row < 4; ++row) {
    INFO("prompt " << row);
    const auto stepped = decoder->start({1, z.defined() ? z.narrow(0, row, 1) : z});
    at::Tensor expected;
    if (symbol) expected = decoder->step(*stepped, at::full({1}, *symbol, at::kLong));
    for (const int32_t id : prompts[row]) {
      expected = decoder->step(*stepped, at::full({1}, id, at::kLong));
    }
    CHECK(at::allclose(scores[row], expected[0], 1e-4, 1e-5));
    expected = decoder->step(*stepped, at::full({1}, 6, at::kLong));
    CHECK(at::allclose(later[row], expected[0], 1e-4, 1e-5));
  }
}

/// Beam search with a beam of one equals greedy decoding, and log probabilities equal TextScorer's.
inline void check_beam_search(const Subject& subject) {
  const auto [model, decoder, z] = decoded_model(subject);
  if (decoder == nullptr) return;
  const at::Tensor ids = at::arange(4, at::kLong);
  const std::vector<TokenIds> prompts =
      decoder->start_symbol() ? std::vector<TokenIds>(4) : prompts_of(*decoder);
  const Decoded greedy = decode(*decoder, z, ids, {}, {{}, 8, kDecodeBatch}, prompts);
  const Decoded one =
      decode(*decoder, z, ids, {}, {BeamOptions{.width = 1}, 8, kDecodeBatch}, prompts);
  CHECK(one.sentences == greedy.sentences);
  auto* scorer = dynamic_cast<TextScorer*>(model.get());
  if (scorer == nullptr) return;
  const BeamOptions beam{.width = 20, .length_norm = 0, .n_best = 10};
  const Decoded found = decode(*decoder, z, ids, {}, {beam, 4, kDecodeBatch}, prompts);
  int64_t compared = 0;
  for (int64_t row = 0; row < 4; ++row) {
    const at::Tensor of_row = z.defined() ? z.narrow(0, row, 1) : z;
    for (const Hypothesis& each : found.hypotheses[row]) {
      if (decoder->ends() && !each.ended) continue;
      ++compared;
      TokenIds text = prompts[row];
      text.insert(text.end(), each.tokens.begin(), each.tokens.end());
      const double nats =
          scorer->score(pad_sentences({text}), of_row).item<double>() -
          (prompts[row].empty()
               ? 0
               : scorer->score(pad_sentences({prompts[row]}), of_row).item<double>());
      CHECK(each.log_probability == Approx(-nats).epsilon(1e-4));
    }
  }
  CHECK(compared >= 4);
}

inline void check_vectors(const Subject& subject) {
  const auto model = subject.model(1);
  model->eval();
  auto* embedder = dynamic_cast<SentenceEmbedder*>(model.get());
  if (embedder) check_sentence_vectors(*embedder);
}

/// Runs the whole suite: seconds for a small model; use a separate TEST_CASE.
inline void check_contract(const Subject& subject) {
  if (run_as_child(subject)) return;
  INFO("model " << subject.name);
  SECTION(subject.name + ": a step changes only the groups of its phases") {
    check_steps(subject);
  }
  SECTION(subject.name + ": frozen inputs do not change") {
    check_frozen(subject);
  }
  SECTION(subject.name + ": validation has no side effects") {
    check_validation(subject);
  }
  SECTION(subject.name + ": results depend only on the seed") {
    check_seeds(subject);
  }
  SECTION(subject.name + ": micro-batches give the gradient of the batch") {
    check_splitting(subject);
  }
  SECTION(subject.name + ": padding does not change results") {
    check_padding(subject);
  }
  SECTION(subject.name + ": one row, one token, no tokens") {
    check_small_batches(subject);
  }
  SECTION(subject.name + ": rows of a decoding state can be selected and repeated") {
    check_selected_rows(subject);
  }
  SECTION(subject.name + ": starting with a prompt equals stepping through it") {
    check_prompts(subject);
  }
  SECTION(subject.name + ": beam search agrees with greedy decoding and scoring") {
    check_beam_search(subject);
  }
  SECTION(subject.name + ": vectors do not depend on other sentences or padding") {
    check_vectors(subject);
  }
  SECTION(subject.name + ": a killed and resumed run equals an uninterrupted one") {
    check_resumption(subject);
  }
}

}  // namespace lvtext::testing
