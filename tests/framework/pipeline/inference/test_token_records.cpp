// Records of tokens under several policies, and lines about which policies disagree.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/decoding/policy.h"
#include "framework/core/model/registration.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/register.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

constexpr int64_t kTokens = 8;
constexpr int32_t kBos = 1, kEos = 2;

/// Scores that depend on the last token, on the number of tokens read and on the seed.
class Bigrams : public Model, public NextTokenModel {
 public:
  struct State : DecodeState {
    int64_t fed = 0;
    void select_rows(const at::Tensor&) override {}
  };
  Bigrams(bool of_sentences, double scale, double alpha = 1, uint64_t seed = 3)
      : of_sentences_(of_sentences), alpha_(alpha) {
    weights_ = scale * normal({.seed = seed}, at::arange(kTokens), {kTokens}, at::kFloat);
  }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  OutputMap output_map() const override { return {.alpha = alpha_}; }
  std::optional<int32_t> start_symbol() const override {
    return of_sentences_ ? std::optional(kBos) : std::nullopt;
  }
  bool ends() const override { return of_sentences_; }
  std::optional<int64_t> max_positions() const override { return 6; }
  std::unique_ptr<DecodeState> start(const Start&) override { return std::make_unique<State>(); }
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    const int64_t fed = static_cast<State&>(state).fed++;
    return weights_.index_select(0, ids) + 0.1 * static_cast<double>(fed) * at::arange(kTokens);
  }
  /// Scores [V] after `last`, the token number `fed` from 0.
  at::Tensor after(int64_t last, int64_t fed) const {
    return weights_[last] + 0.1 * static_cast<double>(fed) * at::arange(kTokens);
  }

 private:
  bool of_sentences_;
  double alpha_;
  at::Tensor weights_;
  Vocabulary vocabulary_{.size = kTokens, .bos = kBos, .eos = kEos, .pad = 0};
};

/// Ids 3 to 7: the beginning of a word, 3 a line end.
class Letters : public testing::FixedTokenizer {
 public:
  Letters()
      : FixedTokenizer(
            [](std::span<const int32_t> ids) {
              std::string text;
              for (const int32_t id : ids) text += std::string("?<>\nabcd")[id];
              return text;
            },
            {}, "letters"),
        vocabulary_{.size = kTokens, .bos = kBos, .eos = kEos, .pad = 0} {}
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<bool> begins_word(int32_t id) const override { return id != 7; }

 private:
  Vocabulary vocabulary_;
};

std::shared_ptr<const Tokenizer> letters() {
  static const auto tokenizer = std::make_shared<const Letters>();
  return tokenizer;
}

LoadedModel loaded(std::shared_ptr<Model> model) {
  return {.component = "bigrams", .model = std::move(model), .tokenizer = letters()};
}

const std::vector<TokenIds> kTexts = {{4, 5}, {6, 4, 4, 7, 5}, {}, {7}};

Configured component(const std::string& name, const std::string& options) {
  static const Registries registries = [] {
    Registries all;
    register_all_inference(all);
    return all;
  }();
  return registries.inference.get(name).configure(parse_yaml_or_throw(options, "test"));
}

const auto kIgnore = [](const std::string&) {};

std::vector<Inferred> records(const std::string& options, std::shared_ptr<Model> model,
                              std::vector<size_t> parts = {},
                              const std::vector<TokenIds>& texts = kTexts,
                              const std::vector<TokenIds>& contexts = {}) {
  Inputs inputs;
  inputs.add("model", loaded(std::move(model)));
  inputs.add("text", Text(texts, letters()));
  if (!contexts.empty()) inputs.add("context", Text(contexts, letters()));
  const Configured configured = component("token_records", options);
  const auto& inference = dynamic_cast<const InferenceOfParts&>(*configured.inference);
  if (parts.empty()) {
    for (size_t i = 0; i < configured.parts.size(); ++i) parts.push_back(i);
  }
  const torch::NoGradGuard no_grad;
  return inference.run_parts(inputs, parts, kIgnore);
}

const InferredColumn& column(const Inferred& inferred, const std::string& name) {
  for (const InferredColumn& each : inferred.columns) {
    if (each.decl.name == name) return each;
  }
  FAIL("there is no column " << name);
  return inferred.columns.front();
}

std::vector<TokenIds> ids(const Inferred& inferred, const std::string& name) {
  const auto all = column(inferred, name).text.ids();
  return {all.begin(), all.end()};
}

constexpr const char* kPolicies =
    "windows: [16, 2]\npolicies: {softmax: {type: temperature}, cold: {type: temperature, temperature: 0.5}, "
    "greedy: {type: greedy}, k: {type: top_k, k: [2, 3]}, nucleus: {type: nucleus, p: 0.7}, "
    "entmax: {type: temperature, alpha: 1.5}}";

}  // namespace

TEST_CASE("token records: the numbers of each predicted token, text by text", "[inference]") {
  const auto model = std::make_shared<Bigrams>(true, 2.0);
  const auto all = records(kPolicies, model);
  REQUIRE(all.size() == 7);
  for (const Inferred& part : all) {
    CHECK(column(part, "probability").rows == std::vector<int64_t>{0, 3, 9, 10, 12});
    CHECK(column(part, "probability").decl.ragged);
    CHECK(at::equal(column(part, "vocabulary").values, at::full({4}, 8.0f)));
    CHECK(ids(part, "target") == std::vector<TokenIds>{{4, 5, 2}, {6, 4, 4, 7, 5, 2}, {2}, {7, 2}});
    CHECK(ids(part, "context") == std::vector<TokenIds>(4));
    CHECK(part.metadata.at("tokens") == 12);
    CHECK(part.metadata.at("vocabulary") == 8);
    CHECK(part.metadata.at("given_tokens") == 0);
    CHECK(part.metadata.at("tokenizer") == "letters");
  }
  // The second text, token by token, over the whole vocabulary.
  const TokenIds read = {kBos, 6, 4, 4, 7, 5}, target = {6, 4, 4, 7, 5, kEos};
  for (int64_t t = 0; t < 6; ++t) {
    INFO("token " << t);
    const at::Tensor p = at::softmax(model->after(read[t], t).to(at::kDouble), 0);
    const int64_t at = 3 + t;
    const auto number = [&](size_t part, const char* name) {
      return column(all[part], name).values[at].item<double>();
    };
    CHECK(number(0, "probability") == Approx(p[target[t]].item<double>()).epsilon(1e-6));
    CHECK(number(0, "squares") == Approx(p.square().sum().item<double>()).epsilon(1e-6));
    CHECK(number(0, "support") == 8);
    const int64_t best = p.argmax().item<int64_t>();
    CHECK(number(2, "probability") == (best == target[t] ? 1 : 0));
    CHECK(number(2, "squares") == 1);
    CHECK(number(2, "support") == 1);
    CHECK(ids(all[2], "drawn")[1][t] == best);
    const auto [top, top_at] = p.topk(2);
    CHECK(number(3, "squares") ==
          Approx(((top / top.sum()).square().sum()).item<double>()).epsilon(1e-6));
    CHECK(number(3, "support") == 2);
    CHECK(number(4, "support") == 3);
    CHECK(number(6, "support") < 8);
    // The different tokens among the two and the sixteen predicted before.
    for (const int64_t window : {2, 16}) {
      double before = 0;
      for (int64_t id = 0; id < kTokens; ++id) {
        const auto first = target.begin() + std::max<int64_t>(0, t - window);
        if (std::find(first, target.begin() + t, id) != target.begin() + t) {
          before += p[id].item<double>();
        }
      }
      CHECK(number(0, window == 2 ? "repeated_2" : "repeated_16") ==
            Approx(before).epsilon(1e-6).margin(1e-12));
    }
  }
}

TEST_CASE("token records: the first token of running text is context", "[inference]") {
  const auto model = std::make_shared<Bigrams>(false, 2.0, 1.5);
  const auto all = records(kPolicies, model);
  CHECK(ids(all[0], "target") == std::vector<TokenIds>{{5}, {4, 4, 7, 5}, {}, {}});
  CHECK(ids(all[0], "context") == std::vector<TokenIds>{{4}, {6}, {}, {7}});
  CHECK(column(all[0], "support").rows == std::vector<int64_t>{0, 1, 5, 5, 5});
  CHECK(all[0].metadata.at("given_tokens") == 1);
  // Without alpha, the policy has the model's own function, here entmax with alpha 1.5.
  for (const char* name : {"probability", "squares", "support"}) {
    CHECK(at::equal(column(all[0], name).values, column(all[6], name).values));
  }
  CHECK(ids(all[0], "drawn") == ids(all[6], "drawn"));
  CHECK(records(kPolicies, model, {}, {}).front().columns.front().values.size(0) == 0);
}

TEST_CASE("token records: all tokens of a text are predicted after its context", "[inference]") {
  const std::vector<TokenIds> contexts = {{7}, {5, 6, 4, 4}, {3}, {4, 5}};
  for (const bool ends : {false, true}) {
    const auto model = std::make_shared<Bigrams>(ends, 2.0);
    const auto all = records(kPolicies, model, {}, kTexts, contexts);
    REQUIRE(all.size() == 7);
    std::vector<int64_t> rows = {0};
    int64_t at = 0;
    for (size_t i = 0; i < kTexts.size(); ++i) {
      TokenIds target = kTexts[i];
      if (ends) target.push_back(kEos);
      CHECK(ids(all[0], "target")[i] == target);
      int64_t last = ends && i == 1 ? kBos : contexts[i].back();  // see below
      for (size_t t = 0; t < target.size(); ++t, ++at) {
        const at::Tensor p =
            at::softmax(model->after(last, static_cast<int64_t>(t)).to(at::kDouble), 0);
        CHECK(column(all[0], "probability").values[at].item<double>() ==
              Approx(p[target[t]].item<double>()).epsilon(1e-6));
        CHECK(ids(all[2], "drawn")[i][t] == p.argmax().item<int64_t>());
        last = target[t];
      }
      rows.push_back(at);
    }
    CHECK(column(all[0], "probability").rows == rows);
    // The model reads 6 tokens, of the second text four without its last one, and BOS or EOS.
    auto read = contexts;
    if (ends) {
      read[1] = {};
    } else {
      read[1] = {4, 4};
    }
    CHECK(ids(all[0], "context") == read);
    CHECK(all[0].metadata.at("given_tokens") == 0);
  }
  const auto running = std::make_shared<Bigrams>(false, 1.0);
  CHECK_THROWS_WITH(records(kPolicies, running, {}, {{4}}, {{}}),
                    Contains("text 1 has an empty context"));
  CHECK_THROWS_WITH(records(kPolicies, running, {}, {{4}, {4, 4, 4, 4, 4, 4, 4}}, {{3}, {3}}),
                    Contains("text 2 leaves no position for a context"));
  CHECK_THROWS_WITH(records(kPolicies, running, {}, {{4}, {5}}, {{3}}),
                    Contains("`context` has 1 text, but `text` has 2"));
}

TEST_CASE("token records: policies together and one at a time have the same records",
          "[inference]") {
  const auto model = std::make_shared<Bigrams>(true, 1.0);
  const auto all = records(kPolicies, model);
  for (size_t part = 0; part < all.size(); ++part) {
    const Inferred one = records(kPolicies, model, {part}).front();
    for (const char* name : {"probability", "squares", "support"}) {
      CHECK(at::equal(column(one, name).values, column(all[part], name).values));
    }
    CHECK(ids(one, "drawn") == ids(all[part], "drawn"));
  }
  // The identity of a part is its policy, not its place.
  const auto parts = component("token_records", kPolicies).parts;
  CHECK(parts[3].id == "k_2");
  CHECK(parts[3].key ==
        component("token_records", "policies: {other: {type: top_k, k: 2}}").parts[0].key);
}

TEST_CASE("token records: draws are those of decoding and follow the distribution", "[inference]") {
  const auto model = std::make_shared<Bigrams>(true, 1.0);
  const std::vector<TokenIds> texts(4000, TokenIds{4});
  const std::string options = "{policies: {nucleus: {type: nucleus, p: 0.7}}, seed: 5}";
  const Inferred part = records(options, model, {}, texts).front();
  const Candidates from =
      candidates({.type = Policy::kNucleus, .p = 0.7}, {}, {}, model->after(4, 1).unsqueeze(0));
  std::map<int32_t, double> share;
  for (const TokenIds& drawn : ids(part, "drawn")) share[drawn[1]] += 1.0 / 4000;
  double total = 0;
  for (int64_t i = 0; i < from.ids.size(1); ++i) {
    const double p = from.probabilities[0][i].item<double>();
    if (p == 0) continue;
    const auto id = static_cast<int32_t>(from.ids[0][i].item<int64_t>());
    CHECK(std::abs(share[id] - p) < 4 * std::sqrt(p * (1 - p) / 4000));
    total += share[id];
  }
  CHECK(total == Approx(1));
  CHECK(ids(records("{policies: {nucleus: {type: nucleus, p: 0.7}}, seed: 6}", model, {}, texts)
                .front(),
            "drawn") != ids(part, "drawn"));
}

TEST_CASE(
    "token records: texts that the model cannot read and scores that are not finite are "
    "refused",
    "[inference]") {
  CHECK_THROWS_WITH(
      records(kPolicies, std::make_shared<Bigrams>(true, 1.0), {}, {{4, 4, 4, 4, 4, 4}}),
      Contains("token_records: the longest text has 6 tokens, but the model reads at most 6"));
  CHECK_NOTHROW(
      records(kPolicies, std::make_shared<Bigrams>(false, 1.0), {}, {{4, 4, 4, 4, 4, 4}}));
  CHECK_THROWS_WITH(records(kPolicies, std::make_shared<Bigrams>(true, NAN)),
                    Contains("scores of the next token are not finite"));
}

TEST_CASE("spread records: the rest of the mass is spread evenly", "[inference]") {
  const auto spread = [](const std::string& options) {
    return component("spread_records", options).inference->run({}, kIgnore);
  };
  const Inferred half = spread("{probability: 0.5, vocabulary: 50000}");
  CHECK(column(half, "probability").values.item<float>() == 0.5f);
  CHECK(column(half, "squares").values.item<double>() == Approx(.25 + .25 / 49999));
  CHECK(column(half, "support").values.item<float>() == 50000);
  CHECK(column(half, "vocabulary").values.item<float>() == 50000);
  CHECK(column(spread("{probability: 1}"), "support").values.item<float>() == 1);
  CHECK(column(spread("{probability: 0}"), "support").values.item<float>() == 49999);
}

namespace {

Inferred disagreements(const std::string& options, std::shared_ptr<Model> model,
                       std::shared_ptr<Model> sparse, const std::vector<TokenIds>& texts) {
  Inputs inputs;
  inputs.add("model", loaded(std::move(model)));
  inputs.add("sparse", loaded(std::move(sparse)));
  inputs.add("text", Text(texts, letters()));
  const torch::NoGradGuard no_grad;
  return component("disagreements", options).inference->run(inputs, kIgnore);
}

/// Generalized Jensen-Shannon divergence of distributions [K, V].
double divergence(const std::vector<at::Tensor>& all) {
  const at::Tensor p = at::stack(all).to(at::kDouble), mean = p.mean(0);
  return ((at::xlogy(p, p).sum() / static_cast<double>(all.size())) - at::xlogy(mean, mean).sum())
      .item<double>();
}

constexpr const char* kCompared =
    "policies: {softmax: {type: temperature}, greedy: {type: greedy}, "
    "entmax: {type: temperature, of: sparse}}";

}  // namespace

TEST_CASE("disagreements: the divergence of known distributions", "[inference]") {
  const auto row = [](const std::vector<double>& p) { return at::tensor(p, at::kDouble); };
  CHECK(divergence({row({.5, .3, .2, 0}), row({.6, .4, 0, 0}), row({1, 0, 0, 0})}) ==
        Approx(.20222127).margin(5e-9));
  CHECK(divergence({row({1, 0, 0}), row({0, 1, 0}), row({0, 0, 1})}) == Approx(std::log(3)));
}

TEST_CASE("disagreements: whole lines by their mean divergence, with the probabilities of words",
          "[inference]") {
  const auto model = std::make_shared<Bigrams>(false, 2.0);
  const auto sparse = std::make_shared<Bigrams>(false, 2.0, 1.5, 9);
  // Running text: the first and the last line of a block are not whole. "ad" is one word.
  const Inferred found =
      disagreements(kCompared, model, sparse, {{4, 3, 4, 7, 5, 3}, {3, 6, 3, 3, 5, 5}, {6, 6}});
  REQUIRE(found.text.size() == 2);
  std::map<std::string, double> expected;
  const auto distributions = [&](int64_t last, int64_t fed) {
    const at::Tensor p = at::softmax(model->after(last, fed), 0);
    const at::Tensor own = candidates({.type = Policy::kTemperature}, sparse->output_map(), {},
                                      sparse->after(last, fed).unsqueeze(0))
                               .probabilities[0];
    return std::vector<at::Tensor>{p, at::zeros({kTokens}).index_fill_(0, p.argmax(), 1), own};
  };
  const std::vector<int64_t> read = {3, 4, 7};
  double sum = 0;
  for (int64_t t = 0; t < 3; ++t) sum += divergence(distributions(read[t], t + 1)) / 3;
  expected["adb"] = sum;
  expected["c"] = divergence(distributions(3, 0));
  for (int64_t i = 0; i < 2; ++i) {
    const std::string line = found.text.lines()[i];
    INFO(line);
    REQUIRE(expected.contains(line));
    CHECK(column(found, "divergence").values[i].item<double>() ==
          Approx(expected[line]).epsilon(1e-5));
  }
  CHECK(column(found, "divergence").values[0].item<float>() >
        column(found, "divergence").values[1].item<float>());
  CHECK(found.metadata.at("compared_lines") == 2);

  const InferredColumn& words = column(found, "words");
  const int64_t line = found.text.lines()[0] == "adb" ? 0 : 1;
  const int64_t first = words.rows[line];
  REQUIRE(words.rows[line + 1] == first + 2);
  CHECK(words.text.lines()[first] == "ad");
  CHECK(words.text.lines()[first + 1] == "b");
  const std::vector<const char*> names = {"softmax", "greedy", "entmax"};
  for (size_t k = 0; k < names.size(); ++k) {
    INFO(names[k]);
    const at::Tensor& p = column(found, names[k]).values;
    CHECK(p[first].item<double>() ==
          Approx((distributions(3, 1)[k][4] * distributions(4, 2)[k][7]).item<double>())
              .epsilon(1e-5)
              .margin(1e-9));
    CHECK(p[first + 1].item<double>() ==
          Approx(distributions(7, 3)[k][5].item<double>()).epsilon(1e-5).margin(1e-9));
  }
  CHECK(disagreements(std::string("{") + kCompared + ", min_words: 2}", model, sparse,
                      {{4, 3, 4, 7, 5, 3}, {3, 6, 3, 3, 5, 5}})
            .text.lines()[0] == "adb");
  CHECK(disagreements(std::string("{") + kCompared + ", lines: 1}", model, sparse,
                      {{4, 3, 4, 7, 5, 3}, {3, 6, 3, 3, 5, 5}})
            .text.size() == 1);
}

TEST_CASE("disagreements: a sentence is one line, and models must predict the same tokens",
          "[inference]") {
  const auto model = std::make_shared<Bigrams>(true, 2.0);
  const Inferred found =
      disagreements(kCompared, model, std::make_shared<Bigrams>(true, 1.0), {{4, 5}, {6, 7, 5}});
  CHECK(found.metadata.at("compared_lines") == 2);
  CHECK_THROWS_WITH(
      disagreements(kCompared, model, std::make_shared<Bigrams>(false, 1.0), {{4, 5}}),
      Contains("'model' and 'sparse' do not predict the same tokens of a text"));
  CHECK_THROWS_WITH(component("disagreements", "policies: {greedy: {type: greedy}}"),
                    Contains("policies must list at least two policies"));
  CHECK(
      component("disagreements", "policies: {a: {type: greedy}, b: {type: top_k}}").inputs.size() ==
      2);
}

TEST_CASE("token alternatives: the most probable other tokens, by hand", "[inference]") {
  for (const bool of_sentences : {true, false}) {
    for (const double alpha : {1.0, 1.5}) {
      const auto model = std::make_shared<Bigrams>(of_sentences, 2.0, alpha);
      Inputs inputs;
      inputs.add("model", loaded(model));
      inputs.add("text", Text(kTexts, letters()));
      const torch::NoGradGuard no_grad;
      const Inferred made =
          component("token_alternatives", "{alternatives: 3}").inference->run(inputs, kIgnore);
      // The second text: sentences have EOS, running text has no prediction of its first token.
      const TokenIds& text = kTexts[1];
      const auto& rows = column(made, "token").rows;
      const int64_t tokens = std::ssize(text) + (of_sentences ? 1 : -1);
      REQUIRE(rows[2] - rows[1] == tokens);
      REQUIRE(column(made, "alternative").rows[1] == 3 * rows[1]);
      for (int64_t t = 0; t < tokens; ++t) {
        const int64_t read = of_sentences ? t - 1 : t;  // index of the last token read
        const at::Tensor scores = model->after(read < 0 ? kBos : text[read], t);
        std::vector<std::pair<double, int32_t>> expected;
        const PolicyOptions own{.type = Policy::kTemperature};
        const Candidates all = candidates(own, model->output_map(), std::vector<int32_t>{0, kBos},
                                          scores.unsqueeze(0));
        const int64_t target = read + 1 < std::ssize(text) ? text[read + 1] : kEos;
        double p_target = 0;
        int64_t support = 0;
        for (int64_t k = 0; k < all.ids.size(1); ++k) {
          const auto id = all.ids[0][k].item<int64_t>();
          const auto p = all.probabilities[0][k].item<double>();
          support += p > 0;
          if (id == target) {
            p_target = p;
          } else {
            expected.emplace_back(p, static_cast<int32_t>(id));
          }
        }
        std::sort(expected.rbegin(), expected.rend());
        const int64_t at = rows[1] + t;
        INFO(of_sentences << " " << alpha << " " << t);
        CHECK(column(made, "token").text.ids()[at] == TokenIds{static_cast<int32_t>(target)});
        CHECK(column(made, "probability").values[at].item<double>() ==
              Approx(p_target).margin(1e-6));
        CHECK(column(made, "support").values[at].item<int64_t>() == support);
        for (int64_t k = 0; k < 3; ++k) {
          const auto p = column(made, "alternative_probability").values[3 * at + k].item<double>();
          CHECK(p == Approx(expected[k].first).margin(1e-6));
          if (p > 0) {
            CHECK(column(made, "alternative").text.ids()[3 * at + k] ==
                  TokenIds{expected[k].second});
          }
        }
      }
    }
  }
}

TEST_CASE("token alternatives: those of a policy; greedy has those of the model", "[inference]") {
  const auto model = std::make_shared<Bigrams>(true, 2.0);
  Inputs inputs;
  inputs.add("model", loaded(model));
  inputs.add("text", Text(kTexts, letters()));
  const auto made = [&](const std::string& policy) {
    const torch::NoGradGuard no_grad;
    return component("token_alternatives", "{policy: '" + policy + "', alternatives: 100}")
        .inference->run(inputs, kIgnore);
  };
  const Inferred two = made("topk:2"), own = made("sample"), greedy = made("greedy");
  CHECK(column(two, "support").values.eq(2).all().item<bool>());
  CHECK(column(own, "support").values.eq(kTokens - 2).all().item<bool>());
  CHECK(column(greedy, "probability").values.equal(column(own, "probability").values));
  CHECK(column(made("beam:2"), "probability").values.equal(column(own, "probability").values));
  // All other tokens: with the token itself the probabilities sum to 1.
  const at::Tensor sums =
      column(own, "alternative_probability").values.view({-1, kTokens - 1}).sum(1) +
      column(own, "probability").values;
  CHECK((sums - 1).abs().max().item<double>() < 1e-5);
}

TEST_CASE("token alternatives: a text without predictions", "[inference]") {
  Inputs inputs;
  inputs.add("model", loaded(std::make_shared<Bigrams>(false, 2.0)));
  inputs.add("text", Text(std::vector<TokenIds>{{}, {5}}, letters()));
  const torch::NoGradGuard no_grad;
  const Inferred made = component("token_alternatives", "{}").inference->run(inputs, kIgnore);
  CHECK(column(made, "token").rows == std::vector<int64_t>{0, 0, 0});
  CHECK(column(made, "probability").values.numel() == 0);
}
