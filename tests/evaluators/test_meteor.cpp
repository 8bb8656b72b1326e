#include <cmath>

#include "evaluators/meteor/meteor_evaluator.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/options/yaml.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

MeteorOptions options(const std::string& yaml) {
  return parse_options_or_throw<MeteorOptions>(parse_yaml_or_throw(yaml));
}

const Text kOutputs({"the dogs walked home", "b c", "b c d"});
const Text kReferences({"the dog walks home", "c b", "b c d"});

}  // namespace

TEST_CASE("meteor: mean and aggregate score of the evaluator", "[evaluators]") {
  const auto scores = meteor_scores(options("modules: [exact, stem]"), kOutputs, {kReferences});
  REQUIRE(scores.size() == 2);
  CHECK(scores[0].id == "meteor");
  CHECK(scores[0].title == "Met-noPara");
  CHECK(scores[0].value == Approx((0.76 + 0.4 + 1) / 3));
  CHECK(scores[0].rows.values.size() == 3);
  CHECK(scores[0].n == 3);
  CHECK(scores[0].signature ==
        "meteor|level:sentence|modules:exact,stem|alpha:0.85|beta:0.2|gamma:0.6|delta:0.75|"
        "compared:text|n_sentences:3|version:4");
  // Weighted matches 1.9 + 1.5 + 2.25 of 2.5 + 1.5 + 2.25, 9 matched words, 2 chunks.
  CHECK(scores[1].id == "aggregate");
  CHECK(scores[1].value == Approx(5.65 / 6.25 * (1 - 0.6 * std::pow(2.0 / 9, 0.2))));
  CHECK(scores[1].n == 3);
  CHECK(scores[1].signature ==
        "meteor|level:corpus|modules:exact,stem|alpha:0.85|beta:0.2|gamma:0.6|delta:0.75|"
        "compared:text|n_sentences:3|version:4");
  REQUIRE(scores[1].interval);
  CHECK(scores[1].interval->lo < scores[1].value);
  CHECK(scores[1].interval->hi > scores[1].value);
  CHECK(resampled(scores[1]).size() == resampled(scores[0]).size());
}

TEST_CASE("meteor: the best of several references counts", "[evaluators]") {
  const MeteorOptions exact = options("modules: exact");
  const Text bad({"x y z", "x", "b"});
  const auto both = meteor_scores(exact, kOutputs, {bad, kReferences});
  const auto good = meteor_scores(exact, kOutputs, {kReferences});
  for (size_t k = 0; k < 2; ++k) {
    CHECK(both[k].value == good[k].value);
    CHECK_THAT(both[k].signature, Contains("|delta:0.75|refs:2|compared:text|n_sentences:3"));
  }
  CHECK(meteor_scores(exact, kOutputs, {bad})[0].value < good[0].value);
  // Without a match the first reference counts: 0 of 3 and 3 of 3 words.
  const auto none = meteor_scores(exact, Text({"b c d", "b c d"}),
                                  {Text({"x", "b c d"}), Text({"x y z", "b c d"})});
  CHECK(none[1].value == Approx(1 / (0.15 * 2 + 0.85 * 4 / 3)));
}

TEST_CASE("meteor: one value for each class of the sentences", "[evaluators]") {
  const std::vector<int32_t> classes = {1, 0, 1};
  const auto scores =
      meteor_scores(options("modules: [exact, stem]"), kOutputs, {kReferences}, classes);
  REQUIRE(scores.size() == 4);
  CHECK(scores[0].value == Approx((0.76 + 0.4 + 1) / 3));
  CHECK(scores[1].id == "meteor_0");
  CHECK(scores[1].value == Approx(0.4));
  CHECK_FALSE(scores[1].interval);
  CHECK(scores[2].id == "meteor_1");
  CHECK(scores[2].value == Approx((0.76 + 1) / 2));
  CHECK_THAT(scores[2].signature, Contains("|n_sentences:2|"));
  CHECK(scores[3].id == "aggregate");
}

TEST_CASE("meteor: no sentences, one sentence, different numbers of sentences", "[evaluators]") {
  const MeteorOptions exact = options("modules: exact");
  CHECK(std::isnan(meteor_scores(exact, Text(), {Text()})[0].value));
  CHECK(meteor_scores(exact, Text(), {Text()})[1].value == 0);
  CHECK_FALSE(meteor_scores(exact, kOutputs.first(1), {kReferences.first(1)})[1].interval);
  CHECK_THROWS_AS(meteor_scores(exact, kOutputs, {kReferences.first(2)}), DataError);
}

TEST_CASE("meteor: options", "[evaluators]") {
  const TemporaryFolder folder;
  write_file_synced(folder / "english.synsets", "dogs\n1\nhound\n1\n");
  write_file_synced(folder / "english.exceptions", "");
  const std::string synonyms = "synonyms: " + folder.path.string();
  const Text dogs({"dogs"}), hound({"hound"});
  const auto scores = meteor_scores(options(synonyms), dogs, {hound});
  CHECK(scores[0].value == Approx(0.8));
  const std::string sum = sha256("dogs\n1\nhound\n1\n").substr(0, 8);
  CHECK_THAT(scores[0].signature,
             Contains("|modules:exact,stem,synonym|synonyms:" + sum + "|alpha:0.85"));
  CHECK(meteor_scores(options("modules: [stem, exact]\n" + synonyms), dogs, {hound})[0].value == 0);
  CHECK(meteor_scores(options("delta: 0.5\nalpha: 1\ngamma: 0.1\nmodules: exact"), Text({"the b"}),
                      {Text({"the c d"})})[0]
            .value == Approx(0.9 / 3));
  CHECK_THROWS_WITH(options("modules: [stem, synonym]"), Contains("modules must contain exact"));
  CHECK_THROWS_WITH(options("modules: [exact, paraphrase]"), Contains("exact, stem, synonym"));
  CHECK_THROWS_AS(options("alpha: 1.1"), ConfigError);
  CHECK_THROWS_WITH(
      meteor_scores(options("synonyms: " + (folder / "none").string()), dogs, {hound}),
      Contains("apt-get install wordnet-base") && Contains("modules: [exact, stem]"));
}
