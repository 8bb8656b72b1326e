// MoverScore: features of tokens, distances, the evaluator.
#include <ATen/ATen.h>

#include <cmath>

#include "evaluators/mover/mover_distance.h"
#include "evaluators/mover/mover_evaluator.h"
#include "framework/core/base/error.h"
#include "framework/core/options/json.h"
#include "framework/core/options/yaml.h"
#include "framework/core/text/words.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

at::Tensor values(std::initializer_list<double> list, at::IntArrayRef shape) {
  return at::tensor(at::ArrayRef<double>(list.begin(), list.size()), at::kDouble).view(shape);
}

WeightedVectors reference_of(std::vector<double> weights = {1, 1, 1}) {
  return {at::eye(3, at::kDouble), std::move(weights)};
}

WeightedVectors hypothesis_of(std::vector<double> weights = {1, 1}) {
  const double half = std::sqrt(0.5);
  return {values({half, half, 0, 0, 0, 1}, {2, 3}), std::move(weights)};
}

/// Words with a vector each; "none" has no vector.
struct Table : Model, WordVectors {
  at::Tensor vectors() const override {
    at::Tensor table = at::zeros({8, 3});
    table.narrow(0, 4, 3).copy_(at::eye(3));
    return table;
  }
};

/// Vectors of tokens that depend on the sentence's length, in two layers, with BOS.
struct Contextual : Model, TokenEmbedder {
  int64_t token_layers() const override { return 2; }
  TokenVectors token_vectors(const Tokens& sentences, int64_t layers) override {
    const Tokens read = {with_bos(sentences, 1), sentences.lengths + 1};
    const at::Tensor last =
        at::one_hot(read.ids, 8).to(at::kFloat) + 0.1 * read.lengths.view({-1, 1, 1});
    const at::Tensor first = at::one_hot(read.ids + 0, 8).to(at::kFloat);
    return {layers == 2 ? at::stack({first, last}) : last.unsqueeze(0), read};
  }
};

LoadedModel loaded(std::shared_ptr<Model> model) {
  return {.component = "toy",
          .model = std::move(model),
          .identity = "aaaaaaaa",
          .tokenizer = std::make_shared<const Words>(
              std::vector<std::string>{"a", "b", ".", "none"}, WordEncoding{})};
}

Score mover(const std::string& options, const std::vector<std::string>& outputs,
            const std::vector<std::string>& references,
            std::shared_ptr<Model> model = std::make_shared<Table>()) {
  Inputs inputs;
  inputs.add("embedder", loaded(std::move(model)));
  inputs.add("outputs", Text(outputs));
  inputs.add("references", Text(references));
  return MoverEvaluator(parse_options_or_throw<MoverOptions>(parse_yaml_or_throw(options)))
      .evaluate(inputs)
      .front();
}

}  // namespace

TEST_CASE("mover: the numeric cases of distances", "[evaluators]") {
  Transport transport;
  CHECK(mover_distance(reference_of(), hypothesis_of(), true, transport) ==
        Approx(0.6262265521).margin(1e-10));
  const double plain = mover_distance(reference_of(), hypothesis_of(), false, transport);
  CHECK(plain == Approx(0.6183856928).margin(1e-10));
  CHECK(1 / (1 + plain) == Approx(0.6178996790).margin(1e-10));
  CHECK(mover_distance(reference_of({2, 1, 1}), hypothesis_of({1, 3}), true, transport) ==
        Approx(1.1464466094).margin(1e-10));
  // One optimal flow is ((1/3, 0), (1/6, 1/6), (0, 1/3)); rows 1 and 2 have equal costs.
  const std::vector<double> costs = {2 - std::sqrt(2.0), 2, 2 - std::sqrt(2.0), 2, 2, 0};
  CHECK(transport.cost(costs, std::vector<double>(3, 1.0 / 3), std::vector<double>(2, 0.5)) ==
        Approx(0.6262265521).margin(1e-10));
  CHECK(std::isnan(mover_distance(reference_of({0, 0, 0}), hypothesis_of(), true, transport)));
}

TEST_CASE("mover: features of layers and runs of tokens", "[evaluators]") {
  const at::Tensor features = layer_features(values({1, 0, 0.6, 0.8, 0, 1}, {3, 1, 2}));
  CHECK(features.allclose(values({0, 0, 0.53333333, 0.6, 1, 1}, {1, 6}), 0, 1e-8));
  const WeightedVectors one = token_runs({features, {1}}, 1);
  CHECK(one.vectors.allclose(values({0, 0, 0.32796782, 0.36896380, 0.61493967, 0.61493967}, {1, 6}),
                             0, 1e-8));
  CHECK(one.weights == std::vector<double>{1});
  const WeightedVectors two = token_runs({at::eye(3, at::kDouble), {1, 3, 1}}, 2);
  CHECK(two.weights == std::vector<double>{4, 4});
  CHECK(two.vectors.allclose(
      values({0.25, 0.75, 0, 0, 0.75, 0.25}, {2, 3}) / (std::sqrt(0.625) + 1e-6), 0, 1e-12));
  // A shorter text is one run.
  CHECK(token_runs({at::eye(2, at::kDouble), {1, 1}}, 5).weights == std::vector<double>{2});
}

TEST_CASE("mover: equal texts score 100, others less, empty ones 0", "[evaluators]") {
  CHECK(mover("{}", {"a b", "b"}, {"a b", "b"}).value == Approx(100).margin(1e-3));
  // Orthogonal unit vectors: squared distance 2, distance sqrt 2.
  CHECK(mover("{}", {"a"}, {"b"}).value == Approx(-100).margin(1e-3));
  CHECK(mover("{version: v2}", {"a"}, {"b"}).value ==
        Approx(100 / (1 + std::sqrt(2.0))).margin(1e-3));
  CHECK(mover("{}", {"a b"}, {"b a"}).value == Approx(100).margin(1e-3));
  const Score empty = mover("{}", {"", "a"}, {"a", "a"});
  CHECK(empty.value == Approx(50).margin(1e-3));
  CHECK(empty.notes.size() == 1);
  // Words without a vector are left out; with v1's filters, punctuation is.
  CHECK(mover("{}", {"a none"}, {"a"}).value == Approx(100).margin(1e-3));
  CHECK(mover("{}", {"a ."}, {"a"}).value == Approx(0).margin(1e-3));
  CHECK(mover("{punctuation: false}", {"a ."}, {"a"}).value == Approx(100).margin(1e-3));
  CHECK(mover("{stop_words: [b]}", {"a b"}, {"a"}).value == Approx(100).margin(1e-3));
  CHECK(mover("{}", {"a"}, {"a"}).signature.find("|static:toy") != std::string::npos);
  CHECK(mover("{}", {"a"}, {"a"}).title == "Mover (static)");
}

TEST_CASE("mover: contextual vectors, layers, idf", "[evaluators]") {
  const auto model = std::make_shared<Contextual>();
  CHECK(mover("{layers: 2}", {"a b", "b"}, {"a b", "b"}, model).value == Approx(100).margin(1e-3));
  CHECK(mover("{layers: 1}", {"a b"}, {"a"}, model).value < 100);
  CHECK(mover("{layers: 2}", {"a"}, {"a"}, model).signature.find("|layers:2") != std::string::npos);
  CHECK_THROWS_WITH(mover("{}", {"a"}, {"a"}, model), Contains("layers is 5, but 'toy' has 2"));
  // An empty text is BOS only.
  CHECK(mover("{layers: 1}", {""}, {""}, model).value == Approx(100).margin(1e-3));
  // N = 3: df 2 -> log(4 / 3), so "b" (df 1) counts more than "a" (df 2).
  const std::vector<std::string> texts = {"a b", "a", "."};
  const Score idf = mover("{weights: idf}", {"a", "a", "."}, {"a b", "a", "."});
  const double wa = std::log(4.0 / 3), wb = std::log(4.0 / 2);
  CHECK(wa == Approx(0.2876820725));
  CHECK(std::log(4.0) == Approx(1.3862943611));
  CHECK(idf.value == Approx((100 * (1 - 2 * wb / (wa + wb)) + 200) / 3).margin(1e-3));
}
