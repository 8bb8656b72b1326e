#include "framework/core/decoding/beam_search.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "framework/core/decoding/decoder.h"
#include "framework/core/tensor/philox.h"
#include "tests/catch.h"
#include "tests/framework/core/decoding/history_model.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

constexpr int64_t kVocabulary = 9;  // padding, BOS, EOS and six words

/// The history model in plain C++, in double precision.
class Exhaustive {
 public:
  Exhaustive(const HistoryModel& model, const at::Tensor& z, int64_t max_length)
      : table_(model.table().to(at::kDouble)), max_length_(max_length) {
    const at::Tensor start = z.to(at::kDouble).contiguous();
    visit({start.const_data_ptr<double>(), start.const_data_ptr<double>() + kVocabulary}, kBos, {},
          0);
  }

  /// All sentences of at most max_length tokens including EOS; longer ones are truncated.
  std::vector<Hypothesis> all;

 private:
  void visit(std::vector<double> h, int64_t last, const std::vector<int32_t>& tokens,
             double log_probability) {
    if (static_cast<int64_t>(tokens.size()) == max_length_) {
      all.push_back({tokens, false, log_probability, 0});
      return;
    }
    const double* row = table_.const_data_ptr<double>() + last * kVocabulary;
    double total = 0;
    for (int64_t id = 0; id < kVocabulary; ++id) {
      h[id] = h[id] / 2 + row[id];
      total += std::exp(h[id]);
    }
    for (int32_t id = kEos; id < kVocabulary; ++id) {
      const double extended = log_probability + h[id] - std::log(total);
      if (id == kEos) {
        all.push_back({tokens, true, extended, 0});
        continue;
      }
      std::vector<int32_t> longer = tokens;
      longer.push_back(id);
      visit(h, id, longer, extended);
    }
  }

  at::Tensor table_;
  int64_t max_length_;
};

double length_of(const Hypothesis& hypothesis) {
  return static_cast<double>(hypothesis.tokens.size()) + (hypothesis.ended ? 1 : 0);
}

std::vector<Hypothesis> ranked(std::vector<Hypothesis> all, double length_norm) {
  for (Hypothesis& each : all) {
    each.score = each.log_probability / std::pow((5 + length_of(each)) / 6, length_norm);
  }
  std::sort(all.begin(), all.end(),
            [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  return all;
}

at::Tensor starts(int64_t rows, uint64_t seed) {
  return 2 * normal({.seed = seed, .use = 1}, at::arange(rows, at::kLong), {kVocabulary},
                    at::TensorOptions(at::kFloat));
}

Decoded search(HistoryModel& model, const at::Tensor& z, const BeamOptions& beam,
               int64_t max_length, int64_t batch = kDecodeBatch) {
  return decode(model, z, at::arange(z.size(0), at::kLong), {}, {beam, max_length, batch});
}

Decoded greedy(HistoryModel& model, const at::Tensor& z, int64_t max_length) {
  return decode(model, z, at::arange(z.size(0), at::kLong), {}, {{}, max_length, kDecodeBatch});
}

void check_same(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].tokens == b[i].tokens);
    CHECK(a[i].ended == b[i].ended);
    CHECK(a[i].log_probability == b[i].log_probability);
    CHECK(a[i].score == b[i].score);
  }
}

}  // namespace

TEST_CASE("beam search: with a beam as wide as the tree it equals an exhaustive search",
          "[decoding]") {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const int64_t max_length = seed <= 3 ? 5 : 4;
    HistoryModel model(kVocabulary, seed);
    const at::Tensor z = starts(3, seed);
    for (const double length_norm : {0.0, 1.0}) {
      const BeamOptions beam{.width = 60000, .length_norm = length_norm, .n_best = 5};
      const Decoded found = search(model, z, beam, max_length);
      const Decoded likeliest = greedy(model, z, max_length);
      for (int64_t row = 0; row < 3; ++row) {
        INFO("seed " << seed << ", row " << row << ", length_norm " << length_norm);
        const Exhaustive tree(model, z[row], max_length);
        const auto expected = ranked(tree.all, length_norm);
        const auto& best = found.hypotheses[row];
        REQUIRE(best.size() == 5);
        CHECK(found.sentences[row] == best[0].tokens);
        for (size_t i = 0; i < best.size(); ++i) {
          CHECK(best[i].tokens == expected[i].tokens);
          CHECK(best[i].ended == expected[i].ended);
          CHECK(std::abs(best[i].log_probability - expected[i].log_probability) < 1e-5);
          CHECK(std::abs(best[i].score - expected[i].score) < 1e-5);
        }
        if (length_norm == 0) {
          const auto of_greedy = std::find_if(expected.begin(), expected.end(), [&](const auto& h) {
            const auto& tokens = likeliest.sentences[row];
            return h.tokens == tokens &&
                   h.ended == (static_cast<int64_t>(tokens.size()) < max_length);
          });
          REQUIRE(of_greedy != expected.end());
          CHECK(best[0].log_probability >= of_greedy->log_probability - 1e-5);
        }
      }
    }
  }
}

TEST_CASE("beam search: the reported probability is that of the returned sentence", "[decoding]") {
  int64_t better = 0, found_best = 0, sentences = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    HistoryModel model(kVocabulary, seed);
    const at::Tensor z = starts(4, seed);
    const Decoded one = search(model, z, {.width = 1}, 4);
    const Decoded four = search(model, z, {.width = 4, .n_best = 4}, 4);
    for (int64_t row = 0; row < 4; ++row) {
      const auto expected = ranked(Exhaustive(model, z[row], 4).all, 0);
      const auto& best = four.hypotheses[row];
      for (const Hypothesis& each : best) {
        const auto same = std::find_if(expected.begin(), expected.end(), [&](const auto& h) {
          return h.tokens == each.tokens && h.ended == each.ended;
        });
        REQUIRE(same != expected.end());
        CHECK(std::abs(each.log_probability - same->log_probability) < 1e-5);
      }
      CHECK(std::is_sorted(best.begin(), best.end(),
                           [](const auto& a, const auto& b) { return a.score > b.score; }));
      ++sentences;
      better += best[0].score > one.hypotheses[row][0].score + 1e-6;
      found_best += best[0].tokens == expected[0].tokens;
    }
  }
  CHECK(better > 0);
  CHECK(found_best > sentences / 2);
}

TEST_CASE("beam search: a sentence does not depend on the other sentences of its batch",
          "[decoding]") {
  HistoryModel model(kVocabulary, 3);
  const at::Tensor z = starts(17, 3);
  for (const double length_norm : {0.0, 0.6}) {
    const BeamOptions beam{.width = 3, .length_norm = length_norm, .n_best = 3};
    const Decoded all = search(model, z, beam, 12);
    const Decoded few = search(model, z, beam, 12, /*batch=*/7);
    for (int64_t row = 0; row < 17; ++row) {
      INFO("row " << row);
      const Decoded alone = search(model, z.narrow(0, row, 1), beam, 12);
      check_same(all.hypotheses[row], alone.hypotheses[0]);
      check_same(all.hypotheses[row], few.hypotheses[row]);
    }
  }
}

TEST_CASE("beam search: a beam of one is greedy decoding", "[decoding]") {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    HistoryModel model(kVocabulary, seed);
    const at::Tensor z = starts(20, seed);
    const Decoded expected = greedy(model, z, 10);
    for (const double length_norm : {0.0, 1.0}) {
      const Decoded found = search(model, z, {.width = 1, .length_norm = length_norm}, 10);
      CHECK(found.sentences == expected.sentences);
      CHECK(found.cut_off == expected.cut_off);
    }
  }
}

TEST_CASE("beam search: ties are broken by the better beam, then by the lowest id", "[decoding]") {
  HistoryModel model(at::zeros({6, 6}));
  const auto best = search(model, at::zeros({1, 6}), {.width = 3, .n_best = 3}, 2).hypotheses[0];
  // First EOS, 3 and 4 of four equal tokens; then of eight equal ones EOS after 3, and 3 after 3.
  REQUIRE(best.size() == 3);
  CHECK(best[0].tokens.empty());
  CHECK(best[0].log_probability == Approx(-std::log(6.0)));
  CHECK(best[1].tokens == std::vector<int32_t>{3});
  CHECK(best[1].ended);
  CHECK(best[2].tokens == std::vector<int32_t>{3, 3});
  CHECK(!best[2].ended);
  CHECK(best[2].log_probability == Approx(-2 * std::log(6.0)));
}

TEST_CASE("beam search: ended hypotheses leave the batch, others are kept at the limit",
          "[decoding]") {
  at::Tensor table = at::zeros({6, 6});
  table.select(1, 4).fill_(5);
  HistoryModel endless(table);
  const Decoded cut = search(endless, at::zeros({2, 6}), {.width = 2}, 3);
  CHECK(cut.cut_off == 2);
  CHECK(cut.sentences[1] == std::vector<int32_t>{4, 4, 4});
  CHECK(!cut.hypotheses[1][0].ended);
  table.select(1, kEos).fill_(9);
  HistoryModel silent(table);
  const Decoded empty = search(silent, at::zeros({2, 6}), {.width = 2}, 3);
  CHECK(empty.cut_off == 0);
  CHECK(empty.sentences == std::vector<std::vector<int32_t>>(2));
  CHECK(empty.hypotheses[0][0].ended);
  CHECK(silent.fed_rows == 2);  // no other hypothesis could become better
}

TEST_CASE("beam search: with prompts it equals the search in the remaining tree", "[decoding]") {
  HistoryModel model(kVocabulary, 8);
  const std::vector<TokenIds> prompts = {{5, 4, 8}, {}, {3}};
  const at::Tensor z = starts(3, 8), ids = at::arange(3, at::kLong);
  const BeamOptions beam{.width = 60000, .length_norm = 0, .n_best = 3};
  const Decoded found = decode(model, z, ids, {}, {beam, 3, kDecodeBatch}, prompts);
  for (int64_t row = 0; row < 3; ++row) {
    std::vector<Hypothesis> rest;
    const auto length = static_cast<int64_t>(prompts[row].size());
    for (Hypothesis& each : Exhaustive(model, z[row], length + 3).all) {
      const bool begins = static_cast<int64_t>(each.tokens.size()) >= length &&
                          std::equal(prompts[row].begin(), prompts[row].end(), each.tokens.begin());
      if (!begins) continue;
      each.tokens.erase(each.tokens.begin(), each.tokens.begin() + length);
      rest.push_back(std::move(each));
    }
    const auto expected = ranked(rest, 0);
    for (size_t i = 0; i < 3; ++i) {
      CHECK(found.hypotheses[row][i].tokens == expected[i].tokens);
    }
    // The log probability does not include the prompt: differences are those of the whole tree.
    const auto& best = found.hypotheses[row];
    CHECK(best[0].log_probability - best[1].log_probability ==
          Approx(expected[0].log_probability - expected[1].log_probability).margin(1e-5));
  }
}
