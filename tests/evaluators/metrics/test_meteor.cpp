#include "evaluators/metrics/meteor.h"

#include <cmath>

#include "framework/core/base/files.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

enum class Modules { kExact, kStem, kSynonym };

/// Synonyms of the cases below.
std::shared_ptr<const WordNet> synonyms() {
  const TemporaryFolder folder;
  std::string text;
  const auto add = [&](const std::string& word, const std::string& synsets) {
    text += word + "\n" + synsets + "\n";
  };
  add("sandwich", "07695965 01529906 01665081");
  add("sub", "04347754 07697825 02258617");
  add("awful", "01587077 00054950 00193799 01126291 01677200 01282510 02012157");
  add("amazing", "01282510 02359789");
  add("extremely", "00046299 00089408");
  add("super", "10675721 00046299");
  for (const char* word : {"big", "great", "large"}) add(word, "01382086");
  add("good", "01123148");
  add("walk", "01904930");
  write_file_synced(folder / "english.synsets", text);
  write_file_synced(folder / "english.exceptions", "");
  return std::make_shared<const WordNet>(WordNet::load(folder.path));
}

double score(const char* hypothesis, const char* reference, Modules modules = Modules::kExact,
             const MeteorParameters& parameters = {}) {
  Meteor meteor(parameters, modules != Modules::kExact,
                modules == Modules::kSynonym ? synonyms() : nullptr);
  return meteor_score(meteor.stats(hypothesis, reference), parameters);
}

Approx near(double value) {
  return Approx(value).margin(5e-9).epsilon(0);
}

}  // namespace

TEST_CASE("meteor: scores of METEOR 1.5", "[text_metrics]") {
  struct Case {
    const char *hypothesis, *reference;
    double exact, stem, synonym;
  };
  for (const Case& each :
       {Case{"i got my car back and was very happy .",
             "i got my car back and was extremely unhappy .", 0.39657093, 0.39657093, 0.39657093},
        Case{"the cheese sandwich is absolutely awful .",
             "the mozzarella sub is absolutely amazing .", 0.17341900, 0.17341900, 0.28026212},
        Case{"the server was extremely bland with all .",
             "the owner was super nice and welcoming .", 0.07643312, 0.07643312, 0.14911825},
        Case{"the dogs walked home", "the dog walks home", 0.16, 0.76, 0.76},
        Case{"the the cat", "the cat the", 0.44673525, 0.44673525, 0.44673525},
        Case{"b a", "a b", 0.4, 0.4, 0.4}, Case{"a b c", "a b c", 1, 1, 1},
        Case{"a b c", "x y z", 0, 0, 0}, Case{"", "a b c", 0, 0, 0}, Case{"a b c", "", 0, 0, 0},
        Case{"", "", 0, 0, 0}}) {
    INFO(each.hypothesis << " | " << each.reference);
    CHECK(score(each.hypothesis, each.reference) == near(each.exact));
    CHECK(score(each.hypothesis, each.reference, Modules::kStem) == near(each.stem));
    CHECK(score(each.hypothesis, each.reference, Modules::kSynonym) == near(each.synonym));
  }
}

TEST_CASE("meteor: the alignments of METEOR's beam search", "[text_metrics]") {
  // Scores of METEOR 1.5. With the distance added to the match itself: 0.22857143.
  CHECK(score("great big .", ". great great", Modules::kSynonym) == near(0.40844366));
  // With the search weight 0.5 of stems and synonyms: 0.6. The beam search prefers no match to one
  // that adds a chunk and no weight; a definite match is not searched for.
  CHECK(score("good", "goods", Modules::kSynonym) == near(0));
  CHECK(score("good", "goods", Modules::kStem) == near(0.6));
  // Unless the paths are sorted stably: 0.2 and 0.31844642.
  CHECK(score("walk walk", "walk walks", Modules::kSynonym) == near(0.8));
  CHECK(score("big big big", "big big large", Modules::kSynonym) == near(0.93333333));
  // With a beam of 400 paths: 0.39619540.
  CHECK(score(", , a , a , a", ", a , , , , a ,") == near(0.36509783));
}

TEST_CASE("meteor: statistics of a pair, by hand", "[text_metrics]") {
  Meteor meteor({}, true, nullptr);
  // the (function word), dogs-dog and walked-walks (stems), home: one chunk of all words.
  const MeteorStats stats = meteor.stats("the dogs walked home", "the dog walks home");
  CHECK(stats[0] == Approx(0.25 + 0.75 * (0.6 + 0.6 + 1)));
  CHECK(stats[1] == Approx(0.25 + 3 * 0.75));
  CHECK(stats[2] == Approx(stats[0]));
  CHECK(stats[3] == Approx(stats[1]));
  CHECK(stats[4] == 4);
  CHECK(stats[5] == 0);  // not fragmented
  // A word too many: the chunk counts.
  CHECK(meteor.stats("the dogs walked home", "the dog walks home now")[5] == 1);
  CHECK(meteor.stats("home the dogs walked", "the dog walks home")[5] == 2);
}

TEST_CASE("meteor: parameters", "[text_metrics]") {
  // "c b" against "b c d": 2 matches in 2 chunks, P = 1, R = 2/3.
  CHECK(score("c b", "b c d", Modules::kExact, {.alpha = 0, .gamma = 0}) == near(1));
  CHECK(score("c b", "b c d", Modules::kExact, {.alpha = 1, .gamma = 0}) == near(2.0 / 3));
  CHECK(score("c b", "b c d", Modules::kExact, {.alpha = 0.5, .gamma = 0.5}) == near(0.8 * 0.5));
  // "b c x" against "b c y": 2 matches in 1 chunk.
  CHECK(score("b c x", "b c y", Modules::kExact, {.beta = 3, .gamma = 1}) == near(2 * 0.875 / 3));
  // Content words alone: "the" has the weight 0.
  CHECK(score("the b", "the c", Modules::kExact, {.delta = 1}) == 0);
  CHECK(score("the", "the", Modules::kExact, {.delta = 1}) == 0);  // 0 / 0
}

TEST_CASE("meteor: function words are found in lower case, words match as they are",
          "[text_metrics]") {
  CHECK(score("The x", "The y") == near(score("the x", "the y")));
  CHECK(score("The", "the") == 0);
}

TEST_CASE("meteor: the aggregate score is that of the sums", "[text_metrics]") {
  const MeteorParameters parameters;
  Meteor meteor(parameters, false, nullptr);
  const MeteorStats a = meteor.stats("b a", "a b"), b = meteor.stats("a b c", "a b c");
  MeteorStats sums{};
  for (size_t k = 0; k < sums.size(); ++k) sums[k] = a[k] + b[k];
  // All 5 words match; the 2 chunks of the first pair count, the single chunk of the second does
  // not.
  CHECK(meteor_score(sums, parameters) == near(1 - 0.6 * std::pow(2.0 / 5, 0.2)));
}
