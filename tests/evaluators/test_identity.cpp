// Exact reproductions and permutations of words.
#include "evaluators/identity/identity_evaluator.h"

#include <cmath>

#include "framework/core/base/error.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

using Lines = std::vector<std::string>;

const Lines kReferences = {"the cat sat on the mat .", "he visits italy .",
                           "she said the dog is old ."};
const Lines kOutputs = {"the cat sat on the mat .", "he visits rome .",
                        "the dog she said is old ."};

std::map<std::string, Score> scores(const Lines& outputs, const Lines& references,
                                    const Lines& seen = {}) {
  std::map<std::string, Score> by_id;
  for (const Score& score :
       identity_scores(Text(outputs), Text(references), seen.empty() ? Text() : Text(seen))) {
    by_id[score.id] = score;
  }
  return by_id;
}

}  // namespace

TEST_CASE("identity: the numeric case", "[evaluators]") {
  const auto all = scores(kOutputs, kReferences);
  CHECK(all.at("id").value == Approx(33.333333).margin(1e-6));
  CHECK(all.at("perm").value == Approx(66.666667).margin(1e-6));
  CHECK(all.at("id_perm").value == Approx(50));
  CHECK(all.at("reordered").value == Approx(33.333333).margin(1e-6));
  CHECK(all.at("distinct").value == Approx(100));
  CHECK(all.at("id").notes == Lines{"1 of 3"});
  CHECK(all.at("id_perm").notes == Lines{"1 of 2"});
  // Wilson: (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n).
  CHECK(all.at("id").interval->lo == Approx(6.149).margin(1e-3));
  CHECK(all.at("id").interval->hi == Approx(79.234).margin(1e-3));
}

TEST_CASE("identity: no permutation leaves the ratio undefined", "[evaluators]") {
  const auto all = scores({"a b", "c"}, {"a c", "d"});
  CHECK(all.at("id").value == 0);
  CHECK(all.at("id").interval->lo == Approx(0).margin(1e-12));
  CHECK(all.at("id").interval->hi > 50);
  CHECK(std::isnan(all.at("id_perm").value));
  CHECK(all.at("id_perm").reason == "no output is a permutation of its reference");
}

TEST_CASE("identity: white space, empty outputs, repeated words", "[evaluators]") {
  const auto all = scores({" a  b ", "", "a a b", "c d"}, {"a b", "x", "a b b", "c d"});
  CHECK(all.at("id").value == Approx(50));
  CHECK(all.at("perm").value == Approx(50));
  const Score distinct = scores({"a", "a", "b", "c"}, {"a", "a", "b", "b"}).at("distinct");
  CHECK(distinct.value == Approx(75));
  CHECK(distinct.rows.values == std::vector<double>{25, 25, 125, 125});
  CHECK(distinct.interval->lo < 75);
  CHECK(distinct.interval->hi > 75);
  CHECK(scores({}, {}).at("distinct").reason == "there are no sentences");
  CHECK_THROWS_AS(scores({"a"}, {"a", "b"}), DataError);
}

TEST_CASE("identity: references that training has not seen", "[evaluators]") {
  const auto all = scores({"a b", "c d", "e"}, {"a b", "c d", "f"}, {"a  b", "g"});
  CHECK(all.at("id").value == Approx(200.0 / 3));
  CHECK(all.at("id_unseen").value == Approx(50));
  CHECK(all.at("id_unseen").notes == Lines{"1 of 2"});
}
