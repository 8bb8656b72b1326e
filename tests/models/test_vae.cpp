#include "models/vae/vae.h"

#include <cmath>

#include "framework/core/tensor/products.h"
#include "models/rnn_lm/rnn_lm.h"
#include "tests/catch.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

VaeOptions small() {
  VaeOptions options;
  options.size = ModelSize::kSmall;
  return options;
}

}  // namespace

TEST_CASE("vae: KL is zero when the posterior equals the prior", "[models]") {
  Vae model(small(), testing::model_inputs(20, 1));
  const Batch batch = text_batch(eight_sentences());
  CHECK(model.posterior_kl(batch.tokens())->min().item<double>() > 0);
  {
    at::NoGradGuard no_grad;
    for (auto& each : model.named_parameters()) {
      if (each.key().starts_with("to_")) each.value().zero_();
    }
  }
  CHECK(model.posterior_kl(batch.tokens())->abs().max().item<double>() == 0);
  CHECK(model.encode(batch.tokens()).abs().max().item<double>() == 0);
}

TEST_CASE("vae: the KL in bf16 is within 1 % of float64 from 0.01 to 10 nats", "[models]") {
  const Batch batch = text_batch(eight_sentences());
  const at::NoGradGuard no_grad;
  const auto mean_kl = [&](Vae& model) {
    return model.posterior_kl(batch.tokens())->mean().item<double>();
  };
  for (const double nats : {0.01, 0.1, 1.0, 10.0}) {
    Vae single(small(), testing::model_inputs(20, 1)), wide(small(), testing::model_inputs(20, 1));
    const auto scale_heads = [](Vae& model, double factor) {
      for (auto& each : model.named_parameters()) {
        if (each.key().starts_with("to_")) each.value().mul_(factor);
      }
    };
    // The KL grows about with the square of the heads: a few iterations approximate `nats`.
    wide.to(at::kDouble);
    for (int round = 0; round < 8; ++round) {
      const double factor = std::sqrt(nats / mean_kl(wide));
      scale_heads(wide, factor);
      scale_heads(single, factor);
    }
    const double exact = mean_kl(wide);
    CHECK(exact == Approx(nats).epsilon(0.2));
    const MixedPrecisionScope mixed(true);
    CHECK(mean_kl(single) == Approx(exact).epsilon(0.01));
  }
}

TEST_CASE("vae: terms, weights and the selection objective", "[models]") {
  VaeOptions options = small();
  options.bag_of_words.weight = 1;
  Vae model(options, testing::model_inputs(20, 1));
  const auto terms = model.phases().at(0).terms;
  REQUIRE(terms.size() == 3);
  CHECK(terms[0].weight.at({}) == 1);
  CHECK(terms[1].weight.at({}) == 0);
  CHECK(terms[2].weight.at({}) == 1);
  CHECK(terms[1].select_weight == 1);
  CHECK(terms[2].select_weight == 0);
  FakeContext context(true);
  const Batch batch = text_batch(eight_sentences());
  CHECK(model.losses(model.phases()[0], {batch}, context).size() == 3);
}

TEST_CASE("vae: the KL weight is scheduled in updates, in the paper's units", "[models]") {
  VaeOptions options = small();
  const Vae model(options, testing::model_inputs(20, 1));
  TrainerState state;
  state.step = 250;
  const TermWeight weight = model.phases().at(0).terms.at(1).weight;
  CHECK(weight.at(state) == 0.025);
  state.schedule_rate = 10;
  CHECK(weight.at(state) == 0.25);
  CHECK(kl_weight({.type = Annealing::kLogistic}, 2500) == 0.5);
  CHECK(std::abs(kl_weight({.type = Annealing::kTanh}, 2500) - 0.11920292202) < 1e-10);
  CHECK(kl_weight({.type = Annealing::kEpochs}, 0) == 0.1);
  CHECK(kl_weight({.type = Annealing::kNone}, 0) == 1);
}

TEST_CASE("vae: bag of words matches the specification's numbers", "[models]") {
  // Two sentences over six tokens: targets 4 3 3 end(2) and 5 end(2).
  const at::Tensor logits = at::tensor({0.1f, -0.2f, 0.3f, 1.2f, 0.f, -1.f,  //
                                        0.f, 0.5f, -0.5f, 0.25f, 2.f, 0.f})
                                .view({2, 6});
  const at::Tensor sum = bag_of_words_sum(logits, pad_sentences({{4, 3, 3}, {5}}), 2);
  CHECK(std::abs(sum.item<double>() - (5.59859874 + 5.61884259)) < 1e-5);
}

TEST_CASE("rnn_lm: scores are nats of sentence and EOS, and z is ignored", "[models]") {
  RnnLmOptions options;
  options.size = ModelSize::kSmall;
  RnnLm model(options, testing::model_inputs(20, 1));
  const Batch batch = text_batch(eight_sentences());
  const at::Tensor nll = model.score(batch.tokens(), {});
  FakeContext context(false);
  CHECK(std::abs(total_loss(model, batch, context) - nll.sum().item<double>()) < 1e-3);
  // An untrained model is uniform: about ln 20 for the EOS of the empty sentence.
  CHECK(std::abs(nll[2].item<double>() - std::log(20.0)) < 0.1);
}
