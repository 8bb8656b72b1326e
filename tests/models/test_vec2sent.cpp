// The decoder of sentence embeddings: numeric cases, dropout, likelihoods, an overfit training.
#include "models/vec2sent/vec2sent.h"

#include <ATen/ATen.h>

#include <cmath>
#include <map>

#include "framework/core/base/error.h"
#include "framework/core/options/json.h"
#include "framework/core/options/option_error.h"
#include "framework/core/options/yaml.h"
#include "tests/catch.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

Vec2SentOptions options(const std::string& yaml) {
  return parse_options_or_throw<Vec2SentOptions>(parse_yaml_or_throw(yaml));
}

const std::string kNoDropout =
    "dropout: {words: 0, input: 0, between: 0, output: 0, latent: 0, weights: 0}";

/// A text with this vocabulary and vectors of this width.
ModelInputs text_and_vectors(const Vocabulary& vocabulary, int64_t width) {
  ModelInputs inputs{.seed = 3};
  inputs.streams["train"] = {{.name = "text", .vocabulary = vocabulary},
                             {.name = "embedding", .kind = ColumnKind::kVector, .shape = {width}}};
  return inputs;
}

class GivenVectors : public Model, public WordVectors {
 public:
  explicit GivenVectors(at::Tensor vectors) : vectors_(std::move(vectors)) {}
  at::Tensor vectors() const override { return vectors_; }

 private:
  at::Tensor vectors_;
};

ModelInputs with_word_vectors(ModelInputs inputs, const at::Tensor& vectors) {
  inputs.models["word_vectors"] = {.component = "word_vectors",
                                   .model = std::make_shared<GivenVectors>(vectors)};
  return inputs;
}

at::Tensor values(std::initializer_list<double> list, at::IntArrayRef shape) {
  return at::tensor(at::ArrayRef<double>(list.begin(), list.size()), at::kDouble).view(shape);
}

/// w[i][j] = scale * (((a i + j) mod m) - shift).
at::Tensor pattern(int64_t rows, int64_t columns, double scale, int64_t a, int64_t m,
                   int64_t shift) {
  at::Tensor w = at::zeros({rows, columns}, at::kDouble);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      w[i][j] = scale * static_cast<double>((a * i + j) % m - shift);
    }
  }
  return w;
}

Batch batch_with(const std::vector<TokenIds>& sentences, int64_t width) {
  Batch batch = text_batch(sentences);
  batch.fields["embedding"] = normal_step({.seed = 9}, {batch.rows(), width}, at::kFloat);
  return batch;
}

}  // namespace

TEST_CASE("vec2sent: two steps match the numeric case", "[vec2sent]") {
  const Vocabulary vocabulary{.size = 3, .bos = 0, .eos = 2};
  Vec2Sent model(
      options("{layers: 1, hidden_last: 2, experts: 2, embedding: 2, " + kNoDropout + "}"),
      text_and_vectors(vocabulary, 1));
  model.to(at::kDouble);
  const at::Tensor w_ih = pattern(8, 3, 0.1, 3, 7, 3);
  const std::map<std::string, at::Tensor> given = {
      {"words", values({1, 0, 0, 1, -1, 0.5}, {3, 2})},
      {"layer_0.weight_ih_l0", w_ih.narrow(1, 0, 2)},
      {"layer_0.context_weight", w_ih.narrow(1, 2, 1)},
      {"layer_0.weight_hh_l0", pattern(8, 2, 0.05, 2, 5, 2)},
      {"layer_0.bias_ih_l0", at::arange(8, at::kDouble) * 0.01},
      {"layer_0.bias_hh_l0", at::zeros({8}, at::kDouble)},
      {"to_latent.weight", values({0.2, -0.4, 0.6, 0.1, -0.3, 0.5, 0.7, -0.2}, {4, 2})},
      {"to_latent.bias", values({0.1, 0, -0.1, 0.2}, {4})},
      {"to_prior.weight", at::eye(2, at::kDouble)},
      {"output_bias", values({0, 0.1, -0.1}, {3})}};
  const at::NoGradGuard no_grad;
  for (const auto& item : model.named_parameters()) {
    INFO(item.key());
    REQUIRE(given.contains(item.key()));
    item.value().copy_(given.at(item.key()));
  }
  const at::Tensor context = at::full({1, 1}, 0.5, at::kDouble);
  const auto state = model.start({.rows = 1, .z = context});
  const at::Tensor first = model.step(*state, at::zeros({1}, at::kLong));
  CHECK(first.exp()[0].allclose(values({0.31598843, 0.38460093, 0.29941064}, {3}), 0, 1e-8));
  CHECK(first[0][1].item<double>() == Approx(-0.9555490367).margin(1e-10));
  const at::Tensor second = model.step(*state, at::ones({1}, at::kLong));
  CHECK(second.exp()[0].allclose(values({0.31293257, 0.38806891, 0.29899853}, {3}), 0, 1e-8));
  CHECK(second[0][2].item<double>() == Approx(-1.2073166272).margin(1e-10));
  CHECK(model.score(pad_sentences({{1}}), context).item<double>() ==
        Approx(2.1628656639).margin(1e-10));
}

TEST_CASE("vec2sent: regularization of activations matches the numeric case", "[vec2sent]") {
  // The last layer's outputs of the case cannot be set, so its formulas are compared with those of
  // the outputs that the model has: 2 mean(h^2) and mean((h_t+1 - h_t)^2) over valid steps.
  const at::Tensor h = values({1, 2, 0, -1, 2, 1}, {3, 2});
  CHECK(2 * h.square().mean().item<double>() == Approx(3.6666666667));
  CHECK((h.slice(0, 1) - h.slice(0, 0, 2)).square().mean().item<double>() == Approx(4.5));
  const Vocabulary vocabulary = testing::usual_vocabulary(20);
  Vec2Sent model(options("{size: small, embedding: 6, ar: 2, tar: 1, " + kNoDropout + "}"),
                 text_and_vectors(vocabulary, 4));
  FakeContext context(/*training=*/true);
  const std::vector<TokenIds> sentences = {{4, 5}, {}, {6, 7, 8, 9}};
  const Batch batch = batch_with(sentences, 4);
  const at::NoGradGuard no_grad;
  const Sums sums = model.losses(model.phases()[0], {batch}, context);
  REQUIRE(sums.size() == 3);
  double squares = 0, changes = 0;
  for (int64_t i = 0; i < 3; ++i) {
    // One sentence alone has no padding.
    Batch alone = batch_with({sentences[i]}, 4);
    alone.fields["embedding"] = batch.field("embedding").narrow(0, i, 1);
    const Sums single = model.losses(model.phases()[0], {alone}, context);
    squares += single[1].item<double>();
    changes += single[2].item<double>();
    if (i == 1) CHECK(single[2].item<double>() == 0);
  }
  CHECK(sums[1].item<double>() == Approx(squares).epsilon(1e-5));
  CHECK(sums[2].item<double>() == Approx(changes).epsilon(1e-5));
  const auto terms = model.phases()[0].terms;
  CHECK(terms[1].denominator == Denominator::kTargets);
  CHECK(terms[2].denominator == Denominator::kTokens);
}

TEST_CASE("vec2sent: the likelihood is the product of those of the steps", "[vec2sent]") {
  const std::string type = GENERATE("{size: small, embedding: 6}",
                                    "{type: lstm, size: small, embedding: 6, start: tanh, "
                                    "start_cell: true, layers: 2}");
  const bool given = GENERATE(false, true);
  ModelInputs inputs = text_and_vectors(testing::usual_vocabulary(20), 4);
  if (given) inputs = with_word_vectors(inputs, normal_step({.seed = 2}, {20, 6}, at::kFloat));
  Vec2Sent model(options(type), inputs);
  model.to(at::kDouble);
  for (const auto& module : model.frozen()) module->to(at::kDouble);
  // Sentences of one word, of unknown words only and without words, too.
  const Batch batch = batch_with(eight_sentences(), 4);
  const at::Tensor z = batch.field("embedding").to(at::kDouble);
  const at::Tensor nats = model.score(batch.tokens(), z);
  FakeContext context(/*training=*/false);
  CHECK(total_loss(model, batch, context) == Approx(nats.sum().item<double>()).epsilon(1e-9));
  for (int64_t i = 0; i < batch.rows(); ++i) {
    const auto state = model.start({.rows = 1, .z = z.narrow(0, i, 1)});
    double sum = 0;
    int32_t last = 1;
    TokenIds next = eight_sentences()[i];
    next.push_back(2);
    for (const int32_t id : next) {
      const at::Tensor log_p = model.step(*state, at::full({1}, last, at::kLong));
      CHECK(log_p.exp().sum().item<double>() == Approx(1).epsilon(1e-9));
      sum -= log_p[0][id].item<double>();
      last = id;
    }
    CHECK(nats[i].item<double>() == Approx(sum).epsilon(1e-9));
  }
}

TEST_CASE("vec2sent: a constant table keeps its rows, and two of them are trained", "[vec2sent]") {
  const at::Tensor vectors = normal_step({.seed = 2}, {20, 6}, at::kFloat);
  const ModelInputs inputs =
      with_word_vectors(text_and_vectors(testing::usual_vocabulary(20), 4), vectors);
  Vec2Sent model(options("{size: small}"), inputs);
  const auto table = std::dynamic_pointer_cast<ConstantWords>(model.frozen().at(0));
  REQUIRE(table);
  CHECK(table->weight().slice(0, 3).equal(vectors.slice(0, 3)));
  CHECK(table->weight().slice(0, 1, 3).abs().sum().item<float>() == 0);
  const auto parameters = model.named_parameters();
  CHECK(parameters["words"].sizes() == at::IntArrayRef{2, 6});
  FakeContext context(/*training=*/true);
  model.losses(model.phases()[0], {batch_with(eight_sentences(), 4)}, context)[0].backward();
  for (const auto& item : parameters) {
    INFO(item.key());
    CHECK(item.value().grad().abs().sum().item<float>() > 0);
  }
  CHECK(!table->weight().grad().defined());
  // The rows have the mean norm of the others, in expectation; scaled, all elements have the
  // deviation.
  Vec2Sent scaled(options("{size: small, deviation: 0.3}"), inputs);
  const auto words = std::dynamic_pointer_cast<ConstantWords>(scaled.frozen().at(0))->weight();
  CHECK(at::cat({words.slice(0, 0, 1), words.slice(0, 3)}).std(false).item<float>() ==
        Approx(0.3).epsilon(1e-4));
  Vec2Sent trained(options("{size: small, train_words: true}"), inputs);
  CHECK(trained.named_parameters()["words"].sizes() == at::IntArrayRef{20, 6});
  CHECK(trained.frozen().empty());
  CHECK_THROWS_WITH(
      Vec2Sent(options("{size: small}"),
               with_word_vectors(text_and_vectors(testing::usual_vocabulary(21), 4), vectors)),
      Contains("have 20 rows, but the tokenizer of the text has 21"));
}

TEST_CASE("vec2sent: dropout of weights acts from the second step on", "[vec2sent]") {
  const auto nats = [](const std::string& dropout, uint64_t step, const TokenIds& sentence) {
    Vec2Sent model(
        options("{size: small, embedding: 6, dropout: {words: 0, between: 0, " + dropout + "}}"),
        text_and_vectors(testing::usual_vocabulary(20), 4));
    FakeContext context(/*training=*/true, step);
    return total_loss(model, batch_with({sentence}, 4), context);
  };
  CHECK(nats("weights: 0.5", 1, {}) == nats("weights: 0.5", 2, {}));
  CHECK(nats("weights: 0.5", 1, {4}) != nats("weights: 0.5", 2, {4}));
  CHECK(nats("weights: 0", 1, {4}) == nats("weights: 0", 2, {4}));
  for (const char* each : {"input: 0.5", "output: 0.5", "latent: 0.5"}) {
    const std::string one = std::string("weights: 0, ") + each;
    CHECK(nats(one, 1, {4}) != nats(one, 2, {4}));
    CHECK(nats(one, 1, {4}) == nats(one, 1, {4}));
  }
}

TEST_CASE("vec2sent: the named rates of the authors' code", "[vec2sent]") {
  const auto rates = [](const std::string& yaml) {
    const Vec2SentDropout p = options(yaml).dropout;
    return std::vector<double>{p.words.effective(),  p.input.effective(),  p.between.effective(),
                               p.output.effective(), p.latent.effective(), p.weights.effective()};
  };
  CHECK(rates("{}") == std::vector<double>{0.1, 0, 0.2, 0, 0, 0.5});
  CHECK(rates("{rates: intended}") == std::vector<double>{0.1, 0.55, 0.2, 0.4, 0.29, 0.5});
  CHECK(rates("{type: lstm}") == std::vector<double>{0, 0.2, 0, 0.2, 0, 0});
  CHECK(rates("{rates: intended, dropout: {input: 0.1}}")[1] == 0.1);
  CHECK_THROWS_WITH(options("{type: lstm, experts: 3}"), Contains("has one softmax"));
  CHECK_THROWS_WITH(options("{start_cell: true}"), Contains("options of the type lstm"));
}

TEST_CASE("vec2sent: sizes of the published decoder", "[vec2sent]") {
  // Trainable parameters with 50,000 words, a context of 300, without the two rows of the table.
  const auto count = [](const std::string& yaml, int64_t context) {
    Vec2Sent model(options(yaml),
                   with_word_vectors(text_and_vectors({.size = 50000, .bos = 1, .eos = 2}, context),
                                     at::ones({50000, 300})));
    int64_t sum = 0;
    for (const auto& item : model.named_parameters()) {
      if (item.key() != "words") sum += item.value().numel();
    }
    return sum;
  };
  CHECK(count("{}", 300) == 20444246);
  CHECK(count("{hidden_last: 1024}", 700) == 26684716);
}

TEST_CASE("vec2sent: vectors are required", "[vec2sent]") {
  ModelInputs inputs{.seed = 3};
  inputs.streams["train"] = {{.name = "text", .vocabulary = testing::usual_vocabulary(20)}};
  CHECK_THROWS_WITH(Vec2Sent(options("{size: small}"), inputs), Contains("column 'embedding'"));
  CHECK_THROWS_AS(Vec2Sent(options("{size: small}"), inputs), MissingField);
}
