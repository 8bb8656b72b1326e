// Continuations of texts.
#include <ATen/ATen.h>

#include <vector>

#include "framework/core/base/error.h"
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

constexpr int64_t kCharacters = 100;

/// Prefers the character after the last one, and 'a' after 'z'; reads at most 30 tokens.
class Alphabet : public Model, public NextTokenModel {
 public:
  struct State : DecodeState {
    void select_rows(const at::Tensor&) override {}
  };
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<int32_t> start_symbol() const override { return std::nullopt; }
  bool ends() const override { return false; }
  std::optional<int64_t> max_positions() const override { return 30; }
  std::unique_ptr<DecodeState> start(const Start&) override { return std::make_unique<State>(); }
  at::Tensor step(DecodeState&, const at::Tensor& ids) override {
    const at::Tensor last = at::where(ids.eq('z' - 32), at::full_like(ids, 'a' - 33), ids);
    return 2 * at::one_hot((last + 1).clamp_max(kCharacters - 1), kCharacters).to(at::kFloat);
  }

 private:
  Vocabulary vocabulary_{.size = kCharacters};
};

/// Characters from the blank (0) to DEL.
std::shared_ptr<const Tokenizer> characters() {
  return testing::fixed_tokenizer(
      [](std::span<const int32_t> ids) {
        std::string text;
        for (const int32_t id : ids) text += static_cast<char>(id + 32);
        return text;
      },
      [](std::string_view text) {
        TokenIds ids;
        for (const char c : text) ids.push_back(c - 32);
        return ids;
      });
}

const std::vector<std::string> kLines = {"one two three four five", "six", "  seven  eight nine"};

Inferred completed(const std::string& options, const std::vector<std::string>& lines = kLines,
                   const std::vector<std::string>& originals = {}) {
  static const Registries registries = [] {
    Registries all;
    register_all_inference(all);
    return all;
  }();
  Inputs inputs;
  inputs.add("model", LoadedModel{.component = "alphabet",
                                  .model = std::make_shared<Alphabet>(),
                                  .tokenizer = characters()});
  inputs.add("text", Text(lines));
  if (!originals.empty()) inputs.add("original", Text(originals));
  const at::NoGradGuard no_grad;
  return registries.inference.get("complete")
      .configure(parse_yaml_or_throw(options, "test"))
      .inference->run(inputs, [](const std::string&) {});
}

std::vector<std::string> lines_of(const Text& text) {
  return {text.lines().begin(), text.lines().end()};
}

std::vector<std::string> column(const Inferred& inferred, const std::string& name) {
  for (const InferredColumn& each : inferred.columns) {
    if (each.decl.name == name) return lines_of(each.text);
  }
  throw std::logic_error("no column " + name);
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("complete: prompts of words, and what the texts have in place of the continuations",
          "[inference]") {
  const Inferred inferred = completed("{words: 2, max_length: 4, policy: greedy}");
  CHECK(column(inferred, "prompt") == Lines{"one two", "six", "  seven  eight"});
  CHECK(lines_of(inferred.text) == Lines{"pqrs", "yzab", "uvwx"});
  CHECK(column(inferred, "original") == Lines{" thr", "", " nin"});
  CHECK(inferred.metadata.at("count") == 3);
}

TEST_CASE("complete: prompts of tokens, whole texts, and short texts left out", "[inference]") {
  const Inferred tokens = completed("{tokens: 5, max_length: 3, policy: greedy}");
  CHECK(column(tokens, "prompt") == Lines{"one t", "six", "  sev"});
  CHECK(column(tokens, "original") == Lines{"wo ", "", "en "});
  const Inferred whole = completed("{max_length: 2, policy: greedy}");
  CHECK(column(whole, "prompt") == kLines);
  CHECK(column(whole, "original") == Lines{"", "", ""});
  const Inferred some = completed("{words: 1, min_words: 3, max_length: 2, policy: greedy}");
  CHECK(column(some, "prompt") == Lines{"one", "  seven"});
  CHECK(some.metadata.at("left_out") == 1);
  CHECK(some.columns.back().values.equal(at::tensor({0.f, 2.f})));
  CHECK(lines_of(completed("{at_most: 1, max_length: 2, policy: greedy}").text) == Lines{"fg"});
}

TEST_CASE("complete: a draw depends on the text's index and the seed, not on other texts",
          "[inference]") {
  const Lines all = lines_of(completed("{words: 1, max_length: 12}").text);
  CHECK(all == lines_of(completed("{words: 1, max_length: 12}").text));
  CHECK(all != lines_of(completed("{words: 1, max_length: 12, seed: 1}").text));
  const Lines some = lines_of(completed("{words: 1, min_words: 3, max_length: 12}").text);
  CHECK(some == Lines{all[0], all[2]});
  CHECK(lines_of(completed("{words: 1, max_length: 12, first: 2}", {kLines[2]}).text) ==
        Lines{all[2]});
}

TEST_CASE("complete: the last tokens of a prompt that is too long are read", "[inference]") {
  const Inferred inferred = completed("{max_length: 20, policy: greedy}");
  CHECK(inferred.metadata.at("cut_prompts") == 2);  // of 23 and 18 characters; 11 fit
  CHECK(column(inferred, "prompt") == kLines);
  CHECK(lines_of(inferred.text)[0].starts_with("fghi"));
}

TEST_CASE("complete: given tokens end a continuation", "[inference]") {
  const Inferred all = completed("{words: 2, max_length: 4, policy: greedy}");
  REQUIRE(lines_of(all.text) == Lines{"pqrs", "yzab", "uvwx"});
  const Inferred some = completed("{words: 2, max_length: 4, policy: greedy, stop: [r, u]}");
  CHECK(lines_of(some.text) == Lines{"pq", "yzab", ""});
  CHECK(some.metadata.at("cut_off") == 1);
  CHECK_THROWS_WITH(completed("{stop: [ab]}"), Contains("stop: 'ab' is not one token"));
}

TEST_CASE("complete: what follows a text can be given", "[inference]") {
  const Lines given = {"a reply that is long", "b", ""};
  const Inferred inferred = completed("{max_length: 2, policy: greedy}", kLines, given);
  CHECK(column(inferred, "original") == given);
  CHECK(column(inferred, "prompt") == kLines);
  CHECK(column(completed("{min_words: 3, max_length: 2, policy: greedy}", kLines, given),
               "original") == Lines{given[0], given[2]});
  CHECK_THROWS_WITH(completed("{max_length: 2}", kLines, {"a"}), Contains("`original` has 1 text"));
}

TEST_CASE("complete: mistakes", "[inference]") {
  CHECK_THROWS_WITH(completed("{words: 2, tokens: 3}"), Contains("not both"));
  CHECK_THROWS_WITH(completed("{max_length: 31}"), Contains("but the model has 30"));
  CHECK_THROWS_AS(completed("{}", {""}), ConfigError);
}
