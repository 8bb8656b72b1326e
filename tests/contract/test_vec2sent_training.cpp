// Trainings of the decoder of sentence embeddings: resumed in each optimizer, and learned by heart.
#include <cmath>

#include "framework/core/decoding/decoder.h"
#include "framework/core/options/json.h"
#include "framework/core/options/yaml.h"
#include "models/vec2sent/vec2sent.h"
#include "tests/contract/contract.h"
#include "tests/contract/toy_parts.h"
#include "trainers/memory_training.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

Vec2SentOptions decoder_options(const std::string& yaml) {
  return parse_options_or_throw<Vec2SentOptions>(parse_yaml_or_throw(yaml));
}

}  // namespace

TEST_CASE("vec2sent: resumed trainings are equal with each optimizer and all regularization",
          "[contract]") {
  // With ASGD, averaging starts before, at and after the step of the kill, 10.
  for (
      const char* optimizer :
      {"{type: adam, lr: 1e-3, clip_norm: 1}", "{type: sgd, lr: 0.5, clip_norm: 0.25}",
       "{type: asgd, lr: 0.5, lambda: 0, clip_norm: 0.25, t0: 5}",
       "{type: asgd, lr: 0.5, lambda: 0, clip_norm: 0.25, t0: 10}",
       "{type: asgd, lr: 0.5, lambda: 0, clip_norm: 0.25, t0: 15}",
       "{type: asgd, lr: 0.5, lambda: 0, weight_decay: 1e-6, t0: {type: non_monotonic, patience: 1}}"}) {
    Subject subject;
    subject.name = std::string("vec2sent ") + optimizer;
    subject.model = [](uint64_t seed) {
      return std::make_shared<Vec2Sent>(
          decoder_options("{size: small, embedding: 6, rates: intended, ar: 2, tar: 1}"),
          model_inputs(13, seed));
    };
    subject.train = toy_streams(*subject.model(1), 5, 7, 32);
    subject.validation = toy_streams(*subject.model(1), 7, 2, 8);
    subject.options = read_train_options(
        parse_yaml_or_throw(std::string("{optimizers: {default: ") + optimizer + "}}"));
    if (run_as_child(subject)) continue;
    INFO(subject.name);
    check_resumption(subject);
  }
}

namespace {

/// Sentences with a vector each, in batches of 50.
class GivenLines : public DataLoader {
 public:
  GivenLines(std::vector<TokenIds> sentences, at::Tensor vectors)
      : sentences_(std::move(sentences)), vectors_(std::move(vectors)) {}
  int64_t batches(int64_t) const override { return std::ssize(sentences_) / 50; }
  Batch batch(int64_t, int64_t index) const override {
    const auto first = sentences_.begin() + 50 * index;
    const Tokens tokens = pad_sentences({first, first + 50});
    return {at::arange(50 * index, 50 * index + 50),
            {{"text", tokens.ids},
             {"text.lengths", tokens.lengths},
             {"embedding", vectors_.narrow(0, 50 * index, 50)}}};
  }

 private:
  std::vector<TokenIds> sentences_;
  at::Tensor vectors_;
};

}  // namespace

TEST_CASE("vec2sent: a thousand sentences are learned by heart", "[contract][long]") {
  std::vector<TokenIds> sentences;
  for (uint64_t i = 0; i < 1000; ++i) {
    TokenIds& sentence = sentences.emplace_back();
    for (uint64_t k = 0; k < 3 + i % 4; ++k) {
      const double u = uniform_step({.seed = i, .step = k}, {1}, at::kDouble).item<double>();
      sentence.push_back(4 + static_cast<int32_t>(u * 36));
    }
  }
  // The vectors of a random recurrent encoder, which keeps the order.
  const at::Tensor table = normal_step({.seed = 1}, {40, 32}, at::kFloat);
  const at::Tensor turn = normal_step({.seed = 2}, {32, 32}, at::kFloat) / std::sqrt(32.0);
  std::vector<at::Tensor> rows;
  for (const TokenIds& sentence : sentences) {
    at::Tensor h = at::zeros({32});
    for (const int32_t id : sentence) h = at::tanh(at::mv(turn, h) * 1.2 + table[id] * 0.5);
    rows.push_back(h);
  }
  const at::Tensor vectors = at::stack(rows);
  ModelInputs inputs{.seed = 3};
  inputs.streams["train"] = {{.name = "text", .vocabulary = usual_vocabulary(40)},
                             {.name = "embedding", .kind = ColumnKind::kVector, .shape = {32}}};
  const auto model = std::make_shared<Vec2Sent>(
      decoder_options(
          "{layers: 2, hidden: 128, hidden_last: 96, experts: 2, embedding: 32, dropout: "
          "{words: 0, between: 0, weights: 0}}"),
      inputs);
  const auto lines = std::make_shared<GivenLines>(sentences, vectors / vectors.std());
  const TrainOptions train = read_train_options(parse_yaml_or_throw(
      "{device: cpu, stop: 60e, optimizers: {default: {type: adam, lr: 4e-3, clip_norm: 1, "
      "schedule: {type: linear, constant: 0.5}}}}"));
  train_in_memory(model, train, {{"train", lines}}, {});
  const Decoded decoded =
      decode(*model, vectors / vectors.std(), at::arange(1000), {}, {.policy = PolicyOptions{}});
  int64_t same = 0;
  for (size_t i = 0; i < sentences.size(); ++i) same += decoded.sentences[i] == sentences[i];
  CHECK(same > 950);
}
