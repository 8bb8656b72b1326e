#include "framework/pipeline/results/cell_scores.h"

#include <limits>

#include "tests/catch.h"

namespace lvtext {

TEST_CASE("scores: a figure's score, or why there is none", "[results]") {
  const Experiment experiment{
      .metrics = {{.id = "rep", .evaluator = "repetition", .score = "rep"}}};
  const std::vector<Score> scores = {
      {.id = "rep", .value = 0.25},
      {.id = "wrep", .value = std::numeric_limits<double>::quiet_NaN()},
      {.id = "of_line", .value = 1, .line = 0},
      {.id = "of_line", .value = 2, .line = 1}};
  const auto shown = [&](const std::string& score, std::optional<int64_t> line,
                         std::string& reason) {
    return figure_score(experiment, {.metric = "rep", .score = score}, scores, line, reason);
  };
  std::string reason;
  CHECK(shown("", {}, reason) == &scores[0]);
  CHECK(shown("of_line", 1, reason) == &scores[3]);
  CHECK(reason.empty());
  CHECK_FALSE(shown("wrep", {}, reason));
  CHECK(reason == "the score is not finite");
  CHECK_FALSE(shown("squared", {}, reason));
  CHECK(reason == "repetition has no score 'squared' here");
}

}  // namespace lvtext
