#include "models/autoencoder/autoencoder.h"

#include <cmath>
#include <map>
#include <string>

#include "framework/core/base/error.h"
#include "framework/core/decoding/decoder.h"
#include "framework/core/options/json.h"
#include "framework/core/options/yaml.h"
#include "framework/core/text/special_ids.h"
#include "tests/catch.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

constexpr int64_t kPieces = 20;

AutoencoderOptions small() {
  AutoencoderOptions options;
  options.size = ModelSize::kSmall;
  return options;
}

// Adam without its fused form: sufficient to check that a model can learn.
void train(Trainable& model, const Batch& batch, int steps, double rate) {
  std::vector<at::Tensor> first, second;
  for (const at::Tensor& p : model.parameters()) {
    first.push_back(at::zeros_like(p));
    second.push_back(at::zeros_like(p));
  }
  for (int t = 1; t <= steps; ++t) {
    FakeContext context(true, t);
    const at::Tensor loss = model.losses(model.phases()[0], {batch}, context)[0] / batch.rows();
    loss.backward();
    at::NoGradGuard no_grad;
    size_t i = 0;
    for (const at::Tensor& p : model.parameters()) {
      first[i].mul_(0.9).add_(p.grad(), 0.1);
      second[i].mul_(0.99).addcmul_(p.grad(), p.grad(), 0.01);
      const at::Tensor scale = (second[i] / (1 - std::pow(0.99, t))).sqrt_().add_(1e-8);
      p.sub_(first[i] / scale, rate / (1 - std::pow(0.9, t)));
      p.grad().zero_();
      ++i;
    }
  }
}

}  // namespace

TEST_CASE("autoencoder: groups contain every parameter once, with its name", "[models]") {
  for (const bool tied : {false, true}) {
    AutoencoderOptions options = small();
    options.decoder.tied = tied;
    options.decoder.z_inject = {ZInject::kInit, ZInject::kConcat, ZInject::kAdd};
    Autoencoder model(options, testing::model_inputs(kPieces, 1));
    std::map<std::string, at::Tensor> grouped;
    for (const auto& group : model.groups()) {
      for (const auto& [name, tensor] : group.params) CHECK(grouped.emplace(name, tensor).second);
    }
    CHECK(grouped.size() == model.named_parameters().size());
    for (const auto& each : model.named_parameters()) {
      REQUIRE(grouped.count(each.key()));
      CHECK(grouped[each.key()].is_same(each.value()));
    }
  }
}

TEST_CASE("autoencoder: equal seeds give equal parameters, different seeds different ones",
          "[models]") {
  Autoencoder a(small(), testing::model_inputs(kPieces, 1)),
      b(small(), testing::model_inputs(kPieces, 1)), c(small(), testing::model_inputs(kPieces, 2));
  const auto x = a.parameters(), y = b.parameters(), z = c.parameters();
  for (size_t i = 0; i < x.size(); ++i) CHECK(at::equal(x[i], y[i]));
  CHECK_FALSE(at::equal(x[0], z[0]));
}

TEST_CASE("autoencoder: a tied output layer of another width is rejected with advice", "[models]") {
  AutoencoderOptions options = small();
  options.decoder.tied = true;
  options.decoder.hidden = 32;
  std::string message;
  try {
    Autoencoder model(options, testing::model_inputs(kPieces, 1));
  } catch (const ConfigError& error) {
    message = error.what();
  }
  CHECK(message.find("set decoder.hidden=64") != std::string::npos);
}

TEST_CASE("autoencoder: latent vectors and scores do not depend on other rows or padding",
          "[models]") {
  for (const CellType cell : {CellType::kLstm, CellType::kGru}) {
    AutoencoderOptions options = small();
    options.latent.kind = LatentKind::kSphere;
    options.encoder.cell = options.decoder.cell = cell;
    Autoencoder model(options, testing::model_inputs(kPieces, 1));
    const auto sentences = eight_sentences();
    const Tokens together = pad_sentences(sentences);
    const at::Tensor z = model.encode(together);
    REQUIRE(z.sizes() == at::IntArrayRef({8, 16}));
    CHECK(at::allclose(z.norm(2, 1), at::ones({8})));
    const at::Tensor nll = model.score(together, z);
    REQUIRE(nll.sizes() == at::IntArrayRef({8}));
    for (int64_t i = 0; i < 8; ++i) {
      const Tokens alone = pad_sentences({sentences[i]});
      CHECK(at::allclose(model.encode(alone)[0], z[i], 1e-5, 1e-6));
      CHECK(at::allclose(model.score(alone, z.narrow(0, i, 1))[0], nll[i], 1e-5, 1e-5));
    }
    FakeContext context(false);
    CHECK(std::abs(total_loss(model, text_batch(sentences), context) - nll.sum().item<double>()) <
          1e-3);
  }
}

TEST_CASE("autoencoder: an empty sentence is read as BOS", "[models]") {
  Autoencoder model(small(), testing::model_inputs(kPieces, 1));
  const at::Tensor z = model.encode(pad_sentences({{}, {static_cast<int32_t>(kBos)}}));
  CHECK(at::allclose(z[0], z[1]));
}

TEST_CASE("autoencoder: scoring and stepping are consistent", "[models]") {
  for (const CellType cell : {CellType::kLstm, CellType::kGru}) {
    AutoencoderOptions options = small();
    options.decoder.cell = cell;
    options.decoder.z_inject = {ZInject::kInit, ZInject::kConcat, ZInject::kAdd};
    Autoencoder model(options, testing::model_inputs(kPieces, 1));
    const Tokens sentence = pad_sentences({{4, 7, 9}});
    const at::Tensor z = model.encode(sentence);
    const auto state = model.start({.rows = 1, .z = z});
    const at::Tensor inputs = with_bos(sentence, kBos)[0];
    const at::Tensor targets = with_eos(sentence, kEos)[0];
    double nats = 0;
    for (int64_t t = 0; t < 4; ++t) {
      const at::Tensor scores = model.step(*state, inputs.narrow(0, t, 1));
      nats -= at::log_softmax(scores, 1)[0][targets[t].item<int64_t>()].item<double>();
    }
    CHECK(std::abs(model.score(sentence, z).item<double>() - nats) < 1e-4);
  }
}

TEST_CASE("autoencoder: dropout 0, no noise and sigma = 0 are exact no-ops", "[models]") {
  const Batch batch = text_batch(eight_sentences());
  AutoencoderOptions options = small();
  options.latent.kind = LatentKind::kSphere;
  options.latent.noise = 0.1;
  Autoencoder model(options, testing::model_inputs(kPieces, 1));
  FakeContext training(true), validation(false);
  training.scheduled = 0;
  CHECK(total_loss(model, batch, training) == total_loss(model, batch, validation));
  training.scheduled = 0.1;
  CHECK(total_loss(model, batch, training) != total_loss(model, batch, validation));
}

TEST_CASE("autoencoder: every kind of dropout is applied only in training", "[models]") {
  const Batch batch = text_batch(eight_sentences());
  for (int kind = 0; kind < 5; ++kind) {
    AutoencoderOptions options = small();
    DecoderOptions& d = options.decoder;
    if (kind == 0) d.dropout = 0.6;
    if (kind == 1) d.dropout = 0.6, d.mask_cell = d.mask_initial_state = true;
    if (kind == 2) d.embedding_dropout = d.output_dropout = 0.5;
    if (kind == 3) d.word_dropout = 0.5;
    if (kind == 4) d.word_dropout = 0.5, d.word_dropout_type = WordDropoutType::kZero;
    Autoencoder model(options, testing::model_inputs(kPieces, 1));
    Autoencoder plain(small(), testing::model_inputs(kPieces, 1));
    FakeContext training(true), again(true), later(true, 1), validation(false);
    CHECK(total_loss(model, batch, validation) == total_loss(plain, batch, validation));
    const double loss = total_loss(model, batch, training);
    CHECK(loss != total_loss(plain, batch, training));
    CHECK(loss == total_loss(model, batch, again));
    CHECK(loss != total_loss(model, batch, later));
  }
}

TEST_CASE("autoencoder: the noise decays as in the paper's table, and scales", "[models]") {
  AutoencoderOptions options = small();
  options.latent = {.kind = LatentKind::kSphere, .size = {}, .noise = 0.2, .decay = {0.995, 100}};
  const Schedule noise = noise_schedule(options.latent);
  const auto at_step = [&](int64_t step, double rate = 1) {
    TrainerState state;
    state.step = step;
    state.schedule_rate = rate;
    return noise(state);
  };
  CHECK(at_step(99) == 0.2);
  CHECK(std::abs(at_step(100) - 0.199) < 1e-12);
  CHECK(std::abs(at_step(10000) - 0.12115409) < 1e-8);
  CHECK(std::abs(at_step(50000) - 0.01631437) < 1e-8);
  CHECK(std::abs(at_step(100000) - 0.00133079) < 1e-8);
  CHECK(at_step(1000, 10) == at_step(10000));
}

TEST_CASE("autoencoder: posterior samples have the noise of the last update", "[models]") {
  AutoencoderOptions options = small();
  options.latent = {.kind = LatentKind::kSphere, .size = {}, .noise = 0.2, .decay = {0.995, 100}};
  Autoencoder model(options, testing::model_inputs(kPieces, 1));
  const Tokens sentences = pad_sentences(eight_sentences());
  const NoiseKey key{.seed = 5, .step = 0, .stream = 0, .use = noise_use("draw")};
  const auto noise = [&] {
    return model.encode_sampled(sentences, at::arange(8, at::kLong), key) - model.encode(sentences);
  };
  const at::Tensor first = noise();
  FakeContext training(true), validation(false);
  training.scheduled = 0.05;
  total_loss(model, text_batch(eight_sentences()), validation);
  CHECK(at::equal(noise(), first));
  total_loss(model, text_batch(eight_sentences()), training);
  CHECK(at::allclose(noise(), first * 0.25, 1e-4, 1e-6));
}

TEST_CASE("autoencoder: eight sentences are reconstructed after a few hundred steps", "[models]") {
  AutoencoderOptions options = small();
  options.latent.kind = LatentKind::kSphere;
  Autoencoder model(options, testing::model_inputs(kPieces, 1));
  const auto sentences = eight_sentences();
  train(model, text_batch(sentences), 250, 0.005);
  const at::Tensor z = model.encode(pad_sentences(sentences));
  const Decoded decoded =
      decode(model, z, at::arange(8, at::kLong), {}, {.policy = {}, .max_length = 10, .batch = 3});
  CHECK(decoded.sentences == sentences);
  CHECK(decoded.cut_off == 0);
}

TEST_CASE("autoencoder: the state as latent vector, separate word vectors", "[models]") {
  const auto options = parse_options_or_throw<AutoencoderOptions>(parse_yaml_or_throw(
      "{embedding: 300, shared_embedding: false, encoder: {hidden: 300, bidirectional: false, bos: "
      "true, init: 0.1}, latent: {kind: state}, decoder: {hidden: 300, z_inject: concat, init: "
      "0.1}}",
      "test"));
  Autoencoder model(options, testing::model_inputs(689, 1));
  int64_t count = 0;
  for (const at::Tensor& each : model.parameters()) count += each.numel();
  CHECK(count == 2425589);  // 2 V 300 + 722,400 + 1,082,400 + 301 V, two bias vectors per LSTM
  CHECK(model.latent_size() == 300);
  CHECK(model.phases()[0].updates[0].groups == std::vector<std::string>{"encoder", "decoder"});
  // Without noise, and not normalized.
  const Batch batch = text_batch(eight_sentences());
  const at::Tensor z = model.encode(batch.tokens());
  CHECK(at::equal(z, model.encode_sampled(batch.tokens(), at::arange(8), NoiseKey{1, 2, 3, 4})));
  CHECK_FALSE(model.on_unit_sphere());
  CHECK(z.abs().max().item<double>() < 1);
  CHECK_FALSE(at::allclose(z.norm(2, 1), at::ones({8})));
  CHECK_THROWS_WITH(parse_options_or_throw<AutoencoderOptions>(
                        parse_yaml_or_throw("{latent: {kind: state, size: 4}}", "test")),
                    Contains("width of the encoder's state"));
}

TEST_CASE("autoencoder: the loss is the mean over sentences or tokens", "[models]") {
  const auto denominator = [](const AutoencoderOptions& options) {
    return Autoencoder(options, testing::model_inputs(kPieces, 1)).phases()[0].terms[0].denominator;
  };
  AutoencoderOptions options = small();
  CHECK(denominator(options) == Denominator::kExamples);
  options.mean_over = LossMean::kTokens;
  CHECK(denominator(options) == Denominator::kTargets);
}

TEST_CASE("autoencoder: options that are equal to their default leave the identity", "[models]") {
  const auto written = [](const std::string& options) {
    return canonical_json(
        to_node(parse_options_or_throw<AutoencoderOptions>(parse_yaml_or_throw(options, "test"))));
  };
  CHECK(written("{shared_embedding: true}") == written("{}"));
  CHECK_FALSE(written("{}").contains("shared_embedding"));
  CHECK(written("{mean_over: sentences}") == written("{}"));
  CHECK(written("{shared_embedding: false}").at("shared_embedding") == false);
}
