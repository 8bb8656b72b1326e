// Choices among candidates by a score of each.
#include "framework/pipeline/nodes/selection.h"

#include <cmath>
#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/options/yaml.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

const std::vector<Candidate> kCandidates = {{"2", 0.7}, {"4", 0.9}, {"6", 0.7}, {"8", 0.9}};

std::string chosen(const SelectionRule& rule,
                   const std::vector<Candidate>& candidates = kCandidates) {
  return choose(rule, candidates, "checkpoint").key.value_or("none");
}

SelectionRule rule_of(const std::string& yaml) {
  Errors errors;
  const auto options =
      parse_options<SelectionOptions>(parse_yaml_or_throw(yaml, "test"), errors, {}, "select.a");
  errors.throw_if_any();
  return options.rule();
}

}  // namespace

TEST_CASE("selection: the largest, the smallest and the nearest, with ties", "[nodes]") {
  using By = SelectionRule::By;
  CHECK(chosen({.by = By::kMax}) == "4");
  CHECK(chosen({.by = By::kMax, .ties = Ties::kLater}) == "8");
  CHECK(chosen({.by = By::kMin}) == "2");
  CHECK(chosen({.by = By::kMin, .ties = Ties::kLater}) == "6");
  CHECK(chosen({.by = By::kNearest, .target = 0.71}) == "2");
  CHECK(chosen({.by = By::kNearest, .target = 0.95, .ties = Ties::kLater}) == "8");
  // Equally far above and below, except for rounding.
  CHECK(chosen({.by = By::kNearest, .target = 0.8}) == "2");
  CHECK(chosen({.by = By::kNearest, .target = 0.8, .ties = Ties::kLater}) == "8");
  CHECK(choose({.by = By::kMax}, kCandidates, "row").score == 0.9);
}

TEST_CASE("selection: none is chosen if all are too far away or have no score", "[nodes]") {
  const SelectionRule near{.by = SelectionRule::By::kNearest, .target = 0.8, .within = 0.02};
  CHECK(chosen(near, {{"a", 0.78}}) == "a");  // 0.8 - 0.78 is more than 0.02 in floats
  CHECK(chosen(near, {{"a", 0.82}}) == "a");
  const Selection none = choose(near, {{"a", 0.7}, {"b", 0.74}}, "checkpoint");
  CHECK_FALSE(none.key);
  CHECK(none.score == 0.74);
  CHECK(none.reason == "no checkpoint within 0.02 of 0.8; nearest 0.74");
  const double nan = std::nan("");
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(chosen({}, {{"a", nan}, {"b", 0.1}, {"c", infinite}}) == "b");
  const Selection empty = choose({}, {{"a", nan}}, "row");
  CHECK_FALSE(empty.key);
  CHECK_FALSE(empty.score);
  CHECK(empty.reason == "no row has a finite score");
  CHECK_FALSE(choose({}, {}, "row").key);
}

TEST_CASE("selection: exactly one of max, min and nearest is set", "[nodes]") {
  const SelectionRule near = rule_of("{nearest: 0.80, of: acc, within: 0.02, ties: later}");
  CHECK(near.by == SelectionRule::By::kNearest);
  CHECK(near.target == 0.8);
  CHECK(near.within == 0.02);
  CHECK(near.ties == Ties::kLater);
  CHECK(rule_of("{max: 'sp[valid]'}").by == SelectionRule::By::kMax);
  CHECK(rule_of("{min: nll}").by == SelectionRule::By::kMin);
  for (const char* wrong :
       {"{}", "{max: a, min: b}", "{nearest: 1}", "{max: a, of: b}", "{max: a, within: 1}",
        "{nearest: 1, of: a, within: -1}", "{max: a, ties: first}"}) {
    CHECK_THROWS_AS(rule_of(wrong), ConfigError);
  }
}
