#include "framework/core/decoding/best_first_search.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/tensor/philox.h"
#include "tests/catch.h"
#include "tests/framework/core/decoding/history_model.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

constexpr int64_t kFewIds = 9;  // padding, BOS, EOS and six words

struct Hypothetical {
  std::vector<int32_t> tokens;  // from the start symbol on, with EOS
  double sum = 0;

  double score() const { return sum / (static_cast<double>(tokens.size()) + 5.0 / 6); }
};

/// The published search, written down line by line for one sentence: a list in place of the queue.
class Transcription {
 public:
  Transcription(const at::Tensor& table, const at::Tensor& z) : table_(table), z_(z) {}

  std::vector<int32_t> run(size_t width, size_t finished, size_t max_length) {
    std::vector<Hypothetical> queue = {{{kBos}, 0}}, results;
    while (results.size() < finished && !queue.empty()) {
      const size_t expected = std::min(width, queue.size());
      std::vector<Hypothetical> expanded;
      while (expanded.size() < expected && !queue.empty()) {
        auto best = queue.begin();
        for (auto each = queue.begin(); each != queue.end(); ++each) {
          if (each->score() > best->score()) best = each;
        }
        const Hypothetical node = *best;
        queue.erase(best);
        if (node.tokens.back() == kEos) {
          results.push_back(node);
        } else if (node.tokens.size() <= max_length) {
          expanded.push_back(node);
        }
      }
      for (const Hypothetical& node : expanded) {
        for (const auto& [p, id] : successors(node, width)) {
          Hypothetical next = node;
          next.tokens.push_back(id);
          next.sum += p;
          queue.push_back(next);
        }
      }
    }
    if (results.empty()) return {};
    const auto best = std::max_element(
        results.begin(), results.end(),
        [](const Hypothetical& a, const Hypothetical& b) { return a.score() < b.score(); });
    return {best->tokens.begin() + 1, best->tokens.end() - 1};
  }

 private:
  std::vector<std::pair<double, int32_t>> successors(const Hypothetical& node, size_t width) {
    at::Tensor h = z_;
    for (const int32_t id : node.tokens) h = h / 2 + table_[id];
    const at::Tensor p = h.to(at::kDouble).softmax(0);
    std::vector<std::pair<double, int32_t>> all;
    for (int32_t id = kEos; id < kFewIds; ++id) all.push_back({p[id].item<double>(), id});
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    all.resize(std::min(width, all.size()));
    return all;
  }

  at::Tensor table_, z_;
};

at::Tensor few_starts(int64_t rows, uint64_t seed) {
  return 2 * normal({.seed = seed, .use = 1}, at::arange(rows, at::kLong), {kFewIds},
                    at::TensorOptions(at::kFloat));
}

}  // namespace

TEST_CASE("best-first search: equal to a transcription of the published one", "[decoding]") {
  size_t empty = 0, words = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    HistoryModel model(kFewIds, seed);
    const at::Tensor z = few_starts(5, seed);
    const BestFirstOptions options{
        .width = 1 + static_cast<int64_t>(seed % 5), .finished = 3, .max_length = 8, .batch = 7};
    const Decoded found = best_first_search(model, z, options);
    int64_t missing = 0;
    for (int64_t row = 0; row < z.size(0); ++row) {
      INFO(seed << ", row " << row);
      Transcription plain(model.table(), z[row]);
      const std::vector<int32_t> expected = plain.run(static_cast<size_t>(options.width), 3, 8);
      CHECK(found.sentences[static_cast<size_t>(row)] == expected);
      words += expected.size();
      missing += expected.empty() ? 1 : 0;
    }
    empty += static_cast<size_t>(missing);
    CHECK(found.cut_off <= missing);
  }
  CHECK(words > 100);
  CHECK(empty < 100);
}

TEST_CASE("best-first search: a sentence does not depend on its batch", "[decoding]") {
  HistoryModel model(kFewIds, 7);
  const at::Tensor z = few_starts(6, 7);
  const BestFirstOptions options{.width = 4, .finished = 2, .max_length = 10};
  const Decoded together = best_first_search(model, z, options);
  for (int64_t row = 0; row < z.size(0); ++row) {
    const Decoded alone = best_first_search(model, z.narrow(0, row, 1), options);
    CHECK(alone.sentences.front() == together.sentences[static_cast<size_t>(row)]);
  }
}

TEST_CASE("best-first search: without a finished sentence it is cut off", "[decoding]") {
  at::Tensor table = at::zeros({kFewIds, kFewIds});
  table.select(1, kEos).fill_(-1000);
  HistoryModel model(table);
  const Decoded found =
      best_first_search(model, at::zeros({2, kFewIds}), {.width = 3, .max_length = 4});
  CHECK(found.cut_off == 2);
  CHECK(found.sentences == std::vector<TokenIds>(2));
}
