// Selects among rows and among kept checkpoints.
#include "framework/pipeline/check/checked_selects.h"

#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const std::string kSelects = kTwoSizes + R"Y(evaluate:
  variety: {evaluator: diversity, samples: 10}
  fixed: {evaluator: diversity, samples: 10, inputs: {samples: data.test}}
  some: {evaluator: diversity, rows: "vae[*]", samples: 20}
select:
  best: {among: ["vae[*]", real], max: variety.unique}
  at: {among: checkpoints, nearest: 0.8, of: variety, within: 0.1, ties: later}
tables:
  all: {choose: at, columns: [variety]}
)Y";

}  // namespace

TEST_CASE("selects: among rows by the text that * matches, and among checkpoints", "[check]") {
  const Loaded loaded = load(kSelects);
  REQUIRE(loaded.checked.selects.size() == 2);
  const CheckedSelect& best = loaded.checked.selects[0];
  CHECK(best.id == "best");
  CHECK(best.metric == "variety");
  CHECK(best.score == "unique");
  CHECK((best.rule.by == SelectionRule::By::kMax));
  CHECK((best.rule.ties == Ties::kEarlier));
  CHECK_FALSE(best.among_checkpoints);
  std::vector<std::string> candidates;
  for (const auto& each : best.among) candidates.push_back(each.key + " " + each.row);
  CHECK(candidates == std::vector<std::string>{"2 vae[2]", "4 vae[4]", "real real"});
  const CheckedSelect& at = loaded.checked.selects[1];
  CHECK(at.among_checkpoints);
  CHECK(at.among.empty());
  CHECK(at.metric == "variety");
  CHECK(at.score.empty());
  CHECK((at.rule.by == SelectionRule::By::kNearest));
  CHECK(at.rule.target == 0.8);
  CHECK(at.rule.within.value_or(0) == 0.1);
  CHECK((at.rule.ties == Ties::kLater));
}

TEST_CASE("selects: errors", "[check]") {
  const auto wrong = [](const std::string& from, const std::string& to) {
    return mistake(replaced(kSelects, from, to));
  };
  CHECK_THAT(wrong("among: [\"vae[*]\", real], ", ""),
             Contains("select.best.among is missing: the candidates"));
  CHECK_THAT(wrong("max: variety.unique", "max: varietx"),
             Contains("select.best: 'varietx' is not a metric of `evaluate`"));
  CHECK_THAT(wrong("max: variety.unique", "max: variety.uniqe"),
             Contains("select.best: diversity has no score 'uniqe'"));
  CHECK_THAT(wrong("max: variety.unique", "max: variety, min: variety"),
             Contains("exactly one of max, min and nearest is required"));
  CHECK_THAT(wrong("max: variety.unique", "max: fixed"),
             Contains("select.best: fixed uses no row, so that all have the same score"));
  CHECK_THAT(wrong("max: variety.unique", "max: some"),
             Contains("select.best.among: some is not computed for real") &&
                 Contains("its `rows` exclude it") && Contains("1 error;"));
  CHECK_THAT(wrong("choose: at", "choose: best"),
             Contains("tables.all.choose: 'best' chooses among rows, not among kept checkpoints") &&
                 Contains("name it as a line of `rows`"));
}
