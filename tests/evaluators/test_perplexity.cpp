// Perplexity with and without EOS, of models whose likelihoods are computed by hand.
#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/diversity/diversity_evaluator.h"
#include "evaluators/evaluate.h"
#include "evaluators/perplexity/perplexity_evaluator.h"
#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/text/special_ids.h"
#include "framework/core/text/words.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

/// Logits by position for each of two sentences, which differ in their first token. The id 2 is
/// EOS.
const std::map<int64_t, std::vector<std::vector<double>>> kLogits = {
    {0, {{2, 1, 0, -1}, {0.5, 0.5, 0.5, 0.5}}},
    {1, {{0, 3, 1, 0}, {1, 0, 2, 0}, {0, 0, 4, 1}}},
};

double nll(const std::vector<double>& logits, int64_t target) {
  double sum = 0;
  for (const double each : logits) sum += std::exp(each);
  return std::log(sum) - logits[static_cast<size_t>(target)];
}

class FixedScorer : public Model, public TextScorer {
 public:
  at::Tensor score(const Tokens& sentences, const at::Tensor&) override {
    at::Tensor nats = at::zeros({sentences.rows()}, at::kDouble);
    const at::Tensor targets = with_eos(sentences, 2);
    for (int64_t row = 0; row < sentences.rows(); ++row) {
      const auto& logits = kLogits.at(targets[row][0].item<int64_t>());
      for (int64_t t = 0; t <= sentences.lengths[row].item<int64_t>(); ++t) {
        nats[row] += nll(logits.at(t), targets[row][t].item<int64_t>());
      }
    }
    return nats;
  }
};

struct PromptState : DecodeState {
  Tokens prompt;
  void select_rows(const at::Tensor&) override {}
};

/// The same model with its scores after a prompt.
class FixedLm : public FixedScorer, public NextTokenModel {
 public:
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start& start) override {
    auto state = std::make_unique<PromptState>();
    state->prompt = start.prompt.value();
    return state;
  }
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    const Tokens& prompt = static_cast<PromptState&>(state).prompt;
    at::Tensor scores = at::zeros({prompt.rows(), 4});
    for (int64_t row = 0; row < prompt.rows(); ++row) {
      const int64_t length = prompt.lengths[row].item<int64_t>();
      CHECK(ids[row].item<int64_t>() == prompt.ids[row][length - 1].item<int64_t>());
      const auto& logits = kLogits.at(prompt.ids[row][0].item<int64_t>()).at(length);
      scores[row] = at::tensor(logits, at::kDouble).to(at::kFloat);
    }
    return scores;
  }

 private:
  Vocabulary vocabulary_ = {.size = 4, .eos = 2};
};

/// The tokenizer of both: ids are digits.
std::string digits(std::span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) text += static_cast<char>('0' + id);
  return text;
}
TokenIds ids_of(std::string_view text) {
  TokenIds ids;
  for (const char c : text) ids.push_back(c - '0');
  return ids;
}

Inputs inputs_of(std::shared_ptr<Model> model, const Text& outputs) {
  Inputs inputs;
  inputs.add("outputs", outputs);
  inputs.add("language_model", LoadedModel{.component = "fixed",
                                           .model = std::move(model),
                                           .identity = "1a2b3c4d",
                                           .sentences = 7,
                                           .tokenizer = fixed_tokenizer(digits, ids_of, "digits")});
  return inputs;
}

std::vector<Score> perplexity(std::shared_ptr<Model> model, const Text& outputs) {
  return PerplexityEvaluator({}).evaluate(inputs_of(std::move(model), outputs));
}

/// p(a), p(b), p(end) after BOS .6 .3 .1, after a .1 .5 .4, after b .2 .2 .6.
class Bigrams : public NextTokenModel {
 public:
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start&) override {
    return std::make_unique<PromptState>();
  }
  at::Tensor step(DecodeState&, const at::Tensor& ids) override {
    const std::map<int64_t, std::array<double, 3>> p = {
        {kBos, {.6, .3, .1}}, {4, {.1, .5, .4}}, {5, {.2, .2, .6}}};
    at::Tensor scores = at::full({ids.size(0), 6}, -INFINITY);
    for (int64_t row = 0; row < ids.size(0); ++row) {
      const auto& after = p.at(ids[row].item<int64_t>());
      scores[row][4] = std::log(after[0]);
      scores[row][5] = std::log(after[1]);
      scores[row][kEos] = std::log(after[2]);
    }
    return scores;
  }

 private:
  Vocabulary vocabulary_ = {.size = 6, .bos = kBos, .eos = kEos, .pad = kPad, .unk = kUnk};
};

}  // namespace

TEST_CASE("perplexity: NLL per token with and without EOS", "[evaluators]") {
  // NLL 0.44018970, 1.38629436 (EOS); 0.21099762, 0.49381171, 0.08288636 (EOS).
  const auto scores = perplexity(std::make_shared<FixedLm>(), Text({"0", "12"}));
  CHECK(scores[0].id == "perplexity");
  CHECK(scores[0].value == Approx(1.6868045686).epsilon(1e-9));
  CHECK(scores[0].n == 2);
  CHECK(scores[0].direction == Direction::kLower);
  CHECK(find_score(scores, "nats_per_token")->value == Approx(0.5228359514).epsilon(1e-9));
  CHECK(find_score(scores, "nats_per_sentence")->value == Approx(1.3070898784).epsilon(1e-9));
  const Score* without = find_score(scores, "perplexity_without_eos");
  REQUIRE(without);
  CHECK(without->value == Approx(std::exp(1.14499903 / 3)).epsilon(1e-6));
  CHECK(without->signature ==
        "perplexity|lm:1a2b3c4d,sentences:7|unknown:count|unit:perplexity_without_eos|"
        "tok:subword,digits|"
        "end:excluded|n_sentences:2|version:6");
  CHECK(find_score(scores, "tokens_per_sentence")->value == Approx(1.5));
}

TEST_CASE("perplexity: one value for each style of the sources", "[evaluators]") {
  const TemporaryFolder folder;
  const auto scores = [&](const std::vector<int32_t>& styles) {
    const auto records = folder / std::to_string(styles.size());
    DatasetWriter writer(records, {{.name = "style", .kind = ColumnKind::kLabel, .classes = 2}});
    for (const int32_t style : styles) {
      writer.add_label(0, style);
      writer.end_row();
    }
    writer.finish();
    Inputs inputs = inputs_of(std::make_shared<FixedLm>(), Text({"0", "12"}));
    inputs.add("records", Dataset(records));
    return PerplexityEvaluator({}).evaluate(inputs);
  };
  // The NLL of the first text is 1.82648406 for 2 tokens, that of the second 0.78769569 for 3.
  const auto of_two = scores({1, 0});
  const Score *first = find_score(of_two, "perplexity_1"),
              *second = find_score(of_two, "perplexity_0");
  REQUIRE((first && second));
  CHECK(first->value == Approx(std::exp(1.82648406 / 2)).epsilon(1e-7));
  CHECK(second->value == Approx(std::exp(0.78769569 / 3)).epsilon(1e-7));
  CHECK(second->n == 1);
  CHECK(second->signature ==
        "perplexity|lm:1a2b3c4d,sentences:7|unknown:count|unit:perplexity_0|tok:subword,digits|"
        "end:counted|"
        "n_sentences:1|version:6");
  CHECK(of_two[0].value == Approx(1.6868045686).epsilon(1e-9));
  CHECK_THROWS_AS(scores({1, 0, 0}), DataError);
}

TEST_CASE("perplexity: ids of the model's tokenizer are used, other texts are encoded",
          "[evaluators]") {
  const auto value = [](const Text& outputs) {
    return perplexity(std::make_shared<FixedLm>(), outputs)[0].value;
  };
  const auto shifted = [](std::span<const int32_t> ids) {
    std::string text;
    for (const int32_t id : ids) text += static_cast<char>('0' + id - 5);
    return text;
  };
  CHECK(value(Text({{0}, {1, 2}}, fixed_tokenizer(digits, ids_of, "digits"))) ==
        Approx(1.6868045686).epsilon(1e-9));
  CHECK(value(Text({{5}, {6, 7}}, fixed_tokenizer(shifted, {}, "shifted"))) ==
        Approx(1.6868045686).epsilon(1e-9));
}

TEST_CASE("perplexity: a model without next-token scores has no value without EOS",
          "[evaluators]") {
  const auto scores = perplexity(std::make_shared<FixedScorer>(), Text({"0", "12"}));
  CHECK(scores[0].value == Approx(1.6868045686).epsilon(1e-9));
  CHECK(find_score(scores, "perplexity_without_eos") == nullptr);
}

TEST_CASE("eos_nats: the likelihood of EOS after each sentence, empty ones included",
          "[evaluators]") {
  Bigrams model;
  const std::vector<TokenIds> sentences = {{4, 5}, {}, {4}, {5, 4, 4}};
  const auto nats = eos_nats(model, sentences, 3);
  REQUIRE(nats.size() == 4);
  const std::vector<double> p = {.6, .1, .4, .4};
  for (size_t i = 0; i < p.size(); ++i) CHECK(nats[i] == Approx(-std::log(p[i])).epsilon(1e-6));
  CHECK(eos_nats(model, {}, 3).empty());
}

namespace {

/// Words of one letter: a and b are known, others are unknown, and dropped if they are capitals.
TokenIds letters(std::string_view text) {
  TokenIds ids;
  for (const char c : text) {
    if (c == ' ' || (c >= 'A' && c <= 'Z')) continue;
    ids.push_back(c == 'a' ? 4 : c == 'b' ? 5 : kUnk);
  }
  return ids;
}

/// p(a), p(b), p(unknown), p(end): .1 .2 .4 .3 after the start and all tokens.
class Unigrams : public Model, public TextScorer, public NextTokenModel {
 public:
  /// `running`: texts without start symbol and end.
  explicit Unigrams(bool running = false) : running_(running) {}
  std::optional<int32_t> start_symbol() const override {
    return running_ ? std::nullopt : NextTokenModel::start_symbol();
  }
  bool ends() const override { return !running_; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start&) override {
    return std::make_unique<PromptState>();
  }
  at::Tensor step(DecodeState&, const at::Tensor& ids) override {
    at::Tensor scores = at::full({ids.size(0), 6}, -INFINITY);
    for (const auto& [id, p] : kP) scores.select(1, id).fill_(std::log(p));
    return scores;
  }
  at::Tensor score(const Tokens& sentences, const at::Tensor&) override {
    at::Tensor nats = at::zeros({sentences.rows()}, at::kDouble);
    for (int64_t row = 0; row < sentences.rows(); ++row) {
      for (int64_t t = running_ ? 1 : 0; t < sentences.lengths[row].item<int64_t>(); ++t) {
        nats[row] -= std::log(kP.at(sentences.ids[row][t].item<int64_t>()));
      }
      if (!running_) nats[row] -= std::log(kP.at(kEos));
    }
    return nats;
  }

 private:
  static inline const std::map<int64_t, double> kP = {{4, .1}, {5, .2}, {kUnk, .4}, {kEos, .3}};
  bool running_;
  Vocabulary vocabulary_ = {.size = 6, .bos = kBos, .eos = kEos, .pad = kPad, .unk = kUnk};
};

std::vector<Score> of_letters(const std::vector<std::string>& lines,
                              std::optional<UnknownTokens> unknown = {}, bool running = false) {
  Inputs inputs;
  inputs.add("outputs", Text(lines));
  inputs.add("language_model", LoadedModel{.component = "unigrams",
                                           .model = std::make_shared<Unigrams>(running),
                                           .identity = "1a2b3c4d",
                                           .sentences = 7,
                                           .tokenizer = fixed_tokenizer({}, letters, "letters")});
  return PerplexityEvaluator({.unknown = unknown}).evaluate(inputs);
}

}  // namespace

TEST_CASE("perplexity: the share of unknown words is a score, and a note on every score",
          "[evaluators]") {
  const auto real = of_letters({"a b", "b"}), gibberish = of_letters({"x y z", "x"});
  CHECK(gibberish[0].value < real[0].value);  // unknown words are easy to predict
  CHECK(find_score(real, "unknown_words")->value == 0);
  CHECK(real[0].notes.empty());
  CHECK(find_score(gibberish, "unknown_words")->value == 100);
  CHECK(find_score(of_letters({"a b x", "y"}), "unknown_words")->value == Approx(50));
  for (const char* id : {"perplexity", "nats_per_token", "perplexity_without_eos"}) {
    REQUIRE(find_score(gibberish, id)->notes.size() == 1);
    CHECK(find_score(gibberish, id)->notes[0] ==
          "100 % of the words are unknown to the language model and counted as the unknown token, "
          "which is easy to predict");
  }
}

TEST_CASE("perplexity: of running text, without EOS, as its signature states", "[evaluators]") {
  const std::vector<std::string> lines = {"a x b", "x", "x b x"};
  const auto counted = of_letters(lines, {}, true);
  const auto known = of_letters(lines, UnknownTokens::kExclude, true);
  const double b = -std::log(.2), x = -std::log(.4);
  CHECK(counted[0].value == Approx(std::exp((2 * b + 2 * x) / 4)).epsilon(1e-6));
  CHECK(known[0].value == Approx(std::exp(b)).epsilon(1e-6));
  CHECK(find_score(counted, "tokens_per_sentence")->value == Approx(4 / 3.0));
  CHECK(find_score(counted, "perplexity_without_eos") == nullptr);
  CHECK(counted[0].signature.find("|end:none|") != std::string::npos);
  CHECK(of_letters(lines)[0].signature.find("|end:counted|") != std::string::npos);
}

TEST_CASE("perplexity: unknown tokens can be excluded", "[evaluators]") {
  const std::vector<std::string> lines = {"a x b", "x", "b"};
  const auto counted = of_letters(lines), known = of_letters(lines, UnknownTokens::kExclude);
  const double a = -std::log(.1), b = -std::log(.2), x = -std::log(.4), end = -std::log(.3);
  CHECK(counted[0].value == Approx(std::exp((a + 2 * b + 2 * x + 3 * end) / 8)).epsilon(1e-6));
  CHECK(known[0].value == Approx(std::exp((a + 2 * b + 3 * end) / 6)).epsilon(1e-6));
  CHECK(find_score(known, "perplexity_without_eos")->value ==
        Approx(std::exp((a + 2 * b) / 3)).epsilon(1e-6));
  CHECK(find_score(known, "tokens_per_sentence")->value == Approx(1));
  CHECK(counted[0].signature.find("|unknown:count|") != std::string::npos);
  CHECK(known[0].signature.find("|unknown:exclude|") != std::string::npos);
  CHECK(known[0].notes.at(0).ends_with("and excluded"));
  CHECK(of_letters(lines, UnknownTokens::kCount)[0].value == counted[0].value);
}

TEST_CASE("perplexity: without a token before EOS it is undefined, with a reason", "[evaluators]") {
  for (const auto& scores :
       {of_letters({"X Y", "Z"}), of_letters({"x"}, UnknownTokens::kExclude)}) {
    const Score* without = find_score(scores, "perplexity_without_eos");
    REQUIRE(without);
    CHECK(std::isnan(without->value));
    CHECK(without->reason == "no token before EOS is counted");
    CHECK(scores[0].value == Approx(1 / .3));
    CHECK(scores[0].reason.empty());
  }
  CHECK(of_letters({"X Y", "Z"})[0].notes.at(0).ends_with("and not read by it"));
}

TEST_CASE("evaluate: empty sentences are a note on every score", "[evaluators]") {
  Inputs inputs;
  inputs.add("samples", Text({"a b", "", "b a", "\u3000"}));  // white space, not of ASCII
  Configured diversity;
  diversity.evaluator = std::make_shared<DiversityEvaluator>(DiversityOptions());
  diversity.inputs = diversity.evaluator->inputs();
  const auto scores = evaluate(diversity, inputs);
  REQUIRE(scores.size() == 3);
  for (const Score& score : scores) {
    CHECK(score.notes == std::vector<std::string>{"2 of 4 `samples` are empty (50 %)"});
  }
  CHECK(scores[0].real_is_best);
  // With token ids, too, and where no word of a sentence is a token.
  Inputs with_ids;
  with_ids.add("samples", Text({"a", "rare", "\u3000", "b"}, {{4}, {}, {5}, {5}},
                               std::make_shared<Words>(Words({"a", "b"}, {}))));
  CHECK(evaluate(diversity, with_ids)[0].notes ==
        std::vector<std::string>{"2 of 4 `samples` are empty (50 %)"});
}
