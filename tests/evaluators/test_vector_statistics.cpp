// Norms, spread and angles of vectors of texts.
#include <cmath>

#include "evaluators/vector_statistics/vector_statistics_evaluator.h"
#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset_writer.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

Dataset vectors(const TemporaryFolder& folder,
                const std::vector<std::vector<std::vector<float>>>& rows) {
  const auto file = folder / "vectors";
  DatasetWriter writer(
      file, {{.name = "embedding", .kind = ColumnKind::kVector, .shape = {2}, .ragged = true}});
  for (const auto& row : rows) {
    for (const auto& vector : row) writer.add_numbers(0, vector);
    writer.end_row();
  }
  writer.finish();
  return Dataset(file);
}

double value(const std::vector<Score>& scores, const std::string& id) {
  const Score* score = find_score(scores, id);
  REQUIRE(score);
  return score->value;
}

}  // namespace

TEST_CASE("vector statistics: norms, spread and cosines by hand", "[evaluators]") {
  const TemporaryFolder folder;
  Inputs inputs;
  // Of row 0 the first two texts have the same words; the third has one of them twice.
  inputs.add("embeddings", vectors(folder, {{{3, 4}, {4, 3}, {0, 1}}, {{3, -4}, {3, -4}}}));
  inputs.add("texts", Text({"left lung  clear", "clear left lung", "left left clear", "no", "no"}));
  inputs.add_rows("texts", {0, 3, 5});
  const auto scores = VectorStatisticsEvaluator({}).evaluate(inputs);
  CHECK(value(scores, "norm") == Approx((5 + 5 + 1 + 5 + 5) / 5.0));
  CHECK(value(scores, "norm_sd") == Approx(std::sqrt(4 * 0.64 + 3.2 * 3.2) / std::sqrt(5)));
  // Of 3 4 0 3 3 and 4 3 1 -4 -4.
  const double first = 43 / 5.0 - 2.6 * 2.6, second = 58 / 5.0;
  CHECK(value(scores, "variance") == Approx(first + second));
  CHECK(value(scores, "smallest_sd") == Approx(std::sqrt(first)));
  CHECK(value(scores, "largest_sd") == Approx(std::sqrt(second)));
  CHECK(value(scores, "constant") == 0);
  CHECK(value(scores, "next_cosine") == Approx((9 - 16) / 25.0));
  CHECK(value(scores, "permuted_cosine") == Approx(24 / 25.0));
  CHECK(value(scores, "permuted") == 1);
}

TEST_CASE("vector statistics: constant dimensions, and no texts", "[evaluators]") {
  const TemporaryFolder folder;
  Inputs inputs;
  inputs.add("embeddings", vectors(folder, {{{1, 0}}, {{1, 2}}}));
  const auto scores = VectorStatisticsEvaluator({}).evaluate(inputs);
  CHECK(value(scores, "constant") == 1);
  CHECK(std::isnan(value(scores, "permuted_cosine")));
  CHECK(find_score(scores, "permuted_cosine")->reason == "the input 'texts' is not given");
  inputs.add("texts", Text({"one", "two", "three"}));
  inputs.add_rows("texts", {0, 1, 3});
  CHECK_THROWS_AS(VectorStatisticsEvaluator({}).evaluate(inputs), DataError);
}
