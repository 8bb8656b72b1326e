// Sentences in another style, and the baselines of transfer: copied and drawn sentences.
#include <ATen/ATen.h>

#include <cmath>
#include <map>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/model/registration.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/register.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

constexpr int64_t kWords = 40, kEnd = 2;

/// The latent vector of a sentence is [first token + 10 (to - from), number of tokens]; decoding
/// repeats the first number as a token, as many times as the second number.
class Tens : public Model, public StyleTransfer, public NextTokenModel {
 public:
  struct State : DecodeState {
    at::Tensor z;
    int64_t fed = 0;
    void select_rows(const at::Tensor& index) override { z = z.index_select(0, index); }
  };
  explicit Tens(int64_t styles = 2) : styles_(styles) {}

  int64_t styles() const override { return styles_; }
  at::Tensor encode_for(const Tokens& sentences, const at::Tensor& from,
                        const at::Tensor& to) override {
    return at::stack({sentences.ids.select(1, 0) + 10 * (to - from), sentences.lengths}, 1);
  }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start& start) override {
    auto state = std::make_unique<State>();
    state->z = start.z;
    return state;
  }
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    auto& s = static_cast<State&>(state);
    const at::Tensor next =
        at::where(s.z.select(1, 1).gt(s.fed++), s.z.select(1, 0), at::full_like(ids, kEnd));
    return at::zeros({ids.size(0), kWords}).scatter_(1, next.unsqueeze(1), 9.0);
  }

 private:
  int64_t styles_;
  Vocabulary vocabulary_{.size = kWords, .bos = 1, .eos = kEnd, .pad = 0};
};

std::shared_ptr<const Tokenizer> tokenizer() {
  return testing::fixed_tokenizer([](std::span<const int32_t>) { return "words"; });
}

/// A tokenizer whose ids are three times 7 for any text.
std::shared_ptr<const Tokenizer> other_tokenizer() {
  return testing::fixed_tokenizer([](std::span<const int32_t>) { return ""; },
                                  [](std::string_view) {
                                    return TokenIds{7, 7, 7};
                                  },
                                  "11111111");
}

Inferred infer(const std::string& component, const std::string& options, const Inputs& inputs) {
  Registries registries;
  register_all_inference(registries);
  const torch::NoGradGuard no_grad;
  return registries.inference.get(component)
      .configure(parse_yaml_or_throw(options, "test"))
      .inference->run(inputs, [](const std::string&) {});
}

const std::vector<TokenIds> kSentences = {{4, 5, 6}, {17}, {}, {5, 5}, {19, 4, 4, 4}};
const std::vector<int32_t> kStyles = {0, 1, 0, 0, 1};

/// A dataset with the columns text, style (of `classes` classes), length (number) and tone (label).
Dataset labeled(const std::filesystem::path& file,
                const std::vector<TokenIds>& sentences = kSentences,
                const std::vector<int32_t>& styles = kStyles, int32_t classes = 2) {
  DatasetWriter writer(file, {{.vocabulary = {.size = 100}},
                              {.name = "style", .kind = ColumnKind::kLabel, .classes = classes},
                              {.name = "length", .kind = ColumnKind::kNumber},
                              {.name = "tone", .kind = ColumnKind::kLabel, .classes = 5}});
  for (size_t row = 0; row < sentences.size(); ++row) {
    writer.add_text(0, sentences[row]);
    writer.add_label(1, styles[row]);
    const auto length = static_cast<float>(sentences[row].size());
    writer.add_numbers(2, {&length, 1});
    writer.add_label(3, static_cast<int32_t>(sentences[row].size()));
    writer.end_row();
  }
  writer.finish();
  return Dataset(file);
}

LoadedModel tens(int64_t styles = 2, std::shared_ptr<const Tokenizer> tokens = tokenizer()) {
  return {
      .component = "toy", .model = std::make_shared<Tens>(styles), .tokenizer = std::move(tokens)};
}

std::vector<TokenIds> ids_of(const Text& text) {
  return {text.ids().begin(), text.ids().end()};
}

/// Requires the columns that are passed on: the sources and both labels of kSentences.
void require_sources(const Inferred& inferred) {
  REQUIRE(inferred.columns.size() == 3);
  const auto& [source, style, tone] =
      std::tie(inferred.columns[0], inferred.columns[1], inferred.columns[2]);
  CHECK(source.decl.name == "source");
  CHECK(ids_of(source.text) == kSentences);
  CHECK(source.text.tokenizer()->sha256() == tokenizer()->sha256());
  CHECK(style.decl.name == "style");
  CHECK(style.decl.kind == ColumnKind::kLabel);
  CHECK(style.decl.classes == 2);
  CHECK(at::equal(style.values, at::tensor({0, 1, 0, 0, 1}, at::kLong)));
  CHECK(tone.decl.name == "tone");
  CHECK(at::equal(tone.values, at::tensor({3, 1, 0, 2, 4}, at::kLong)));
}

}  // namespace

TEST_CASE("transfer: each sentence is decoded in the other style", "[inference]") {
  const TemporaryFolder folder;
  Inputs inputs;
  inputs.add("model", tens());
  inputs.add("data", labeled(folder / "data"), false, tokenizer());
  for (const std::string policy : {"", ", policy: 'beam:2'"}) {
    const Inferred moved = infer("transfer", "{max_length: 3" + policy + "}", inputs);
    CHECK(ids_of(moved.text) == std::vector<TokenIds>{{14, 14, 14}, {7}, {}, {15, 15}, {9, 9, 9}});
    CHECK(moved.text.tokenizer()->sha256() == tokenizer()->sha256());
    CHECK(moved.metadata.at("count") == 5);
    CHECK(moved.metadata.at("cut_off") == 2);
    CHECK(moved.metadata.at("empty") == 1);
    require_sources(moved);
  }
  // All sentences in one style; those of this style are reconstructed.
  const Inferred same = infer("transfer", "{to: 1}", inputs);
  CHECK(ids_of(same.text) ==
        std::vector<TokenIds>{{14, 14, 14}, {17}, {}, {15, 15}, {19, 19, 19, 19}});
  require_sources(same);
}

TEST_CASE("transfer: a text of one style, another tokenizer, three styles", "[inference]") {
  Inputs inputs;
  inputs.add("model", tens(3, other_tokenizer()));
  inputs.add("data", Text({{4, 5}, {6}}, tokenizer()));
  const Inferred moved = infer("transfer", "{from: 0, to: 2, label_column: tone}", inputs);
  CHECK(ids_of(moved.text) == std::vector<TokenIds>{{27, 27, 27}, {27, 27, 27}});
  REQUIRE(moved.columns.size() == 2);
  CHECK(ids_of(moved.columns[0].text) == std::vector<TokenIds>{{7, 7, 7}, {7, 7, 7}});
  CHECK(moved.columns[0].text.tokenizer()->sha256() == other_tokenizer()->sha256());
  CHECK(moved.columns[1].decl.name == "tone");
  CHECK(moved.columns[1].decl.classes == 3);
  CHECK(at::equal(moved.columns[1].values, at::tensor({0, 0}, at::kLong)));
  CHECK_THROWS_WITH(infer("transfer", "{from: 0}", inputs),
                    Contains("the model has 3 styles; set `to`"));
  CHECK_THROWS_WITH(infer("transfer", "{from: 0, to: 3}", inputs),
                    Contains("`to: 3` is not a style of the model, whose styles are 0 to 2"));
  CHECK_THROWS_WITH(infer("transfer", "{from: 4, to: 0}", inputs), Contains("`from: 4` is not"));
  CHECK_THROWS_WITH(infer("transfer", "{from: -1}", inputs), Contains("'from'"));
}

TEST_CASE("transfer: errors name the missing or unsuitable label", "[inference]") {
  const TemporaryFolder folder;
  Inputs inputs;
  inputs.add("model", tens());
  inputs.add("data", labeled(folder / "data"), false, tokenizer());
  CHECK_THROWS_WITH(infer("transfer", "{label_column: mood}", inputs),
                    Contains("no column 'mood'") && Contains("style"));
  CHECK_THROWS_WITH(infer("transfer", "{label_column: length}", inputs),
                    Contains("the column 'length' is not a label"));
  CHECK_THROWS_WITH(infer("transfer", "{label_column: tone}", inputs),
                    Contains("the column 'tone' has 5 classes, but the model has 2 styles"));
}

TEST_CASE("copy: the text is not changed, labels are passed on", "[inference]") {
  const TemporaryFolder folder;
  Inputs inputs;
  inputs.add("data", labeled(folder / "data"), false, tokenizer());
  const Inferred copied = infer("copy", "{}", inputs);
  CHECK(ids_of(copied.text) == kSentences);
  require_sources(copied);
}

TEST_CASE("copy: a row with several texts is rejected", "[inference]") {
  const TemporaryFolder folder;
  DatasetWriter writer(folder / "data", {{.vocabulary = {.size = 100}, .ragged = true}});
  writer.add_text(0, TokenIds{4});
  writer.add_text(0, TokenIds{5});
  writer.end_row();
  writer.finish();
  Inputs inputs;
  inputs.add("data", Dataset(folder / "data"), false, tokenizer());
  CHECK_THROWS_WITH(infer("copy", "{}", inputs), Contains("has several texts per row"));
}

TEST_CASE("random_lines: uniform, by seed and line index", "[inference]") {
  constexpr int64_t kCount = 6000, kLines = 6;
  const TemporaryFolder folder;
  std::vector<TokenIds> lines;
  for (int32_t i = 0; i < kLines; ++i) lines.push_back({i + 4});
  const auto draw = [&](const std::string& options, int64_t count,
                        const std::shared_ptr<const Tokenizer>& of_data = tokenizer()) {
    const Dataset data = labeled(folder / "data", std::vector<TokenIds>(count, TokenIds{9}),
                                 std::vector<int32_t>(count, 0));
    Inputs inputs;
    inputs.add("data", data, false, of_data);
    inputs.add("from", Text(lines, tokenizer()));
    return infer("random_lines", options, inputs).text;
  };
  const Text drawn = draw("{seed: 1}", kCount);
  REQUIRE(drawn.size() == kCount);
  std::map<int32_t, int64_t> counts;
  std::map<std::pair<int32_t, int32_t>, int64_t> pairs;
  for (size_t i = 0; i < drawn.size(); ++i) {
    ++counts[drawn.ids()[i].front()];
    if (i > 0) ++pairs[{drawn.ids()[i - 1].front(), drawn.ids()[i].front()}];
  }
  // The frequency of each of 6 lines and 36 pairs is within five standard deviations.
  CHECK(counts.size() == kLines);
  CHECK(pairs.size() == kLines * kLines);
  const auto deviation = [](double p) { return std::sqrt(kCount * p * (1 - p)); };
  for (const auto& [line, count] : counts) {
    CHECK(std::abs(static_cast<double>(count) - kCount / 6.0) < 5 * deviation(1 / 6.0));
  }
  for (const auto& [pair, count] : pairs) {
    CHECK(std::abs(static_cast<double>(count) - kCount / 36.0) < 5 * deviation(1 / 36.0));
  }
  // Depends only on the seed and the line index.
  CHECK(std::ranges::equal(draw("{seed: 1}", 50).ids(), drawn.ids().first(50)));
  CHECK_FALSE(std::ranges::equal(draw("{seed: 2}", 100).ids(), drawn.ids().first(100)));
  // The result has the tokenizer of the replaced sentences.
  const Text read = draw("{}", 2, other_tokenizer());
  CHECK(ids_of(read) == std::vector<TokenIds>{{7, 7, 7}, {7, 7, 7}});
  CHECK(read.tokenizer()->sha256() == other_tokenizer()->sha256());
  lines.clear();
  CHECK_THROWS_WITH(draw("{}", 1), Contains("has no sentences to draw"));
}

TEST_CASE("random_lines: sentences of another class than the source", "[inference]") {
  const TemporaryFolder folder;
  Inputs inputs;
  inputs.add("data", labeled(folder / "data"), false, tokenizer());
  const auto draw = [&](const std::vector<int32_t>& styles) {
    std::vector<TokenIds> lines;
    for (size_t i = 0; i < styles.size(); ++i) lines.push_back({static_cast<int32_t>(i) + 50});
    Inputs all = inputs;
    all.add("from", labeled(folder / "from", lines, styles), false, tokenizer());
    std::map<int32_t, std::map<int32_t, int64_t>> counts;  // by class of the source, then by token
    for (int64_t seed = 0; seed < 600; ++seed) {
      const Inferred drawn =
          infer("random_lines", "{label_column: style, seed: " + std::to_string(seed) + "}", all);
      if (seed == 0) require_sources(drawn);
      for (size_t i = 0; i < kStyles.size(); ++i) {
        ++counts[kStyles[i]][drawn.text.ids()[i].front()];
      }
    }
    return counts;
  };
  const auto counts = draw({1, 0, 1, 1});
  // 1800 draws for class 0 are uniform among rows 0, 2 and 3, 1200 for class 1 all take row 1.
  CHECK(counts.at(1) == std::map<int32_t, int64_t>{{51, 1200}});
  REQUIRE(counts.at(0).size() == 3);
  for (const int32_t token : {50, 52, 53}) {
    CHECK(std::abs(static_cast<double>(counts.at(0).at(token)) - 600) < 5 * std::sqrt(400.0));
  }
  CHECK_THROWS_WITH(draw({1, 1}), Contains("no sentences to draw for class 1 of 'style'"));
}
