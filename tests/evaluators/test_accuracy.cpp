// Style accuracy and classifier accuracy, with a classifier that has another tokenizer.
#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <vector>

#include "evaluators/classifier_accuracy/classifier_accuracy_evaluator.h"
#include "evaluators/style_accuracy/style_accuracy_evaluator.h"
#include "framework/core/datasets/dataset_writer.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

/// Texts with the token "p" have class 1, all others class 0.
class FindsP : public Model, public TextClassifier {
 public:
  explicit FindsP(int64_t classes) : classes_(classes) {}
  int64_t classes() const override { return classes_; }
  at::Tensor classify(const Tokens& sentences) override {
    at::Tensor log_p = at::full({sentences.rows(), classes_}, -5.0);
    for (int64_t row = 0; row < sentences.rows(); ++row) {
      int64_t found = 0;
      for (int64_t t = 0; t < sentences.lengths[row].item<int64_t>(); ++t) {
        if (sentences.ids[row][t].item<int64_t>() == 'p') found = 1;
      }
      log_p[row][found] = -0.1;
    }
    return log_p;
  }

 private:
  int64_t classes_;
};

/// The classifier's tokenizer: the ids are the letters.
TokenIds letters(std::string_view text) {
  return {text.begin(), text.end()};
}
std::string decoded(std::span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) text += static_cast<char>(id);
  return text;
}
/// That of the texts: id 0 is "n", 1 is "p".
std::string words(std::span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) text += id == 0 ? "n" : "p";
  return text;
}

struct Given {
  TemporaryFolder folder;
  Inputs inputs;

  /// Texts of the input `name`: {{}, {0, 1}}.
  Given(const std::string& name, const std::vector<TokenIds>& texts,
        const std::vector<int32_t>& styles, int64_t classes = 2, int32_t of_column = 2) {
    DatasetWriter writer(folder / "data",
                         {{.name = "text", .vocabulary = {.size = 2}},
                          {.name = "style", .kind = ColumnKind::kLabel, .classes = of_column}});
    for (size_t i = 0; i < texts.size(); ++i) {
      writer.add_text(0, texts[i]);
      writer.add_label(1, styles[i]);
      writer.end_row();
    }
    writer.finish();
    inputs.add(name, Dataset(folder / "data"), false, fixed_tokenizer(words, {}, "words"));
    inputs.add("classifier",
               LoadedModel{.component = "finds_p",
                           .model = std::make_shared<FindsP>(classes),
                           .identity = "1a2b3c4d",
                           .tokenizer = fixed_tokenizer(decoded, letters, "letters")});
  }
  std::vector<Score> style_accuracy(const StyleAccuracyOptions& options = {}) const {
    return StyleAccuracyEvaluator(options).evaluate(inputs);
  }
};

const std::vector<TokenIds> kTexts = {{0, 1}, {0}, {}, {0, 0}, {1}, {0}};
const std::vector<int32_t> kStyles = {0, 0, 0, 1, 1, 1};

StyleAccuracyOptions with_target(int64_t target) {
  StyleAccuracyOptions options;
  options.target = target;
  return options;
}

}  // namespace

TEST_CASE("style accuracy: outputs in the other of two styles, by the style of the source",
          "[evaluators]") {
  const Given given("outputs", kTexts, kStyles);
  const auto scores = given.style_accuracy();
  REQUIRE(scores.size() == 5);
  CHECK(scores[0].id == "accuracy");
  CHECK(scores[0].value == Approx(3.0 / 6));
  CHECK(scores[0].n == 6);
  CHECK(scores[0].direction == Direction::kHigher);
  CHECK(scores[0].rows.values == std::vector<double>{1, 0, 0, 1, 0, 1});
  REQUIRE(scores[0].interval);
  CHECK(scores[0].signature ==
        "style_accuracy|target:other|classifier:1a2b3c4d|label:style|score:accuracy|n_sentences:6|"
        "version:2");
  CHECK(find_score(scores, "accuracy_0")->value == Approx(1.0 / 3));
  CHECK(find_score(scores, "accuracy_0")->n == 3);
  CHECK(find_score(scores, "accuracy_1")->value == Approx(2.0 / 3));
  // Three outputs have their target with e^-0.1, three with e^-5.
  CHECK(find_score(scores, "probability")->value ==
        Approx((3 * std::exp(-0.1) + 3 * std::exp(-5.0)) / 6));
  CHECK(find_score(scores, "empty")->value == Approx(1.0 / 6));
  CHECK(find_score(scores, "empty")->direction == Direction::kLower);
}

TEST_CASE("style accuracy: a fixed target, one direction only, no outputs", "[evaluators]") {
  const auto fixed = Given("outputs", kTexts, kStyles).style_accuracy(with_target(1));
  CHECK(fixed[0].value == Approx(2.0 / 6));
  CHECK(find_score(fixed, "accuracy_0")->value == Approx(1.0 / 3));
  CHECK(find_score(fixed, "accuracy_1")->value == Approx(1.0 / 3));
  const auto one_way = Given("outputs", {{1}, {0}}, {0, 0}, 2, 1).style_accuracy();
  CHECK(one_way[0].value == Approx(0.5));
  CHECK(find_score(one_way, "accuracy_0")->value == Approx(0.5));
  CHECK(find_score(one_way, "accuracy_1") == nullptr);
  const auto none = Given("outputs", {}, {}).style_accuracy();
  CHECK(std::isnan(none[0].value));
  CHECK(none[0].n == 0);
}

TEST_CASE("style accuracy: more than two classes require a target", "[evaluators]") {
  const Given given("outputs", {{1}, {0}, {1, 1}}, {0, 1, 2}, 3, 3);
  CHECK_THROWS_WITH(given.style_accuracy(), Contains("the classifier has 3 classes: set `target`"));
  CHECK_THROWS_WITH(given.style_accuracy(with_target(3)),
                    Contains("target 3 is not an index of a class"));
  const auto scores = given.style_accuracy(with_target(1));
  CHECK(scores[0].value == Approx(2.0 / 3));
  CHECK(find_score(scores, "accuracy_0") == nullptr);
  const Given wrong("outputs", {{1}}, {2}, 2, 3);
  CHECK_THROWS_WITH(wrong.style_accuracy(),
                    Contains("'style' has 3 classes, but the classifier 'finds_p' has 2"));
}

TEST_CASE("style accuracy: a missing label column is reported with the columns", "[evaluators]") {
  const Given given("outputs", kTexts, kStyles);
  StyleAccuracyOptions options;
  options.label = "sentiment";
  CHECK_THROWS_WITH(given.style_accuracy(options),
                    Contains("has no label column 'sentiment'; its columns are text, style") &&
                        Contains("outputs: [row.outputs, DATA.SPLIT.sentiment]"));
  options.label = "text";
  CHECK_THROWS_WITH(given.style_accuracy(options), Contains("no label column 'text'"));
}

TEST_CASE("classifier accuracy: the share of right classes, also of each class", "[evaluators]") {
  const Given given("records", kTexts, kStyles);
  const auto scores = ClassifierAccuracyEvaluator({}).evaluate(given.inputs);
  REQUIRE(scores.size() == 3);
  CHECK(scores[0].value == Approx(0.5));
  CHECK(scores[0].rows.values == std::vector<double>{0, 1, 1, 0, 1, 0});
  CHECK(find_score(scores, "accuracy_0")->value == Approx(2.0 / 3));
  CHECK(find_score(scores, "accuracy_1")->value == Approx(1.0 / 3));
  CHECK(scores[0].signature ==
        "classifier_accuracy|classifier:1a2b3c4d|label:style|score:accuracy|n_sentences:6|"
        "version:1");
}
