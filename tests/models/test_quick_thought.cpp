// QuickThought: vectors, the loss, cutting, dropout and gradients.
#include <ATen/ATen.h>

#include "models/quick_thought/quick_thought.h"
#include "tests/catch.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

QuickThoughtOptions small() {
  QuickThoughtOptions options;
  options.embedding = 3;
  options.hidden = 4;
  return options;
}

const ModelInputs kInputs = testing::model_inputs(20, 3);

std::shared_ptr<QuickThought> in_float64(const QuickThoughtOptions& options = small()) {
  const auto model = std::make_shared<QuickThought>(options, kInputs);
  model->to(at::kDouble);
  const at::NoGradGuard no_grad;
  for (const auto& item : model->named_parameters()) {
    if (item.key().starts_with("words")) item.value().mul_(10);
  }
  return model;
}

/// The final state of one direction by the equations of TensorFlow 1's GRU cell, [H].
at::Tensor defined_state(const QuickThought& model, TokenIds ids, const std::string& out,
                         const std::string& suffix) {
  const auto p = model.named_parameters();
  const auto of = [&](const char* name) { return p["encoder" + out + "." + name + suffix]; };
  const at::Tensor kernel = at::cat({of("weight_ih_l0"), of("weight_hh_l0")}, 1);
  const int64_t hidden = kernel.size(0) / 3;
  const at::Tensor bias = of("bias_ih_l0");
  if (!suffix.empty()) std::reverse(ids.begin(), ids.end());
  at::Tensor h = at::zeros({hidden}, at::kDouble);
  for (const int32_t id : ids) {
    const at::Tensor x = p["words" + out + ".weight"][id];
    const at::Tensor gates = at::sigmoid(at::mv(kernel, at::cat({x, h})) + bias);
    const at::Tensor r = gates.narrow(0, 0, hidden), u = gates.narrow(0, hidden, hidden);
    const at::Tensor candidate =
        at::tanh((at::mv(kernel, at::cat({x, r * h})) + bias).narrow(0, 2 * hidden, hidden));
    h = u * h + (1 - u) * candidate;
  }
  return h;
}

/// The states f (out "") or g (out "_out") of sentences, [B, 2 H].
at::Tensor defined_states(const QuickThought& model, const std::vector<TokenIds>& sentences,
                          const std::string& out) {
  std::vector<at::Tensor> rows;
  for (const TokenIds& ids : sentences) {
    rows.push_back(
        at::cat({defined_state(model, ids, out, ""), defined_state(model, ids, out, "_reverse")}));
  }
  return at::stack(rows);
}

/// The loss of states f and g of consecutive sentences, summed over rows.
double defined_loss(const at::Tensor& f, const at::Tensor& g) {
  const at::Tensor scores = at::mm(f, g.t());
  scores.fill_diagonal_(0);
  const int64_t rows = f.size(0);
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const at::Tensor probability = at::softmax(scores[i], 0);
    std::vector<double> near;
    for (const int64_t j : {i - 1, i + 1}) {
      if (j >= 0 && j < rows) near.push_back(std::log(probability[j].item<double>()));
    }
    for (const double each : near) sum -= each / static_cast<double>(near.size());
  }
  return sum;
}

double loss_of(QuickThought& model, const Batch& batch, bool training = true) {
  FakeContext context(training);
  const at::NoGradGuard no_grad;
  return model.losses(model.phases()[0], {batch}, context)[0].item<double>();
}

}  // namespace

TEST_CASE("quick_thought: vectors equal the definition, alone, in a batch and with padding",
          "[quick_thought]") {
  const at::NoGradGuard no_grad;
  const auto model = in_float64();
  const std::vector<TokenIds> sentences = eight_sentences();  // one empty, one unknown
  const at::Tensor together = model->embed(pad_sentences(sentences));
  CHECK(together.sizes() == at::IntArrayRef{8, 16});
  CHECK(model->embedding_size() == 16);
  Tokens padded = pad_sentences(sentences);
  padded.ids = at::cat({padded.ids, at::full({8, 5}, 13, at::kLong)}, 1);
  const at::Tensor with_padding = model->embed(padded);
  const at::Tensor f = defined_states(*model, sentences, "");
  const at::Tensor g = defined_states(*model, sentences, "_out");
  for (int64_t row = 0; row < 8; ++row) {
    CAPTURE(row);
    const TokenIds& ids = sentences[static_cast<size_t>(row)];
    const at::Tensor expected = ids.empty()
                                    ? at::zeros({16}, at::kDouble)
                                    : at::cat({f[row] / f[row].norm(), g[row] / g[row].norm()});
    CHECK(at::allclose(together[row], expected, 0, 1e-12));
    CHECK(at::allclose(with_padding[row], expected, 0, 1e-12));
    CHECK(at::allclose(model->embed(pad_sentences({ids}))[0], expected, 0, 1e-12));
  }
}

TEST_CASE("quick_thought: the loss equals the definition", "[quick_thought]") {
  const at::NoGradGuard no_grad;
  const auto model = in_float64();
  const std::vector<TokenIds> sentences = eight_sentences();
  const at::Tensor f = defined_states(*model, sentences, "");
  const at::Tensor g = defined_states(*model, sentences, "_out");
  CHECK(loss_of(*model, text_batch(sentences)) == Approx(defined_loss(f, g)).epsilon(1e-12));
  // Rows that are not next to each other in the data are no neighbors.
  Batch apart = text_batch(sentences);
  apart.example_ids = at::tensor({0, 1, 2, 3, 10, 11, 12, 13}, at::kLong);
  const at::Tensor scores = neighbor_scores(f, g, OwnScore::kZero);
  const at::Tensor targets = neighbor_targets(apart.example_ids, 1, f);
  CHECK(targets[3][4].item<double>() == 0);
  CHECK(loss_of(*model, apart) ==
        Approx(neighbor_cross_entropy(scores, targets).sum().item<double>()).epsilon(1e-12));
}

TEST_CASE("quick_thought: the error is the share of sentences that find no neighbor",
          "[quick_thought]") {
  const at::NoGradGuard no_grad;
  const auto model = in_float64();
  const std::vector<TokenIds> sentences = eight_sentences();
  const at::Tensor scores =
      at::mm(defined_states(*model, sentences, ""), defined_states(*model, sentences, "_out").t());
  scores.fill_diagonal_(0);
  int64_t wrong = 0;
  for (int64_t row = 0; row < 8; ++row) {
    wrong += std::abs(scores[row].argmax().item<int64_t>() - row) != 1;
  }
  FakeContext context(false);
  const Sums sums = model->losses(model->phases()[0], {text_batch(sentences)}, context);
  CHECK(sums[1].item<double>() == static_cast<double>(wrong));
}

TEST_CASE("quick_thought: long sentences are cut for the loss, not for vectors",
          "[quick_thought]") {
  QuickThoughtOptions options = small();
  options.length = 2;
  const auto model = in_float64(options);
  const std::vector<TokenIds> first = {{4, 5, 6, 7}, {8, 9, 10}}, same = {{4, 5, 11}, {8, 9}};
  CHECK(loss_of(*model, text_batch(first)) == loss_of(*model, text_batch(same)));
  const at::Tensor a = model->embed(pad_sentences(first)), b = model->embed(pad_sentences(same));
  CHECK_FALSE(at::allclose(a, b, 0, 1e-3));
}

TEST_CASE("quick_thought: dropout sets units of both encoders to zero, in training alone",
          "[quick_thought]") {
  QuickThoughtOptions options = small();
  options.dropout = 0.5;
  const auto model = in_float64(options), without = in_float64();
  const Batch batch = text_batch(eight_sentences());
  CHECK(loss_of(*model, batch, false) == loss_of(*without, batch, false));
  const at::NoGradGuard no_grad;
  const NoiseKey key = FakeContext(true).noise("dropout");
  const at::Tensor kept = uniform_step(key, {1, 8}, at::kDouble).gt(0.5).to(at::kDouble);
  REQUIRE(kept.sum().item<double>() > 0);
  REQUIRE(kept.sum().item<double>() < 8);
  const at::Tensor f = defined_states(*model, eight_sentences(), "") * kept;
  const at::Tensor g = defined_states(*model, eight_sentences(), "_out") * kept;
  CHECK(loss_of(*model, batch) == Approx(defined_loss(f, g)).epsilon(1e-12));
}

TEST_CASE("quick_thought: gradients equal finite differences", "[quick_thought]") {
  const auto model = in_float64();
  const Batch batch = text_batch(eight_sentences());
  FakeContext context(true);
  model->losses(model->phases()[0], {batch}, context)[0].backward();
  for (const auto& item : model->named_parameters()) {
    const at::Tensor gradient = item.value().grad();
    REQUIRE(gradient.defined());
    const at::NoGradGuard no_grad;
    at::Tensor flat = item.value().view({-1});
    for (int64_t k = flat.numel() / 3; k < flat.numel(); k += flat.numel() / 3) {
      CAPTURE(item.key(), k);
      const double value = flat[k].item<double>();
      const auto at_step = [&](double step) {
        flat[k] = value + step;
        const double loss = loss_of(*model, batch);
        flat[k] = value;
        return loss;
      };
      CHECK(gradient.view({-1})[k].item<double>() ==
            Approx((at_step(1e-5) - at_step(-1e-5)) / 2e-5).epsilon(1e-5).margin(1e-8));
    }
  }
}

TEST_CASE("quick_thought: word vectors can be shared and frozen", "[quick_thought]") {
  QuickThoughtOptions options = small();
  const auto updates = [&] { return QuickThought(options, kInputs).phases()[0].updates[0].groups; };
  CHECK(updates() == std::vector<std::string>{"encoders", "words"});
  options.train_words = false;
  CHECK(updates() == std::vector<std::string>{"encoders"});
  options.shared_words = true;
  QuickThought model(options, kInputs);
  CHECK_FALSE(model.named_parameters().contains("words_out.weight"));
  CHECK(model.groups()[0].params.size() == 1);
  CHECK(model.embed(pad_sentences({{4, 5}})).isfinite().all().item<bool>());
}
