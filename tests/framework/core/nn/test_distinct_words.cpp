#include "framework/core/nn/distinct_words.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/torch.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("distinct words: every token maps to its word, each word occurs once", "[nn]") {
  const auto ids = at::tensor({7, 3, 7, 7, 0, 3}, at::kLong);
  const DistinctWords words = distinct_words(ids, 8);
  CHECK(words.ids.equal(at::tensor({7, 3, 0}, at::kLong)));
  CHECK(words.index == std::vector<int64_t>{0, 1, 0, 0, 2, 1});
  CHECK_THROWS_AS(distinct_words(ids, 7), std::logic_error);
  CHECK(distinct_words(ids.slice(0, 0, 0), 8).ids.size(0) == 0);
}

TEST_CASE("distinct words: padded sentences are traversed in the plan's order", "[nn]") {
  const auto ids = at::tensor({5, 9, 4, 5}, at::kLong).view({2, 2});
  const auto plan = plan_packing(at::tensor({1, 2}, at::kLong), 2, 2, false);
  const DistinctWords words = distinct_words(ids, plan, 10);
  CHECK(words.ids.equal(at::tensor({4, 5}, at::kLong)));  // 9 is padding
  CHECK(words.index == std::vector<int64_t>{0, 1, 1});
}

TEST_CASE("distinct words: sums of groups equal index_add", "[nn]") {
  const auto type = GENERATE(at::kFloat, at::kDouble);
  const std::vector<int64_t> group{2, 0, 2, 4, 0, 2};
  const auto x = normal_step({.seed = 1}, {6, 37}, type);
  const auto sums = sum_groups(x, group_rows(group, 5));
  const auto expected = at::zeros({5, 37}, type).index_add(0, at::tensor(group, at::kLong), x);
  CHECK(sums.allclose(expected, 1e-6, 1e-6));
  CHECK(sums[1].abs().sum().item<double>() == 0);
}
