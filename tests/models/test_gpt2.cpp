#include "models/gpt2/gpt2.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "framework/core/decoding/decoder.h"
#include "framework/core/nn/entmax.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/shapes_only.h"
#include "framework/core/tensor/torch.h"
#include "models/gpt2/unlikelihood.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

/// A tokenizer without special tokens.
constexpr int32_t kWords = 7;

Gpt2Options options_of(const std::string& yaml) {
  return parse_options_or_throw<Gpt2Options>(parse_yaml_or_throw(yaml, "options"));
}

Gpt2Options small_options(const std::string& loss = "{}") {
  return options_of(
      "{layers: 2, heads: 2, width: 8, positions: 8, embedding_dropout: 0, attention_dropout: 0, "
      "residual_dropout: 0, loss: " +
      loss + "}");
}

std::shared_ptr<Gpt2> model_of(const Gpt2Options& options, uint64_t seed = 5) {
  return std::make_shared<Gpt2>(options, testing::model_inputs(Vocabulary{.size = kWords}, seed));
}

/// A model whose scores differ visibly, in float64.
std::shared_ptr<Gpt2> lively_model(const std::string& loss = "{}") {
  const auto model = model_of(small_options(loss));
  model->to(at::kDouble);
  const at::NoGradGuard no_grad;
  for (const auto& item : model->named_parameters()) {
    if (item.value().dim() > 1) item.value().mul_(20);
  }
  return model;
}

/// The model of the specification of the paper, section 7.9: the tensor of each name is 0.3 sin(0.7
/// i + k), row by row, gains 1 more. Matrices of blocks are given as [in, out].
std::shared_ptr<Gpt2> specified_model(const std::string& loss) {
  const auto model = model_of(options_of(
      "{layers: 1, heads: 2, width: 4, positions: 8, embedding_dropout: 0, attention_dropout: 0, "
      "residual_dropout: 0, loss: " +
      loss + "}"));
  model->to(at::kDouble);
  const std::map<std::string, int> phases = {{"tokens.weight", 1},
                                             {"positions.weight", 2},
                                             {"blocks.0.attention_norm.weight", 3},
                                             {"blocks.0.attention_norm.bias", 4},
                                             {"blocks.0.qkv.weight", 5},
                                             {"blocks.0.qkv.bias", 6},
                                             {"blocks.0.attention_output.weight", 7},
                                             {"blocks.0.attention_output.bias", 8},
                                             {"blocks.0.mlp_norm.weight", 9},
                                             {"blocks.0.mlp_norm.bias", 10},
                                             {"blocks.0.mlp_input.weight", 11},
                                             {"blocks.0.mlp_input.bias", 12},
                                             {"blocks.0.mlp_output.weight", 13},
                                             {"blocks.0.mlp_output.bias", 14},
                                             {"norm.weight", 15},
                                             {"norm.bias", 16}};
  const at::NoGradGuard no_grad;
  const auto parameters = model->named_parameters();
  REQUIRE(parameters.size() == phases.size());
  for (const auto& item : parameters) {
    INFO(item.key());
    const at::Tensor& value = item.value();
    const bool is_gain = item.key().find("norm.weight") != std::string::npos;
    const bool is_matrix = item.key().starts_with("blocks") && value.dim() == 2;
    const at::Tensor wave =
        0.3 * at::sin(0.7 * at::arange(value.numel(), at::kDouble) + phases.at(item.key())) +
        (is_gain ? 1 : 0);
    value.copy_(is_matrix ? wave.view({value.size(1), value.size(0)}).t()
                          : wave.view(value.sizes()));
  }
  return model;
}

const std::vector<std::vector<int32_t>> kSpecified = {{3, 1, 4, 1, 5}};

/// Mean of the terms of one batch.
std::vector<double> means(Gpt2& model, const std::vector<std::vector<int32_t>>& texts,
                          int64_t predictions) {
  FakeContext context(false);
  std::vector<double> values;
  for (const at::Tensor& sum : model.losses(model.phases().at(0), {text_batch(texts)}, context)) {
    values.push_back(sum.item<double>() / static_cast<double>(predictions));
  }
  return values;
}

const std::vector<std::vector<int32_t>> kTexts = {
    {3, 1, 4, 1, 5, 6, 2, 0}, {2}, {}, {6, 6, 5}, {0, 1}};
constexpr int64_t kPredicted = 7 + 0 + 0 + 2 + 1;

}  // namespace

TEST_CASE("gpt2: logits and losses of the specification", "[gpt2]") {
  const auto model = specified_model("{type: nll}");
  const at::Tensor scores = model->text_scores(pad_sentences({{3, 1, 4, 1, 5, 0}}));
  const at::Tensor first =
      at::tensor({.28982412, -.02680039, -.23932026, .47778618, -.66104137, .76790971, -.78604200},
                 at::kDouble);
  const at::Tensor last =
      at::tensor({.31294793, -.06290838, -.19440057, .42924550, -.61448883, .72872470, -.75875256},
                 at::kDouble);
  CHECK(scores[0].allclose(first, 0, 1e-8));
  CHECK(scores[4].allclose(last, 0, 1e-8));
  CHECK(means(*model, kSpecified, 4)[0] == Approx(2.06300427).margin(1e-8));
  for (const auto& [alpha, loss] :
       {std::pair("1.2", 1.51850240), {"1.5", 1.12602359}, {"2", .89917036}}) {
    const auto sparse = specified_model(std::string("{type: entmax, alpha: ") + alpha + "}");
    CHECK(means(*sparse, kSpecified, 4)[0] == Approx(loss).margin(1e-8));
  }
}

TEST_CASE("gpt2: terms are sums over predicted tokens", "[gpt2]") {
  for (const double alpha : {1.0, 1.5}) {
    const auto model = lively_model(alpha == 1 ? "{}" : "{type: entmax, alpha: 1.5}");
    const auto found = means(*model, kTexts, 1);
    const at::Tensor scores = model->text_scores(pad_sentences(kTexts));
    REQUIRE(scores.sizes() == at::IntArrayRef({kPredicted, kWords}));
    const at::Tensor targets =
        at::tensor(std::vector<int64_t>{1, 4, 1, 5, 6, 2, 0, 6, 5, 1}, at::kLong);
    const at::Tensor p = entmax(scores, alpha);
    const at::Tensor of_target = p.gather(1, targets.unsqueeze(1)).squeeze(1);
    const at::Tensor off = p - at::one_hot(targets, kWords);
    CHECK(found[0] == Approx(entmax_loss(scores, targets, alpha).sum().item<double>()));
    CHECK(found[1] == Approx((1 - off.square().sum(1) / 2).sum().item<double>()));
    const at::Tensor nats = model->score(pad_sentences(kTexts), {});
    CHECK(nats.sum().item<double>() == Approx(-of_target.log().sum().item<double>()));
    CHECK(nats[1].item<double>() == 0);
    CHECK(nats[2].item<double>() == 0);
    CHECK(nats[4].item<double>() == Approx(-of_target[9].log().item<double>()));
    CHECK(model->output_map().alpha == alpha);
  }
}

TEST_CASE("gpt2: gradients agree with finite differences", "[gpt2]") {
  const std::string loss = GENERATE("{type: nll}", "{type: entmax, alpha: 1.3}");
  const auto model = lively_model(loss);
  FakeContext context(true);
  const Batch batch = text_batch({{3, 1, 4, 1}, {6}, {5, 2}});
  std::vector<at::Tensor> parameters;
  for (const auto& item : model->named_parameters()) {
    if (item.key().starts_with("blocks.1")) continue;
    parameters.push_back(item.value());
  }
  const auto value = [&] { return model->losses(model->phases().at(0), {batch}, context).at(0); };
  const auto gradients = torch::autograd::grad({value()}, parameters);
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters.size(); ++i) {
    // Along one direction: all elements matter, and it costs two evaluations.
    const at::Tensor direction =
        normal_step({.seed = i}, parameters[i].sizes(), at::TensorOptions(at::kDouble));
    constexpr double kStep = 1e-5;
    parameters[i].add_(direction, kStep);
    const double above = value().item<double>();
    parameters[i].add_(direction, -2 * kStep);
    const double below = value().item<double>();
    parameters[i].add_(direction, kStep);
    const double expected = (above - below) / (2 * kStep);
    CHECK((gradients[i] * direction).sum().item<double>() ==
          Approx(expected).epsilon(1e-6).margin(1e-7));
  }
}

TEST_CASE("gpt2: prompts, steps and all positions at once give the same scores", "[gpt2]") {
  const auto model = model_of(small_options());
  {
    const at::NoGradGuard no_grad;
    for (const auto& item : model->named_parameters()) {
      if (item.value().dim() > 1) item.value().mul_(10);
    }
  }
  const Tokens texts = pad_sentences({{3, 1, 4, 1, 5, 6, 2, 0}, {2, 2}, {6, 6, 5, 4}});
  const at::Tensor whole = model->text_scores(texts);
  CHECK(whole.allclose(model->NextTokenModel::text_scores(texts), 1e-5, 1e-5));
  // Prompts of 5, 1 and 3 tokens.
  const Tokens prompts = pad_sentences({{3, 1, 4, 1, 5}, {2}, {6, 6, 5}});
  const auto state = model->start({.rows = 3, .prompt = prompts});
  const at::Tensor scores =
      model->step(*state, at::tensor(std::vector<int64_t>{5, 2, 5}, at::kLong));
  CHECK(scores.allclose(
      whole.index_select(0, at::tensor(std::vector<int64_t>{4, 7, 10}, at::kLong)), 1e-5, 1e-5));
  // The second text has ended; the others have read 5 and 3 tokens.
  state->select_rows(at::tensor(std::vector<int64_t>{2, 0}, at::kLong));
  const at::Tensor later = model->step(*state, at::tensor(std::vector<int64_t>{4, 6}, at::kLong));
  CHECK(later[1].allclose(whole[5], 1e-5, 1e-5));
  const at::Tensor fourth = model->text_scores(pad_sentences({{6, 6, 5, 4, 0}}))[3];
  CHECK(later[0].allclose(fourth, 1e-5, 1e-5));
  CHECK(model->max_positions() == 8);
  CHECK_FALSE(model->ends());
  CHECK_FALSE(model->start_symbol());
}

TEST_CASE("gpt2: texts of a prompt are the same alone, in a batch and after rows were compacted",
          "[gpt2]") {
  for (const char* loss : {"{}", "{type: entmax, alpha: 1.5}"}) {
    INFO("loss " << loss);
    const auto model = std::make_shared<Gpt2>(
        options_of("{layers: 2, heads: 2, width: 8, positions: 24, loss: " + std::string(loss) +
                   "}"),
        testing::model_inputs(Vocabulary{.size = 60}, 5));
    // In float64, where the rounding of a product, which depends on the batch, changes no draw.
    model->to(at::kDouble);
    const at::NoGradGuard no_grad;
    for (const auto& item : model->named_parameters()) {
      if (item.value().dim() > 1) item.value().mul_(20);
    }
    constexpr int64_t kRows = 14, kLength = 12;
    std::vector<TokenIds> prompts;
    std::vector<int64_t> last;
    for (int32_t row = 0; row < kRows; ++row) {
      prompts.emplace_back();
      TokenIds& prompt = prompts.back();
      for (int32_t t = 0; t <= (row * 5) % 9; ++t) prompt.push_back((row * 7 + t * 11) % 60);
      last.push_back(prompt.back());
    }
    const at::Tensor ids = at::arange(kRows, at::kLong) + 3;
    const NoiseKey key{.seed = 21};
    for (const PolicyOptions& policy :
         {PolicyOptions{}, PolicyOptions{.type = Policy::kTemperature},
          PolicyOptions{.type = Policy::kTopK, .k = 3},
          PolicyOptions{.type = Policy::kNucleus, .p = .8}}) {
      INFO("policy " << enum_name(policy.type));
      DecodeOptions options{policy, kLength, 50};
      const auto all = decode(*model, {}, ids, key, options, prompts).sentences;
      options.batch = 4;
      CHECK(decode(*model, {}, ids, key, options, prompts).sentences == all);
      for (int64_t row = 0; row < kRows; ++row) {
        const auto alone = decode(*model, {}, ids.narrow(0, row, 1), key, options,
                                  std::vector<TokenIds>{prompts[row]});
        CHECK(alone.sentences[0] == all[row]);
      }
      // Ended texts leave the batch at the step of their stop id.
      options.batch = 50;
      options.stop_ids = {all[0][2], all[3][4], all[7][1]};
      std::vector<TokenIds> cut = all;
      for (TokenIds& text : cut) {
        text.erase(std::find_first_of(text.begin(), text.end(), options.stop_ids.begin(),
                                      options.stop_ids.end()),
                   text.end());
      }
      CHECK(decode(*model, {}, ids, key, options, prompts).sentences == cut);
      // One text leaves at each step; the cache is compacted when a quarter of its rows is unused.
      const auto state = model->start({.rows = kRows, .prompt = pad_sentences(prompts)});
      at::Tensor next = at::tensor(last, at::kLong);
      for (int64_t position = 0; position < kLength; ++position) {
        const int64_t left = kRows - position;
        const at::Tensor drawn =
            choose_tokens(policy, model->output_map(), {}, model->step(*state, next),
                          ids.narrow(0, position, left), key, position);
        for (int64_t i = 0; i < left; ++i) {
          CHECK(drawn[i].item<int64_t>() == all[position + i][position]);
        }
        state->select_rows(at::arange(1, left, at::kLong));
        next = drawn.narrow(0, 1, left - 1);
      }
    }
  }
}

TEST_CASE("gpt2: no bias or gain decays", "[gpt2]") {
  const auto model = model_of(small_options());
  for (const ParamGroup& group : model->groups()) {
    for (const auto& [name, value] : group.params) CHECK(group.decays == (value.dim() == 2));
  }
  CHECK(model->groups().at(0).params.size() == 2 + 2 * 4);
  CHECK(model->groups().at(1).params.size() == 2 + 2 * 8);
}

TEST_CASE("gpt2: the sizes are the published ones", "[gpt2]") {
  const auto parameters = [](const std::string& size) {
    const ShapesOnly shapes;
    Gpt2 model(options_of("{size: " + size + "}"),
               testing::model_inputs(Vocabulary{.size = 50257}, 1));
    int64_t count = 0;
    for (const auto& value : model.parameters()) count += value.numel();
    return count;
  };
  CHECK(parameters("small") == 124439808);
  CHECK(parameters("medium") == 354823168);
  CHECK(parameters("large") == 774030080);
  CHECK(parameters("xl") == 1557611200);
}

TEST_CASE("gpt2: texts longer than the positions are refused", "[gpt2]") {
  const auto model = model_of(small_options());
  CHECK_NOTHROW(model->score(pad_sentences({{3, 1, 4, 1, 5, 6, 2, 0, 1}}), {}));
  CHECK_THROWS_WITH(model->score(pad_sentences({{3, 1, 4, 1, 5, 6, 2, 0, 1, 2}}), {}),
                    Catch::Contains("a text has 10 tokens") && Catch::Contains("only 8 positions"));
}

TEST_CASE("unlikelihood: repeated n-grams", "[gpt2]") {
  const auto mask = [](const std::vector<int64_t>& ids, int64_t order) {
    const at::Tensor found = repeated_ngrams(at::tensor(ids, at::kLong).unsqueeze(0), order)[0];
    std::string text;
    for (int64_t t = 0; t < found.size(0); ++t) text += found[t].item<bool>() ? '1' : '0';
    return text;
  };
  CHECK(mask({1, 2, 3, 4, 1, 2, 3, 4, 5}, 4) == "000011110");
  CHECK(mask({1, 2, 3, 4, 1, 2, 3, 4}, 4) == "00001111");
  CHECK(mask({1, 1, 1, 1, 1, 2}, 4) == "011110");
  CHECK(mask({1, 2, 1}, 4) == "000");
  CHECK(mask({1, 2, 1}, 1) == "001");
  // Texts do not see each other.
  const at::Tensor two = at::tensor({1, 2, 1, 2}, at::kLong).view({2, 2});
  CHECK_FALSE(repeated_ngrams(two, 2).any().item<bool>());
}

TEST_CASE("unlikelihood: losses of the specification", "[gpt2]") {
  // Two tokens with probabilities p and 1 - p: the scores are their logarithms.
  const at::Tensor p = at::tensor({.9, .5, .99, .2, .7, .6, .8, .95, .1}, at::kDouble);
  const at::Tensor mask =
      repeated_ngrams(at::tensor({1, 2, 3, 4, 1, 2, 3, 4, 5}, at::kLong).unsqueeze(0), 4)[0];
  const at::Tensor rows = unlikelihood_rows(at::stack({p.log(), (1 - p).log()}, 1),
                                            at::eye(2, at::kDouble), at::zeros({9}, at::kLong));
  CHECK(rows.masked_select(mask).sum().item<double>() / 9 == Approx(6.72543372 / 9).margin(1e-8));
  // Token level: the last prediction of {0, 3, 1} has the candidates 0 and 3.
  const at::Tensor z = at::tensor({1.2, .3, -.5, 2., 0.}, at::kDouble).unsqueeze(1);
  const auto token = [&](const std::vector<int64_t>& ids) {
    const at::Tensor text = at::tensor(ids, at::kLong);
    return token_unlikelihood(at::ones({text.size(0) - 1, 1}, at::kDouble), z, text).item<double>();
  };
  CHECK(token({0, 3, 1}) - token({0, 3}) == Approx(1.05639806).margin(1e-8));
  // Earlier tokens form a set without the target.
  CHECK(token({0, 3, 1, 0, 3, 1}) - token({0, 3, 1, 0, 3}) == Approx(1.05639806).margin(1e-8));
  const at::Tensor certain = at::tensor({0., 50.}, at::kDouble).unsqueeze(1);
  CHECK(token_unlikelihood(at::ones({1, 1}, at::kDouble), certain, at::tensor({1, 0}, at::kLong))
            .item<double>() == Approx(11.51292546));
}

TEST_CASE("unlikelihood: a certain repetition has a finite loss and the full gradient", "[gpt2]") {
  // p = 1 - 1e-9 in float32, where 1 - p would be 0.
  const at::Tensor weight = at::tensor({20.f, 0.f, -1.f}, at::kFloat).unsqueeze(1);
  at::Tensor hidden = at::full({1, 1}, 1.f).requires_grad_();
  const at::Tensor loss = unlikelihood_rows(hidden, weight, at::zeros({1}, at::kLong)).sum();
  const double others = std::log(1 + std::exp(-1.0));
  CHECK(loss.item<double>() == Approx(20 + std::log1p(std::exp(others - 20)) - others));
  loss.backward();
  // d/dh of z_0 - ln(e^z_1 + e^z_2): 20 + e^-1 / (1 + e^-1).
  CHECK(hidden.grad().item<double>() == Approx(20 + 1 / (1 + std::exp(1.0))));
}

TEST_CASE("unlikelihood: gradients agree with finite differences", "[gpt2]") {
  const at::Tensor targets = at::tensor({2, 0, 4}, at::kLong);
  const auto draw = [](uint64_t seed, at::IntArrayRef shape) {
    return normal_step({.seed = seed}, shape, at::TensorOptions(at::kDouble)) * 1.5;
  };
  check_gradients({draw(1, {3, 4}), draw(2, {5, 4})}, [&](const std::vector<at::Tensor>& v) {
    return weighted_sum({unlikelihood_rows(v[0], v[1], targets)});
  });
  const at::Tensor text = at::tensor({1, 3, 3, 0, 1, 2}, at::kLong);
  check_gradients({draw(3, {5, 4}), draw(4, {5, 4})}, [&](const std::vector<at::Tensor>& v) {
    return token_unlikelihood(v[0], v[1], text);
  });
}

TEST_CASE("gpt2: unlikelihood of sequences is that of its own greedy continuations", "[gpt2]") {
  const auto model = lively_model("{type: unlikelihood, prefix: 2, completion: 6, ngram: 1}");
  const Phase phase = model->phases().at(1);
  REQUIRE(phase.name == "unlikelihood");
  CHECK_FALSE(phase.validated);
  // The first text has two prefixes, the second one (its last token is left), the third none.
  const std::vector<std::vector<int32_t>> texts = {{3, 1, 4, 1}, {5, 6, 2}, {0}};
  FakeContext context(true);
  const double found = model->losses(phase, {text_batch(texts)}, context).at(0).item<double>();
  double expected = 0;
  for (const auto& [prefix, parts] :
       std::vector<std::pair<std::vector<int32_t>, int>>{{{3, 1}, 2}, {{4, 1}, 2}, {{5, 6}, 1}}) {
    std::vector<int32_t> text = prefix;
    std::set<int32_t> written;
    for (int step = 0; step < 6; ++step) {
      std::vector<int32_t> longer = text;
      longer.push_back(0);
      const at::Tensor p = at::softmax(model->text_scores(pad_sentences({longer}))[-1], 0);
      const auto next = static_cast<int32_t>(p.argmax().item<int64_t>());
      if (!written.insert(next).second) {
        expected += -std::log1p(-p[next].item<double>()) / (6 * parts);
      }
      text.push_back(next);
    }
  }
  REQUIRE(expected > 0.1);
  CHECK(found == Approx(expected).epsilon(1e-6));
  // The coin: a share of `rate` of the steps.
  const auto often =
      model_of(small_options("{type: unlikelihood, prefix: 2, completion: 6, rate: 0.3}"));
  int count = 0;
  for (uint64_t step = 0; step < 2000; ++step) {
    const StepPlan plan = often->plan({}, {.seed = 1, .step = step});
    REQUIRE(plan.size() == 1);
    count += plan.front() == "unlikelihood";
  }
  CHECK(std::abs(count - 600) < 4 * std::sqrt(2000 * .3 * .7));
}

TEST_CASE("gpt2: unlikelihood of sequences without a text of its prefix is reported", "[gpt2]") {
  const auto model = model_of(small_options("{type: unlikelihood, prefix: 4, completion: 2}"));
  FakeContext context(true);
  const Phase phase = model->phases().at(1);
  const at::Tensor sum = model->losses(phase, {text_batch({{3, 1, 4}, {5}})}, context).at(0);
  CHECK(sum.item<double>() == 0);
  const auto warnings = model->warnings({{"lm/nll", 0}, {"unlikelihood/repeats", 0}});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].id == "no_unlikelihood");
  CHECK_THAT(warnings[0].text, Catch::Contains("loss.prefix = 4 tokens"));
  CHECK(model->warnings({{"unlikelihood/repeats", 0.01}}).empty());
  CHECK(model->warnings({{"lm/nll", 0}}).empty());
}

TEST_CASE("gpt2: token-level unlikelihood is a term beside the likelihood", "[gpt2]") {
  const auto model = lively_model("{type: unlikelihood, level: token}");
  const auto found = means(*model, kTexts, 1);
  REQUIRE(found.size() == 3);
  double expected = 0;
  const at::Tensor log_p = at::log_softmax(model->text_scores(pad_sentences(kTexts)), 1);
  int64_t row = 0;
  for (const auto& text : kTexts) {
    std::set<int32_t> earlier;
    for (size_t t = 1; t < text.size(); ++t, ++row) {
      earlier.insert(text[t - 1]);
      for (const int32_t id : earlier) {
        if (id == text[t]) continue;
        expected -= std::log(std::max(1 - std::exp(log_p[row][id].item<double>()), 1e-5));
      }
    }
  }
  CHECK(found[2] == Approx(expected).epsilon(1e-6));
}

TEST_CASE("gpt2: options", "[gpt2]") {
  CHECK_THROWS_WITH(options_of("{loss: {type: entmax}}"), Catch::Contains("alpha is required"));
  CHECK_THROWS_WITH(options_of("{loss: {alpha: 1.5}}"), Catch::Contains("alpha is required"));
  CHECK_THROWS_WITH(options_of("{loss: {type: entmax, alpha: 10}}"), Catch::Contains("1..4"));
  CHECK_THROWS_WITH(options_of("{heads: 5}"), Catch::Contains("width must be a multiple of heads"));
  CHECK_THROWS_WITH(options_of("{loss: {type: nll, rate: 0.5}}"),
                    Catch::Contains("options of type=unlikelihood"));
  CHECK_THROWS_WITH(options_of("{positions: 120, loss: {type: unlikelihood}}"),
                    Catch::Contains("must not exceed positions"));
  const auto loss = options_of("{loss: {type: unlikelihood}}").loss;
  CHECK(loss.is_unlikelihood(UnlikelihoodLevel::kSequence));
  CHECK(loss.prefix.effective() == 50);
  CHECK(loss.completion.effective() == 100);
}
