#include "framework/core/datasets/batches.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <stdexcept>

#include "framework/core/base/error.h"
#include "framework/core/datasets/prefetcher.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

std::vector<int64_t> some_lengths(int64_t count) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < count; ++i) lengths.push_back(1 + mix_bits(5, i, 0) % 40);
  return lengths;
}

std::vector<std::vector<int64_t>> epoch_of(BatchPlan& plan, int64_t epoch) {
  std::vector<std::vector<int64_t>> all;
  for (int64_t k = 0; k < plan.batch_count(epoch); ++k) all.push_back(plan.batch(epoch, k));
  return all;
}

}  // namespace

TEST_CASE("batches: every sentence occurs exactly once per epoch within both limits", "[data]") {
  const auto lengths = some_lengths(1003);
  for (const auto order :
       {Order::kBucketed, Order::kFixed, Order::kRandom, Order::kConsecutive, Order::kSequential}) {
    for (const int64_t window : {0, 100}) {
      BatchPlan plan(lengths, {.order = order, .size = 32, .max_tokens = 300, .window = window});
      for (const int64_t epoch : {0, 1, 7}) {
        std::vector<int> seen(lengths.size());
        for (const auto& batch : epoch_of(plan, epoch)) {
          int64_t longest = 0;
          for (const int64_t i : batch) ++seen[i], longest = std::max(longest, lengths[i]);
          CHECK(batch.size() <= 32);
          CHECK(static_cast<int64_t>(batch.size()) * (longest + 1) <= 300);  // with EOS
        }
        CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
      }
    }
  }
}

TEST_CASE("batches: sentences over the limit are in no batch, all others in one", "[data]") {
  const auto lengths = some_lengths(1003);
  for (const auto order :
       {Order::kBucketed, Order::kFixed, Order::kRandom, Order::kConsecutive, Order::kSequential}) {
    BatchPlan plan(lengths, {.order = order, .size = 32, .window = 100, .max_length = 25});
    std::vector<int> seen(lengths.size());
    for (const auto& batch : epoch_of(plan, 2)) {
      for (const int64_t i : batch) ++seen[i];
    }
    int64_t used = 0;
    for (size_t i = 0; i < seen.size(); ++i) {
      CHECK(seen[i] == (lengths[i] <= 25 ? 1 : 0));
      used += seen[i];
    }
    CHECK(plan.size() == used);
    CHECK(used < 1003);
  }
  CHECK_THROWS_WITH(BatchPlan({9, 12}, {.max_length = 5}), Contains("train.max_length"));
}

TEST_CASE("batches: the order depends only on seed and epoch", "[data]") {
  const auto lengths = some_lengths(500);
  BatchPlan one(lengths, {.seed = 3}), two(lengths, {.seed = 3}), other(lengths, {.seed = 4});
  const auto third = epoch_of(one, 3);
  epoch_of(two, 0);
  CHECK(epoch_of(two, 3) == third);
  CHECK(epoch_of(two, 4) != third);
  CHECK(epoch_of(other, 3) != third);
}

TEST_CASE("batches: buckets have little padding, sequential keeps the order", "[data]") {
  const auto lengths = some_lengths(5000);
  BatchPlan bucketed(lengths, {}), random(lengths, {.order = Order::kRandom});
  CHECK(bucketed.padding(0) < 0.03);
  CHECK(random.padding(0) > 0.4);
  // Shuffled batches: the lengths of a bucketed epoch must not increase.
  int64_t rises = 0;
  for (int64_t k = 0; k + 1 < bucketed.batch_count(0); ++k) {
    rises += lengths[bucketed.batch(0, k)[0]] <= lengths[bucketed.batch(0, k + 1)[0]];
  }
  CHECK(rises < bucketed.batch_count(0) * 3 / 4);

  BatchPlan plan({5, 1, 9}, {.order = Order::kSequential, .size = 2});
  CHECK(epoch_of(plan, 2) == std::vector<std::vector<int64_t>>{{0, 1}, {2}});
}

TEST_CASE("batches: consecutive batches are slices of the document in random order", "[data]") {
  BatchPlan plan(some_lengths(1000), {.order = Order::kConsecutive, .size = 10});
  const auto batches = epoch_of(plan, 0);
  REQUIRE(batches.size() == 100);
  int64_t rises = 0;
  for (size_t k = 0; k < batches.size(); ++k) {
    CHECK(batches[k].front() % 10 == 0);
    for (int64_t i = 0; i < 10; ++i) CHECK(batches[k][i] == batches[k].front() + i);
    rises += k > 0 && batches[k - 1].front() < batches[k].front();
  }
  CHECK(std::abs(rises - 49) < 20);
  CHECK(epoch_of(plan, 1) != batches);
}

TEST_CASE("batches: fixed batches are those of the numeric case, in the same order every epoch",
          "[data]") {
  // Specification 5, case 7.14.
  BatchPlan plan({{3, 1, 2}, {5, 4, 6, 2, 3}}, {.order = Order::kFixed, .size = 2});
  const std::vector<std::vector<int64_t>> first = {{1, 1}, {2, 0}, {0}};
  const std::vector<std::vector<int64_t>> second = {{3, 4}, {1, 0}, {2}};
  REQUIRE(plan.batch_count(0) == 3);
  std::vector<int64_t> order;
  for (int64_t k = 0; k < 3; ++k) {
    const BatchRows batch = plan.rows(0, k);
    const auto found = std::find(second.begin(), second.end(), batch.rows[1]);
    REQUIRE(found != second.end());
    order.push_back(found - second.begin());
    CHECK(batch.rows[0] == first[order.back()]);
    CHECK(plan.rows(5, k).rows == batch.rows);
  }
  CHECK(std::set<int64_t>(order.begin(), order.end()).size() == 3);
  // Rows 1 and 1 + 3 of the first side are the same sentence with noise of its own.
  const auto slice = std::find(order.begin(), order.end(), 0) - order.begin();
  CHECK(plan.rows(0, slice).examples == std::vector<int64_t>{1, 4});
  BatchPlan other({{3, 1, 2}, {5, 4, 6, 2, 3}}, {.order = Order::kFixed, .size = 1, .seed = 2});
  CHECK(epoch_of(other, 0) == epoch_of(other, 1));
}

TEST_CASE("batches: both sides have equal length, the shorter one is repeated", "[data]") {
  for (const auto order :
       {Order::kBucketed, Order::kFixed, Order::kRandom, Order::kConsecutive, Order::kSequential}) {
    BatchPlan plan({some_lengths(100), some_lengths(7)}, {.order = order, .size = 9});
    CHECK(plan.size() == 100);
    std::vector<int> times(7);
    std::vector<int> seen(100);
    for (int64_t k = 0; k < plan.batch_count(3); ++k) {
      const BatchRows batch = plan.rows(3, k);
      REQUIRE(batch.rows.size() == 2);
      CHECK(batch.rows[0] == batch.examples);
      CHECK(batch.rows[1].size() == batch.examples.size());
      for (const int64_t row : batch.rows[0]) ++seen[row];
      for (const int64_t row : batch.rows[1]) ++times[row];
    }
    CHECK(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
    CHECK(std::all_of(times.begin(), times.end(), [](int count) { return count / 2 == 7; }));
  }
}

TEST_CASE("batches: a sentence that is too long is a batch of its own; bad options are rejected",
          "[data]") {
  BatchPlan plan({50, 2, 3}, {.order = Order::kSequential, .size = 0, .max_tokens = 10});
  CHECK(epoch_of(plan, 0) == std::vector<std::vector<int64_t>>{{0}, {1, 2}});
  // Two sentences of 3 tokens are 8 tokens with EOS.
  BatchPlan ends({3, 3, 3, 3}, {.order = Order::kSequential, .size = 0, .max_tokens = 8});
  CHECK(epoch_of(ends, 0) == std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}});
  ends = BatchPlan({3, 3, 3, 3}, {.order = Order::kSequential, .size = 0, .max_tokens = 7});
  CHECK(ends.batch_count(0) == 4);
  CHECK_THROWS_AS(BatchPlan(std::vector<int64_t>{1}, {.size = 0}), ConfigError);
  CHECK_THROWS_AS(BatchPlan(std::vector<int64_t>{1}, {.size = -1, .max_tokens = 5}), ConfigError);
  CHECK_THROWS_WITH(BatchPlan(std::vector<int64_t>{}, {}), Contains("the dataset is empty"));
  CHECK_THROWS_WITH(BatchPlan(std::vector<std::vector<int64_t>>{{1}, {}}, {}),
                    Contains("the dataset of side 1 is empty"));
  CHECK(BatchPlan(std::vector<int64_t>{3}, {.size = 64}).batch_count(0) == 1);
}

TEST_CASE("prefetcher: items are delivered in order, also the end and exceptions", "[data]") {
  for (const size_t ahead : {1, 5}) {
    int made = 0;
    Prefetcher<int> items(
        [&]() -> std::optional<int> {
          if (made == 100) return std::nullopt;
          return made++;
        },
        ahead);
    for (int i = 0; i < 100; ++i) CHECK(items.next() == i);
    CHECK_FALSE(items.next());
    CHECK_FALSE(items.next());
  }
  int made = 0;
  Prefetcher<int> failing(
      [&]() -> std::optional<int> {
        if (made == 3) throw std::runtime_error("broken");
        return made++;
      },
      10);
  for (int i = 0; i < 3; ++i) CHECK(failing.next() == i);
  CHECK_THROWS_WITH(failing.next(), "broken");
  CHECK_THROWS_WITH(failing.next(), "broken");
}

TEST_CASE("prefetcher: respects its limit and stops when destroyed", "[data]") {
  std::atomic<int> made = 0;
  {
    Prefetcher<int> items([&]() -> std::optional<int> { return made++; }, 3);
    CHECK(items.next() == 0);
    CHECK(items.next() == 1);
    CHECK(made <= 2 + 3);
  }
  const int after = made;
  CHECK(after <= 2 + 3);
}

TEST_CASE("batches: the last incomplete batch is left out on request", "[data]") {
  for (const Order order : {Order::kBucketed, Order::kRandom, Order::kSequential, Order::kFixed}) {
    const BatchOptions kept{.order = order, .size = 8};
    BatchOptions dropped = kept;
    dropped.drop_last = true;
    BatchPlan all(some_lengths(21), kept), whole(some_lengths(21), dropped);
    BatchPlan even(some_lengths(16), dropped);
    CHECK(all.batch_count(0) == 3);
    CHECK(whole.batch_count(0) == 2);
    CHECK(even.batch_count(0) == 2);
    for (int64_t k = 0; k < 2; ++k) {
      CHECK(whole.batch(0, k).size() == 8);
      CHECK(even.batch(0, k).size() == 8);
    }
  }
  // In document order, the first whole batches are the same.
  BatchPlan plan({1, 1, 1, 1, 1}, {.order = Order::kSequential, .size = 2, .drop_last = true});
  CHECK(plan.batch(0, 0) == std::vector<int64_t>{0, 1});
  CHECK(plan.batch(0, 1) == std::vector<int64_t>{2, 3});
  CHECK_THROWS_WITH(BatchPlan({1, 1}, {.size = 3, .drop_last = true}),
                    Contains("fewer than a batch of 3"));
}
