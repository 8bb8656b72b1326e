#include "models/style_transfer/style_transfer.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <cmath>
#include <map>

#include "framework/core/decoding/decoder.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/compute_mode.h"
#include "framework/core/tensor/shapes_only.h"
#include "losses/adversarial.h"
#include "models/rnn_lm/rnn_lm.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

constexpr int64_t kWords = 20;

/// All loss terms, no noise except Gumbel noise.
StyleTransferOptions small() {
  StyleTransferOptions options;
  options.style = 3;
  options.content = 5;
  options.embedding = 4;
  options.dropout = 0;
  options.max_length = 12;
  options.discriminator.channels = 3;
  options.discriminator.dropout = options.second_pair.dropout = 0;
  options.discriminator.gate = 0;
  return options;
}

ModelInputs inputs_of(const StyleTransferOptions& options, uint64_t seed = 1,
                      int64_t words = kWords) {
  ModelInputs inputs = testing::model_inputs(words, seed);
  for (const InputDecl& input : StyleTransferModel::inputs(options)) {
    RnnLmOptions lm;
    lm.size = ModelSize::kSmall;
    const auto own = static_cast<unsigned char>(input.name.back());
    inputs.models[input.name] = {
        .component = "rnn_lm",
        .model = std::make_shared<RnnLm>(lm, testing::model_inputs(words, own))};
  }
  return inputs;
}

/// Evaluates schedules, shares values between phases and returns the given results.
class StepOfTransfer : public FakeContext {
 public:
  explicit StepOfTransfer(bool training, const TrainerState& state = {})
      : FakeContext(training), state_(state) {}
  at::Tensor value(const Schedule& schedule) const override {
    return at::scalar_tensor(schedule(state_), at::TensorOptions(at::kFloat));
  }
  at::Tensor shared(const std::string& name, const std::vector<std::string>&,
                    const std::function<at::Tensor()>& compute) override {
    if (!values.contains(name)) values[name] = compute();
    return values.at(name);
  }
  at::Tensor term_mean(const std::string& term) const override {
    return at::scalar_tensor(results.at(term), at::TensorOptions(at::kDouble));
  }
  void log(const std::string& name, const at::Tensor& value) override {
    logged[name] = value.to(at::kDouble).item<double>();
  }
  std::map<std::string, at::Tensor> values;
  std::map<std::string, double> results, logged;

 private:
  TrainerState state_;
};

Batch transfer_batch() {
  const Tokens first = pad_sentences({{4, 5, 6, 7}, {8, 9}, {}, {3, 3, 3}});
  const Tokens second = pad_sentences({{10, 11, 12, 13, 14, 15, 16}, {15}, {4, 6, 4}, {17, 18}});
  return {at::arange(4, at::kLong),
          {{"text_0", first.ids},
           {"text_0.lengths", first.lengths},
           {"text_1", second.ids},
           {"text_1.lengths", second.lengths}}};
}

Batch pairs() {
  const Tokens from = pad_sentences({{4, 5}, {8, 9, 10}}), to = pad_sentences({{6, 7, 8}, {9}});
  return {at::arange(2, at::kLong),
          {{"from", from.ids},
           {"from.lengths", from.lengths},
           {"to", to.ids},
           {"to.lengths", to.lengths}}};
}

/// A model in float64 and its parts.
struct Model64 {
  explicit Model64(const StyleTransferOptions& options) : model(options, inputs_of(options)) {
    model.to(at::kDouble);
    autoencoder = part<TransferAutoencoder>("autoencoder");
    for (const Phase& phase : model.phases()) {
      phases[phase.name] = phase;
      for (size_t i = 0; i < phase.terms.size(); ++i) terms[phase.terms[i].name] = i;
    }
  }
  template <class Part>
  std::shared_ptr<Part> part(const std::string& name) {
    return std::dynamic_pointer_cast<Part>(model.named_children()[name]);
  }
  Sums losses(const std::string& phase, StepContext& context) {
    return model.losses(phases.at(phase), {transfer_batch(), pairs()}, context);
  }
  /// The sum of one term of the generator's phase.
  at::Tensor term(const std::string& name, StepContext& context) {
    return losses("gen", context).at(terms.at(name));
  }
  std::vector<at::Tensor> parameters(const std::string& group) {
    for (const ParamGroup& each : model.groups()) {
      if (each.name != group) continue;
      std::vector<at::Tensor> values;
      for (const auto& [name, value] : each.params) values.push_back(value);
      return values;
    }
    throw std::logic_error("no group " + group);
  }

  StyleTransferModel model;
  std::shared_ptr<TransferAutoencoder> autoencoder;
  std::map<std::string, Phase> phases;
  std::map<std::string, size_t> terms;
};

at::Tensor doubles(const std::vector<double>& values, at::IntArrayRef shape) {
  return at::tensor(values, at::kDouble).view(shape);
}

at::Tensor style_rows(const std::vector<double>& styles) {
  return at::tensor(styles, at::kDouble);
}

/// NLL of a sentence, decoded word by word from the latent vector `z` [1, H].
double nll_by_steps(NextTokenModel& model, const at::Tensor& z,
                    const std::vector<int64_t>& targets) {
  const auto state = model.start({.rows = 1, .z = z});
  double nats = 0;
  int64_t before = 1;
  for (const int64_t target : targets) {
    const at::Tensor scores = model.step(*state, at::full({1}, before, at::kLong));
    nats -= at::log_softmax(scores, 1)[0][target].item<double>();
    before = target;
  }
  return nats;
}

/// The words of a row of `tokens`, with EOS.
std::vector<int64_t> with_end(const Tokens& tokens, int64_t row) {
  std::vector<int64_t> words;
  for (int64_t t = 0; t < tokens.lengths[row].item<int64_t>(); ++t) {
    words.push_back(tokens.ids[row][t].item<int64_t>());
  }
  words.push_back(2);
  return words;
}

Tokens one_row(const Tokens& tokens, int64_t row) {
  return {tokens.ids.narrow(0, row, 1), tokens.lengths.narrow(0, row, 1)};
}

at::Tensor one_value(int64_t value) {
  return at::full({1}, value, at::kLong);
}

std::vector<at::Tensor> gradients_of(const at::Tensor& sum, const std::vector<at::Tensor>& of) {
  return torch::autograd::grad({sum}, of, {}, /*retain_graph=*/true, /*create_graph=*/false,
                               /*allow_unused=*/true);
}

bool any_defined(const std::vector<at::Tensor>& gradients) {
  for (const auto& gradient : gradients) {
    if (gradient.defined()) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("style_transfer: the paper's widths have the numbers of parameters of Shen et al.",
          "[models]") {
  const ShapesOnly shapes;
  StyleTransferOptions options;
  options.second_pair.enabled = true;
  StyleTransferModel model(options, testing::model_inputs(10000, 1));
  const auto count = [&](const std::string& prefix) {
    int64_t total = 0;
    for (const auto& item : model.named_parameters()) {
      if (item.key().starts_with(prefix)) total += item.value().numel();
    }
    return total;
  };
  CHECK(count("autoencoder.") == 11375000);
  CHECK(count("autoencoder.encoder.gru.") == 1682100);
  CHECK(count("autoencoder.generator.gru.") == 1682100);
  CHECK(count("autoencoder.embedding.") == 1000000);
  CHECK(count("autoencoder.output.") == 7010000);
  CHECK(count("discriminator0.") == 1075969);
  CHECK(count("discriminator1.") == 1075969);
  CHECK(count("critic0.") == 538369);
}

TEST_CASE("style_transfer: initial values have TensorFlow's bounds", "[models]") {
  StyleTransferOptions options;
  options.second_pair.enabled = true;
  const StyleTransferModel model(options, testing::model_inputs(10000, 1));
  const auto values = model.named_parameters();
  const auto check = [&](const at::Tensor& x, double bound) {
    const double largest = x.abs().max().item<double>();
    CHECK(largest <= bound * (1 + 2e-4));
    CHECK(largest > bound * (1 - 2e-4 - 20.0 / static_cast<double>(x.numel() + 20)));
  };
  for (const std::string name : {"autoencoder.encoder.", "autoencoder.generator."}) {
    INFO(name);
    check(values[name + "style_weight"], 0.172774);
    check(values[name + "style_bias"], 0.122474);
    for (const std::string part : {"gru.weight_ih_l0", "gru.weight_hh_l0"}) {
      check(values[name + part].slice(0, 0, 1400), 0.052223);
      check(values[name + part].slice(0, 1400), 0.063246);
    }
    CHECK(values[name + "gru.bias_ih_l0"].slice(0, 0, 1400).eq(1).all().item<bool>());
    CHECK(values[name + "gru.bias_ih_l0"].slice(0, 1400).eq(0).all().item<bool>());
  }
  check(values["autoencoder.output.weight"], std::sqrt(6 / 10700.));
  check(values["autoencoder.output.bias"], std::sqrt(3 / 10000.));
  const at::Tensor norms = values["autoencoder.embedding.weight"].norm(2, {1});
  CHECK(norms.allclose(at::ones_like(norms)));
  const std::vector<double> bounds = {0.008151, 0.005764, 0.004706, 0.004076, 0.003645};
  for (const int64_t i : {1, 2, 3}) {
    const std::string filter = "filter" + std::to_string(i);
    check(values["discriminator0." + filter + ".weight"], bounds[i + 1]);
    check(values["discriminator1." + filter + ".bias"], 0.153093);
    check(values["critic1." + filter + ".weight"], bounds[i - 1]);
  }
  check(values["discriminator0.output.weight"], 0.124838);
  CHECK(values["discriminator0.output.bias"].abs().item<double>() < 1.732051);
}

TEST_CASE("style_transfer: a discriminator matches the numeric case", "[models]") {
  StateDiscriminator judge({1, "judge"},
                           {.width = 2, .filters = {2}, .channels = 1, .negative_slope = 0.01});
  judge.to(at::kDouble);
  const at::NoGradGuard no_grad;
  auto values = judge.named_parameters();
  const auto none = [](const at::Tensor& x) { return x; };
  const at::Tensor states = doubles({1, -1, 0.5, 2, -1, 0}, {1, 3, 2});
  const at::Tensor filter = doubles({0.5, -0.5, 1, 0.25}, {2, 1, 2});
  values["filter1.weight"].copy_(filter);
  values["filter1.bias"].fill_(0.1);
  values["output.weight"].fill_(2);
  values["output.bias"].fill_(-0.3);
  const at::Tensor logit = judge.forward(states, none);
  CHECK(logit.item<double>() == Approx(3.9).margin(1e-12));
  CHECK(at::sigmoid(logit).item<double>() == Approx(0.9801596943).margin(1e-10));
  // Responses -3.5 and 0.25; then -4 and -0.25, whose leaky ReLU is -0.04 and -0.0025.
  values["filter1.weight"].copy_(-filter);
  values["output.weight"].fill_(1);
  values["output.bias"].fill_(0);
  values["filter1.bias"].fill_(-1.5);
  CHECK(judge.forward(states, none).item<double>() == Approx(0.25).margin(1e-12));
  values["filter1.bias"].fill_(-2);
  CHECK(judge.forward(states, none).item<double>() == Approx(-0.0025).margin(1e-12));
  CHECK(judge.forward(states, [](const at::Tensor& x) { return 10 * x; }).item<double>() ==
        Approx(-0.025).margin(1e-12));
}

TEST_CASE("style_transfer: filters of several widths equal LibTorch's convolutions", "[models]") {
  StateDiscriminator judge(
      {1, "judge"}, {.width = 6, .filters = {1, 3}, .channels = 4, .init = Initialization::kTorch});
  judge.to(at::kDouble);
  const at::Tensor states = normal_step({.seed = 2}, {5, 7, 6}, at::kDouble);
  const auto values = judge.named_parameters();
  std::vector<at::Tensor> features;
  for (const std::string filter : {"filter1", "filter2"}) {
    const at::Tensor weight = values[filter + ".weight"].permute({1, 2, 0});
    const at::Tensor response =
        at::conv1d(states.transpose(1, 2), weight, values[filter + ".bias"]);
    features.push_back(at::relu(response).amax(2));
  }
  const at::Tensor expected =
      at::linear(at::cat(features, 1), values["output.weight"], values["output.bias"]).squeeze(1);
  const at::Tensor logits = judge.forward(states, [](const at::Tensor& x) { return x; });
  CHECK(logits.allclose(expected, 1e-10, 1e-12));
}

TEST_CASE("style_transfer: the penalty's gradient through a critic agrees with differences",
          "[models]") {
  StateDiscriminator judge({1, "judge"}, {.width = 3,
                                          .filters = {1, 2},
                                          .channels = 2,
                                          .negative_slope = 0.1,
                                          .init = Initialization::kTorch});
  judge.to(at::kDouble);
  const at::Tensor real = normal_step({.seed = 2}, {3, 4, 3}, at::kDouble).requires_grad_();
  const at::Tensor fake = normal_step({.seed = 3}, {3, 4, 3}, at::kDouble);
  const at::Tensor alpha = doubles({0.2, 0.5, 0.9}, {3, 1});
  const auto penalty = [&] {
    const at::Tensor points = interpolated(real, fake, alpha);
    return gradient_penalty_sum(judge.forward(points, [](const at::Tensor& x) { return x; }),
                                points);
  };
  std::vector<at::Tensor> of = judge.parameters();
  of.push_back(real);
  const auto gradients = gradients_of(penalty(), of);
  for (size_t i = 0; i < of.size(); ++i) {
    INFO(i);
    if (!gradients[i].defined()) continue;  // the biases do not change the slope
    const at::Tensor flat = of[i].detach().view(-1);
    for (int64_t k = 0; k < flat.size(0); ++k) {
      const double value = flat[k].item<double>();
      const auto moved = [&](double by) {
        flat[k].fill_(value + by);
        return penalty().item<double>();
      };
      const double slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
      flat[k].fill_(value);
      CHECK(gradients[i].reshape(-1)[k].item<double>() == Approx(slope).margin(1e-6));
    }
  }
  CHECK(gradients.front().defined());
  CHECK(gradients.back().abs().sum().item<double>() == 0);  // piecewise linear in the states
}

TEST_CASE("style_transfer: soft words match the numeric cases", "[models]") {
  const at::Tensor logits = doubles({1, 2, 0.5}, {1, 3});
  const auto words = [](const at::Tensor& from, const at::Tensor& noise, double temperature) {
    const at::Tensor eye = at::eye(3, from.options()), zero = at::zeros({3}, from.options());
    return SoftWordReader({eye, zero, eye}, 1, 1)
        .read(from, noise, at::scalar_tensor(temperature, from.options()));
  };
  const auto check = [&](const at::Tensor& noise, double temperature, const std::vector<double>& p,
                         double margin = 1e-8) {
    CHECK(words(logits, noise, temperature).vectors.allclose(doubles(p, {1, 3}), 0, margin));
  };
  check({}, 1, {0.23122390, 0.62853172, 0.14024438});
  check({}, 0.5, {0.11419520, 0.84379473, 0.04201007});
  check({}, 0.1, {0.0000454, 0.9999543, 0.0000003}, 1e-7);
  const at::Tensor noise = -(-doubles({0.3, 0.6, 0.9}, {1, 3}).log()).log();
  check(noise, 1, {0.06974624, 0.44684743, 0.48340633});
  check(noise, 0.5, {0.01110070, 0.45564592, 0.53325338});
  check(noise, 0.1, {0, 0.31294146, 0.68705854});
  check(noise, 0.001, {0, 0, 1});
  CHECK(words(logits, {}, 1).argmax.item<int64_t>() == 1);
  CHECK(words(logits, noise, 1).argmax.item<int64_t>() == 2);
  // Large logits at a low temperature do not overflow.
  const at::Tensor large = words(1e4 * logits.to(at::kFloat), {}, 0.001).vectors;
  CHECK(large.allclose(at::tensor({0.f, 1.f, 0.f}).view({1, 3})));
}

TEST_CASE("style_transfer: gradients of soft words agree with finite differences", "[models]") {
  const auto draw = [](uint32_t use, at::IntArrayRef shape) {
    return normal_step({.seed = 4, .use = use}, shape, at::kDouble);
  };
  const at::Tensor noise = draw(5, {2, 3, 7}), mixing = draw(6, {2, 4});
  const at::Tensor temperature = at::scalar_tensor(0.7, at::TensorOptions(at::kDouble));
  // The words of the second of two steps depend on those of the first; the third has no gradient.
  const auto sum = [&](const std::vector<at::Tensor>& v) {
    SoftWordReader reader({v[1], v[2], v[3]}, 3, 3);
    const at::Tensor first = reader.read(v[0], noise[0], temperature).vectors;
    const at::Tensor second =
        reader.read(at::tanh(v[0] + first.matmul(mixing)), noise[1], temperature).vectors;
    reader.read(v[0], {}, temperature);
    return weighted_sum({first, second});
  };
  std::vector<at::Tensor> inputs = {draw(1, {3, 4}), draw(2, {7, 4}), draw(3, {7}),
                                    draw(4, {7, 2})};
  check_gradients(inputs, sum);
  // A retained graph gives the same gradients again, with or without those of the layers.
  for (auto& input : inputs) input.requires_grad_();
  const at::Tensor total = sum(inputs);
  const auto first = gradients_of(total, inputs), second = gradients_of(total, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) CHECK(at::equal(first[i], second[i]));
  CHECK(at::equal(gradients_of(total, {inputs[0]})[0], first[0]));
}

TEST_CASE("style_transfer: soft words have float32 products in the backward pass", "[models]") {
  const auto draw = [](uint32_t use, at::IntArrayRef shape) {
    return normal_step({.seed = 4, .use = use}, shape, at::kFloat).requires_grad_();
  };
  const std::vector<at::Tensor> inputs = {draw(1, {3, 4}), draw(2, {7, 4}), draw(3, {7}),
                                          draw(4, {7, 2})};
  const at::Tensor temperature = at::scalar_tensor(0.7, at::TensorOptions(at::kFloat));
  SoftWordReader reader({inputs[1], inputs[2], inputs[3]}, 3, 1);
  const at::Tensor sum = reader.read(inputs[0], {}, temperature).vectors.sum();
  static std::vector<bool> exact;  // of each product; callbacks capture nothing
  exact.clear();
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(
      [](const at::RecordFunction& call) -> std::unique_ptr<at::ObserverContext> {
        if (std::string(call.name()) == "aten::mm") {
          exact.push_back(at::globalContext().float32MatmulPrecision() ==
                          at::Float32MatmulPrecision::HIGHEST);
        }
        return nullptr;
      }));
  {
    const ComputeMode training(/*tf32=*/true);
    gradients_of(sum, inputs);
  }
  at::removeCallback(handle);
  CHECK(exact == std::vector<bool>(4, true));
}

TEST_CASE("style_transfer: Gumbel noise has the mean and variance of its distribution",
          "[models]") {
  const at::Tensor noise = gumbel({.seed = 3}, at::arange(4), 50000, at::kDouble);
  CHECK(noise.mean().item<double>() == Approx(0.5772156649).margin(0.01));
  CHECK(noise.var().item<double>() == Approx(M_PI * M_PI / 6).margin(0.03));
}

TEST_CASE("style_transfer: temperature and weight of the second pair follow the epochs",
          "[models]") {
  StyleTransferOptions options = small();
  const TemperatureOptions temperature;
  CHECK(temperature.at(0) == 1);
  CHECK(temperature.at(1) == 0.5);
  CHECK(temperature.at(2) == 0.25);
  CHECK(temperature.at(10) == 0.001);
  CHECK(TemperatureOptions{.initial = 0.1, .decay = 1, .minimum = 0.1}.at(7) == 0.1);
  options.second_pair.enabled = true;
  const auto weight = [&](const TrainerState& state) {
    const StyleTransferModel model(options, inputs_of(options));
    return model.phases().back().terms.back().weight.at(state);
  };
  CHECK(weight({.epoch = 0}) == -1);
  CHECK(weight({.epoch = 1}) == -0.5);
  CHECK(weight({.epoch = 5}) == -0.03125);
  options.second_pair.epoch_offset = 1;
  CHECK(weight({.epoch = 1}) == -0.25);
  // 250 updates of a run that is written for ten times as many.
  options.updates_per_epoch = 1000;
  CHECK(weight({.step = 250, .epoch = 9, .schedule_rate = 10}) == -0.125);
}

TEST_CASE("style_transfer: the cyclic loss has its weight from the epoch cyc_start on",
          "[models]") {
  StyleTransferOptions options = small();
  options.loss.cyc = 5;
  const auto weight = [&](int64_t epoch) {
    const StyleTransferModel model(options, inputs_of(options));
    const LossTerm term = model.phases().back().terms.at(1);
    CHECK(term.name == "cyc");
    CHECK(term.select_weight == 5);
    return term.weight.at({.epoch = epoch});
  };
  CHECK(weight(0) == 5);
  options.loss.cyc_start = 2;
  CHECK(weight(0) == 0);
  CHECK(weight(1) == 0);
  CHECK(weight(2) == 5);
}

TEST_CASE("style_transfer: sentences are read as by Shen et al.", "[models]") {
  Model64 m(small());
  const TransferAutoencoder& model = *m.autoencoder;
  const Tokens sentence = pad_sentences({{7, 8, 9}});
  CHECK(model.padded_length(sentence) == 5);
  CHECK(at::equal(model.padded(sentence, 5), at::tensor({7, 8, 9, 0, 0}, at::kLong).view({1, 5})));
  const auto values = m.model.named_parameters();
  const at::Tensor table = values["autoencoder.embedding.weight"];
  const auto read = [&](const std::string& part, const std::vector<int64_t>& ids,
                        const at::Tensor& h) {
    const std::string gru = "autoencoder." + part + ".gru.";
    const Gru layer({values[gru + "weight_ih_l0"], values[gru + "weight_hh_l0"],
                     values[gru + "bias_ih_l0"], at::Tensor()},
                    ResetGate::kBeforeProduct);
    return layer.forward(table.index_select(0, at::tensor(ids, at::kLong)).unsqueeze(0), {}, {h});
  };
  const auto style = [&](const std::string& part, double s) {
    return s * values["autoencoder." + part + ".style_weight"] +
           values["autoencoder." + part + ".style_bias"];
  };
  const double s = GENERATE(0, 1);
  const at::Tensor styles = style_rows({s});
  const at::Tensor h0 = at::cat({style("encoder", s), at::zeros({5}, at::kDouble)}).unsqueeze(0);
  const at::Tensor content = model.encode(sentence, styles, {});
  CHECK(content.allclose(read("encoder", {0, 0, 9, 8, 7}, h0).state.h.slice(1, 3), 1e-12, 1e-12));

  const at::Tensor initial = model.initial(styles, content);
  CHECK(initial.allclose(at::cat({style("generator", s).unsqueeze(0), content}, 1)));
  const Tokens padded{model.padded(sentence, 5), sentence.lengths};
  const at::Tensor states = read("generator", {1, 7, 8, 9, 0, 0}, initial).outputs;
  CHECK(model.teacher_forced(padded, {}, initial, {}).allclose(states, 1e-12, 1e-12));
  const at::Tensor ended = model.teacher_forced(padded, sentence.lengths + 1, initial, {});
  CHECK(ended.slice(1, 0, 4).allclose(states.slice(1, 0, 4), 1e-12, 1e-12));
  CHECK(ended.slice(1, 4).allclose(states.slice(1, 3, 4).expand({1, 2, 8}), 1e-12, 1e-12));
  // Targets 7 8 9 EOS, without the padding.
  const at::Tensor log_p = at::log_softmax(
      at::linear(states[0], values["autoencoder.output.weight"], values["autoencoder.output.bias"]),
      1);
  const double nll = -(log_p[0][7] + log_p[1][8] + log_p[2][9] + log_p[3][2]).item<double>();
  CHECK(model.nll_sum(states, padded, {}).item<double>() == Approx(nll).epsilon(1e-12));
}

TEST_CASE("style_transfer: soft states feed the expected word vectors back", "[models]") {
  Model64 m(small());
  const TransferAutoencoder& model = *m.autoencoder;
  const auto values = m.model.named_parameters();
  const at::Tensor table = values["autoencoder.embedding.weight"];
  const Gru layer({values["autoencoder.generator.gru.weight_ih_l0"],
                   values["autoencoder.generator.gru.weight_hh_l0"],
                   values["autoencoder.generator.gru.bias_ih_l0"], at::Tensor()},
                  ResetGate::kBeforeProduct);
  const at::Tensor initial = normal_step({.seed = 6}, {3, 8}, at::kDouble);
  const at::Tensor noise = normal_step({.seed = 7}, {4, 3, kWords}, at::kDouble);
  SoftDecoding decoding{.states = 5,
                        .temperature = at::scalar_tensor(0.6, at::TensorOptions(at::kDouble)),
                        .noise = [&](int64_t t) { return noise[t - 1]; }};
  at::Tensor h = initial, word = table[1].unsqueeze(0).expand({3, 4});
  std::vector<at::Tensor> expected = {h};
  for (int64_t t = 1; t < 5; ++t) {
    h = layer.forward(word.unsqueeze(1), {}, {h}).state.h;
    expected.push_back(h);
    const at::Tensor logits =
        at::linear(h, values["autoencoder.output.weight"], values["autoencoder.output.bias"]);
    word = at::softmax((logits + noise[t - 1]) / 0.6, 1).matmul(table);
  }
  CHECK(model.soft(initial, decoding, {}).allclose(at::stack(expected, 1), 1e-12, 1e-12));

  // With EOS as the most probable word of every step, the first state is repeated.
  const at::NoGradGuard no_grad;
  values["autoencoder.output.bias"][2].fill_(100);
  decoding.stop_at_eos = true;
  const at::Tensor ended = model.soft(initial, decoding, {});
  CHECK(at::equal(ended.slice(1, 2), ended.slice(1, 1, 2).expand({3, 3, 8})));
  CHECK(!at::equal(ended.select(1, 1), ended.select(1, 0)));
}

TEST_CASE(
    "style_transfer: reconstruction, cycle, paraphrase and language model losses equal "
    "scores of single sentences",
    "[models]") {
  StyleTransferOptions options = small();
  options.pack_encoder = true;
  options.max_length = 7;
  options.loss.cyc = options.loss.para = options.loss.lang = 1;
  options.loss.norm = GENERATE(TransferNorm::kRows, TransferNorm::kPerStyleSum);
  const double share = options.loss.norm == TransferNorm::kRows ? 0.5 : 1;
  Model64 m(options);
  for (const auto& module : m.model.frozen()) module->to(at::kDouble);
  {
    const at::NoGradGuard no_grad;  // so that some sentences end before max_length
    m.model.named_parameters()["autoencoder.output.weight"].mul_(20);
    m.model.named_parameters()["autoencoder.output.bias"][2].fill_(10);
  }
  StepOfTransfer context(true);
  const Batch batch = transfer_batch(), paraphrases = pairs();
  const Sums sums = m.losses("gen", context);
  double rec = 0, cyc = 0, lang = 0, para = 0, entropy = 0;
  int64_t cut_off = 0;
  const ModelInputs inputs = inputs_of(options);
  for (const int64_t s : {0, 1}) {
    const Tokens all = batch.tokens("text_" + std::to_string(s));
    RnnLm& judge = dynamic_cast<RnnLm&>(*m.model.frozen()[1 - s]);
    for (int64_t row = 0; row < all.rows(); ++row) {
      const Tokens x = one_row(all, row);
      const auto code = [&](const Tokens& of, int64_t from, int64_t to) {
        return m.model.encode_for(of, one_value(from), one_value(to));
      };
      rec += nll_by_steps(m.model, code(x, s, s), with_end(x, 0));
      const Decoded decoded = decode(m.model, code(x, s, 1 - s), at::zeros({1}, at::kLong), {},
                                     {.policy = {}, .max_length = 7});
      const Tokens other = pad_sentences(decoded.sentences);
      cut_off += decoded.cut_off;
      cyc += nll_by_steps(m.model, code(other, 1 - s, s), with_end(x, 0));
      std::vector<int64_t> targets = with_end(other, 0);
      if (decoded.cut_off) targets.pop_back();
      const auto given = m.model.start({.rows = 1, .z = code(x, s, 1 - s)});
      const auto expected = judge.start({.rows = 1});
      int64_t before = 1;
      for (const int64_t target : targets) {
        const at::Tensor p = at::softmax(judge.step(*expected, one_value(before)), 1);
        const at::Tensor log_g = at::log_softmax(m.model.step(*given, one_value(before)), 1);
        lang -= (p * log_g).sum().item<double>();
        entropy -= (p * p.log()).sum().item<double>();
        before = target;
      }
    }
    for (int64_t row = 0; row < 2; ++row) {
      const Tokens from = one_row(paraphrases.tokens("from"), row);
      para += nll_by_steps(m.model, m.model.encode_for(from, one_value(s), one_value(s)),
                           with_end(paraphrases.tokens("to"), row));
    }
  }
  CHECK(cut_off > 0);
  CHECK(cut_off < 8);
  CHECK(sums[m.terms.at("rec")].item<double>() == Approx(share * rec).epsilon(1e-10));
  CHECK(sums[m.terms.at("cyc")].item<double>() == Approx(share * cyc).epsilon(1e-10));
  CHECK(sums[m.terms.at("lang")].item<double>() == Approx(share * lang).epsilon(1e-10));
  CHECK(sums[m.terms.at("para")].item<double>() == Approx(share * para).epsilon(1e-10));
  CHECK(context.logged.at("lang_kl") == Approx((lang - entropy) / 8).epsilon(1e-8));
}

TEST_CASE("style_transfer: the logged divergence does not depend on the number of threads",
          "[models]") {
  StyleTransferOptions options = small();
  options.loss.lang = 1;
  const auto divergence = [&](at::ScalarType type, int threads) {
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    StyleTransferModel model(options, inputs_of(options, 1, /*words=*/150000));
    model.to(type);
    for (const auto& module : model.frozen()) module->to(type);
    StepOfTransfer context(true);
    model.losses(model.phases().back(), {transfer_batch()}, context);
    at::set_num_threads(before);
    return context.logged.at("lang_kl");
  };
  // A float32 sum over sentences, positions and words is wrong by 7e-5 here.
  const double exact = divergence(at::kDouble, 1), one = divergence(at::kFloat, 1);
  CHECK(exact > 0);
  CHECK(std::abs(one - exact) < 2e-5);
  CHECK(divergence(at::kFloat, 2) == one);
}

TEST_CASE("style_transfer: the cycle has no gradient through the transferred sentence",
          "[models]") {
  StyleTransferOptions options = small();
  options.loss.cyc = 1;
  Model64 m(options);
  StepOfTransfer context(true);
  const at::Tensor sum = m.term("cyc", context);
  // The first encoding has a graph, which the cycle must not reach.
  CHECK(!any_defined(gradients_of(sum, {context.values.at("content")})));
  const auto gradients = gradients_of(sum, m.parameters("generator"));
  for (const auto& gradient : gradients) CHECK(gradient.defined());
}

TEST_CASE("style_transfer: discriminators learn from constants, the generator from both states",
          "[models]") {
  StyleTransferOptions options = small();
  options.second_pair.enabled = true;
  options.discriminator.loss = GENERATE(AdversarialLoss::kMinimax, AdversarialLoss::kNonSaturating);
  const bool minimax = options.discriminator.loss == AdversarialLoss::kMinimax;
  Model64 m(options);
  StepOfTransfer context(true);
  const Sums disc = m.losses("disc", context), critic = m.losses("critic", context);
  for (const at::Tensor& sum : {disc[0], disc[1], critic[0], critic[1]}) {
    CHECK(!any_defined(gradients_of(sum, m.parameters("generator"))));
  }
  CHECK(any_defined(gradients_of(disc[0], m.parameters("discriminators"))));
  CHECK(!any_defined(gradients_of(disc[0], m.parameters("critics"))));
  CHECK(any_defined(gradients_of(critic[1], m.parameters("critics"))));
  CHECK(!any_defined(gradients_of(critic[0], m.parameters("discriminators"))));

  const Sums gen = m.losses("gen", context);
  const at::Tensor adversarial = gen[m.terms.at("adv")];
  const at::Tensor taught = context.values.at("taught"), soft = context.values.at("soft");
  const auto gradients = gradients_of(adversarial, {taught, soft});
  CHECK(gradients[0].defined() == minimax);
  CHECK(gradients[1].abs().sum().item<double>() > 0);
  const auto of_critic = gradients_of(gen.back(), {taught, soft});
  CHECK(of_critic[0].abs().sum().item<double>() > 0);
  CHECK(of_critic[1].abs().sum().item<double>() > 0);
  CHECK(gen.back().item<double>() == Approx(critic[0].item<double>()));
  for (const auto& gradient : gradients_of(adversarial, m.parameters("generator"))) {
    CHECK(gradient.defined());
  }

  // Independent values: real are teacher-forced states of the style, fake soft states of the other
  // one.
  const auto judge = m.part<StateDiscriminator>("discriminator1");
  const auto logits = [&](const at::Tensor& states) {
    return judge->forward(states, [](const at::Tensor& x) { return x; });
  };
  const at::Tensor real = logits(taught.slice(0, 4).slice(1, 0, soft.size(1)));
  const at::Tensor fake = logits(soft.slice(0, 0, 4));
  CHECK(soft.size(1) == 9);  // the longest sentence has 7 words
  CHECK(disc[1].item<double>() ==
        Approx((at::softplus(-real) + at::softplus(fake)).sum().item<double>()).epsilon(1e-12));
  if (minimax) {
    CHECK(adversarial.item<double>() == Approx((disc[0] + disc[1]).item<double>()));
    CHECK(m.phases.at("gen").terms.at(m.terms.at("adv")).weight.at({}) == -1);
  } else {
    const auto other = m.part<StateDiscriminator>("discriminator0");
    const at::Tensor of_other =
        other->forward(soft.slice(0, 4), [](const at::Tensor& x) { return x; });
    CHECK(adversarial.item<double>() ==
          Approx((at::softplus(-fake) + at::softplus(-of_other)).sum().item<double>()));
    CHECK(m.phases.at("gen").terms.at(m.terms.at("adv")).weight.at({}) == 1);
  }
}

TEST_CASE("style_transfer: the gate closes if one discriminator's loss is not below it",
          "[models]") {
  StyleTransferOptions options = small();
  options.discriminator.gate = 1.2;
  Model64 m(options);
  StepOfTransfer context(true);
  context.results = {{"disc/adv_0", 1.19}, {"disc/adv_1", 1.1}};
  const auto size = [&] {
    const at::Tensor sum = m.term("adv", context);
    double total = 0;
    for (const auto& gradient : gradients_of(sum, m.parameters("generator"))) {
      total += gradient.abs().sum().item<double>();
    }
    return std::pair(sum.item<double>(), total);
  };
  const auto open = size();
  CHECK(open.first > 0);
  CHECK(open.second > 0);
  CHECK(context.logged.at("gate_open") == 1);
  context.results["disc/adv_1"] = 1.2400229520;
  const auto closed = size();
  CHECK(closed.first == 0);
  CHECK(closed.second == 0);
  CHECK(context.logged.at("gate_open") == 0);
}

TEST_CASE("style_transfer: the literal objective includes the critics' penalty", "[models]") {
  StyleTransferOptions options = small();
  options.second_pair.enabled = true;
  Model64 plain(options);
  options.second_pair.penalty_in_generator = true;
  Model64 literal(options);
  StepOfTransfer context(true), other(true);
  const double penalty = plain.losses("critic", context)[1].item<double>();
  CHECK(penalty > 0);
  CHECK(
      (literal.losses("gen", other).back() - plain.losses("gen", context).back()).item<double>() ==
      Approx(10 * penalty).epsilon(1e-8));
  // Validation has no gradients.
  const at::NoGradGuard no_grad;
  StepOfTransfer validation(false);
  CHECK(plain.losses("critic", validation)[1].item<double>() == 0);
}

TEST_CASE("style_transfer: validation uses the lowest temperature", "[models]") {
  StyleTransferOptions options = small();
  options.soft.feed = SoftFeed::kSoftmax;
  options.soft.temperature.minimum = 0.25;
  Model64 m(options);
  const at::NoGradGuard no_grad;
  const auto soft = [&](bool training, int64_t epoch) {
    TrainerState state;
    state.epoch = epoch;
    StepOfTransfer context(training, state);
    m.losses("disc", context);
    return context.values.at("soft");
  };
  CHECK(at::equal(soft(false, 0), soft(true, 2)));
  CHECK(!at::equal(soft(false, 0), soft(true, 0)));
}

TEST_CASE("style_transfer: with pack_encoder a transferred sentence does not depend on its batch",
          "[models]") {
  StyleTransferOptions options = small();
  options.pack_encoder = GENERATE(true, false);
  Model64 m(options);
  const Tokens all = pad_sentences({{4, 5, 6, 7, 8, 9, 10}, {8, 9}, {}, {3, 3, 3}});
  const at::Tensor from = at::tensor({0, 1, 0, 1}, at::kLong);
  const at::Tensor together = m.model.encode_for(all, from, 1 - from);
  REQUIRE(together.sizes() == at::IntArrayRef({4, 8}));
  for (int64_t row = 0; row < 4; ++row) {
    INFO(row);
    const at::Tensor alone =
        m.model.encode_for(one_row(all, row), from.narrow(0, row, 1), 1 - from.narrow(0, row, 1));
    const bool same = alone[0].allclose(together[row], 1e-10, 1e-12);
    CHECK(same == (options.pack_encoder || row == 0));
    CHECK(at::isfinite(alone).all().item<bool>());
  }
  const Decoded decoded =
      decode(m.model, together, at::arange(4, at::kLong), {}, {.policy = {}, .max_length = 6});
  CHECK(decoded.sentences.size() == 4);
}

TEST_CASE("style_transfer: noise and states do not depend on the padding of a batch", "[models]") {
  StyleTransferOptions options = small();
  options.dropout = options.discriminator.dropout = 0.5;
  Model64 m(options);
  const auto sums = [&](int64_t columns, int64_t id) {
    Batch batch = transfer_batch();
    for (const std::string text : {"text_0", "text_1"}) {
      const at::Tensor ids = batch.fields[text];
      batch.fields[text] = at::cat({ids, at::full({4, columns}, id, at::kLong)}, 1);
    }
    StepOfTransfer context(true);
    return m.model.losses(m.phases.at("disc"), {batch}, context)[0].item<double>();
  };
  CHECK(sums(0, 0) == Approx(sums(3, 5)).epsilon(1e-12));
}

TEST_CASE("style_transfer: losses select the inputs and streams", "[models]") {
  StyleTransferOptions options = small();
  CHECK(StyleTransferModel::inputs(options)[0].arity == InputDecl::Arity::kOptional);
  CHECK(StyleTransferModel(options, testing::model_inputs(kWords, 1)).streams().size() == 1);
  CHECK(StyleTransferModel(options, inputs_of(options)).frozen().empty());
  options.loss.lang = 1e-3;
  options.loss.para = 0.2;
  options.second_pair.enabled = true;
  options.second_pair.critic_iterations = 2;
  const auto inputs = StyleTransferModel::inputs(options);
  REQUIRE(inputs.size() == 2);
  CHECK(inputs[1].name == "lm_1");
  CHECK(inputs[1].arity == InputDecl::Arity::kOne);
  CHECK(inputs[1].same_tokenizer);
  const StyleTransferModel model(options, inputs_of(options));
  CHECK(model.frozen().size() == 2);
  REQUIRE(model.streams().size() == 2);
  CHECK(model.streams()[1].fields[1].name == "to");
  CHECK(model.plan({}, {}) == StepPlan{"disc", "critic", "critic", "gen"});
  ModelInputs mixed = inputs_of(options);
  mixed.streams["paraphrases"] = {{.name = "from", .vocabulary = testing::usual_vocabulary(9)}};
  CHECK_THROWS_WITH(StyleTransferModel(options, mixed), Contains("same tokenizer"));
  struct Running : RnnLm {
    using RnnLm::RnnLm;
    bool ends() const override { return false; }
  };
  ModelInputs running = inputs_of(options);
  running.models["lm_1"].model =
      std::make_shared<Running>(RnnLmOptions{}, testing::model_inputs(kWords, 1));
  CHECK_THROWS_WITH(StyleTransferModel(options, running),
                    Contains("lm_1 must be a language model"));
}

TEST_CASE("style_transfer: options that no batch can satisfy are rejected", "[models]") {
  const auto parse = [](const char* text) {
    return parse_options_or_throw<StyleTransferOptions>(parse_yaml_or_throw(text, "test"));
  };
  CHECK_NOTHROW(parse("{discriminator: {filters: [3, 7]}}"));
  CHECK_THROWS_WITH(parse("{discriminator: {filters: [3, 8]}}"), Contains("min_length + 2"));
  CHECK_THROWS_WITH(parse("{max_length: 4}"), Contains("max_length"));
  CHECK_THROWS_WITH(parse("{soft: {temperature: {minimum: 2}}}"), Contains("minimum"));
  CHECK_THROWS_AS(parse("{second_pair: false}"), ConfigError);
}

TEST_CASE("style_transfer: a model without latent vectors of sentences has nothing to decode",
          "[models]") {
  Model64 m(small());
  CHECK_THROWS_WITH(m.model.start({.rows = 2}), Contains("no prior"));
}

TEST_CASE("style_transfer: a gate that stays closed is reported after the first epoch",
          "[models]") {
  const StyleTransferModel model(small(), inputs_of(small()));
  CHECK(model.warnings({{"gen/gate_open", 0.01}, {"gen/epoch", 0.9}}).empty());
  CHECK(model.warnings({{"gen/gate_open", 0.2}, {"gen/epoch", 3}}).empty());
  CHECK(model.warnings({{"gen/epoch", 3}}).empty());
  const auto warnings = model.warnings({{"gen/gate_open", 0.01}, {"gen/epoch", 1}});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].text.find("99 %") != std::string::npos);
  CHECK(warnings[0].text.find("discriminator.gate") != std::string::npos);
}
