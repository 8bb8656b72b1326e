#include "framework/core/decoding/policy.h"

#include <ATen/ATen.h>

#include <cmath>

#include "framework/core/decoding/policy_text.h"
#include "framework/core/decoding/top_ids.h"
#include "framework/core/text/special_ids.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

const std::vector<int32_t> kExcluded = {kPad, kBos};

// p(id) for ids 2..5 is .4, .3, .2, .1; padding and BOS have the highest scores.
at::Tensor table_scores(int64_t rows) {
  const at::Tensor scores =
      at::tensor({9.0, 9.0, std::log(.4), std::log(.3), std::log(.2), std::log(.1)}).to(at::kFloat);
  return scores.unsqueeze(0).repeat({rows, 1});
}

// Candidates as distributions over the vocabulary, [N, V].
at::Tensor distributions(const PolicyOptions& options, const at::Tensor& scores) {
  const auto [ids, p, support] = candidates(options, {}, kExcluded, scores);
  return at::zeros(scores.sizes()).scatter_add_(1, ids, p);
}

at::Tensor frequencies(const PolicyOptions& options, int64_t rows) {
  const at::Tensor ids = choose_tokens(options, {}, kExcluded, table_scores(rows),
                                       at::arange(rows, at::kLong), {.seed = 7}, 3);
  return at::bincount(ids, {}, 6).to(at::kDouble) / static_cast<double>(rows);
}

}  // namespace

TEST_CASE("policy: greedy takes the lowest id of ties and never BOS", "[decoding]") {
  const at::Tensor scores =
      at::tensor({9.f, 8.f, 1.f, 3.f, 3.f, 2.f, 9.f, 8.f, 0.f, 0.f, 0.f, 0.f}).view({2, 6});
  const at::Tensor ids = choose_tokens({}, {}, kExcluded, scores, at::arange(2, at::kLong), {}, 0);
  CHECK(ids[0].item<int64_t>() == 3);
  CHECK(ids[1].item<int64_t>() == 2);
}

TEST_CASE("policy: extreme settings still give distributions", "[decoding]") {
  const at::Tensor scores =
      at::tensor({0.f, 0.f, -1e4f, 1e4f, 3.f, 1e-30f, 0.f, 0.f, 5.f, 5.f, 5.f, 5.f}).view({2, 6});
  for (const double temperature : {kLowestTemperature, 1.0, kHighestTemperature}) {
    for (const PolicyOptions& options :
         {PolicyOptions{.type = Policy::kTemperature, .temperature = temperature},
          PolicyOptions{.type = Policy::kTopK, .temperature = temperature, .k = 1},
          PolicyOptions{.type = Policy::kTopK, .temperature = temperature, .k = INT64_MAX},
          PolicyOptions{.type = Policy::kNucleus, .temperature = temperature, .p = 1e-30},
          PolicyOptions{.type = Policy::kNucleus, .temperature = temperature, .p = 1}}) {
      const at::Tensor sums = candidates(options, {}, kExcluded, scores).probabilities.sum(1);
      CHECK(at::allclose(sums, at::ones({2}), 1e-5));
    }
  }
  for (const char* wrong : {"0", "-1", "1e-300", "1e-5", "1e5", ".inf", ".nan"}) {
    Errors errors;
    parse_options<PolicyOptions>(Node::mapping({{"temperature", Node::scalar(wrong), {}}}), errors);
    INFO(wrong);
    CHECK(errors.count() == 1);
  }
}

TEST_CASE("policy: draws follow the distribution that the policy declares", "[decoding]") {
  const int64_t rows = 40000;
  for (const PolicyOptions& options :
       {PolicyOptions{.type = Policy::kTemperature},
        PolicyOptions{.type = Policy::kTemperature, .temperature = 0.5},
        PolicyOptions{.type = Policy::kTopK, .k = 2},
        PolicyOptions{.type = Policy::kNucleus, .p = 0.65}}) {
    const at::Tensor expected = distributions(options, table_scores(1))[0].to(at::kDouble);
    const at::Tensor found = frequencies(options, rows);
    double chi_square = 0;
    for (int64_t id = 0; id < 6; ++id) {
      const double p = expected[id].item<double>(), f = found[id].item<double>();
      if (p == 0) {
        CHECK(f == 0);
      } else {
        chi_square += static_cast<double>(rows) * (f - p) * (f - p) / p;
      }
    }
    CHECK(chi_square < 20);  // at most 3 degrees of freedom: p < 0.0002
  }
}

TEST_CASE("policy: top-k and nucleus keep the tokens computed by hand", "[decoding]") {
  const auto probability = [](PolicyOptions options, int64_t id) {
    return distributions(options, table_scores(1))[0][id].item<double>();
  };
  const PolicyOptions two{.type = Policy::kTopK, .k = 2};
  CHECK(std::abs(probability(two, 2) - 4.0 / 7) < 1e-6);
  CHECK(std::abs(probability(two, 3) - 3.0 / 7) < 1e-6);
  CHECK(probability(two, 4) == 0);
  // .4 does not reach .65, .4 + .3 does.
  const PolicyOptions nucleus{.type = Policy::kNucleus, .p = 0.65};
  CHECK(std::abs(probability(nucleus, 3) - 3.0 / 7) < 1e-6);
  CHECK(probability(nucleus, 4) == 0);
  const PolicyOptions cold{.type = Policy::kTemperature, .temperature = 0.5};
  CHECK(std::abs(probability(cold, 2) - .16 / .30) < 1e-6);
  CHECK(probability(cold, kBos) == 0);
}

TEST_CASE("policy: ties at the limit of top-k are broken by lowest id", "[decoding]") {
  const at::Tensor p = distributions({.type = Policy::kTopK, .k = 2}, at::zeros({1, 6}))[0];
  CHECK(at::equal(p, at::tensor({0.f, 0.f, .5f, .5f, 0.f, 0.f})));
}

TEST_CASE("policy: the first of a sorted row, with ties broken by lowest id", "[decoding]") {
  // Values with many ties, of both signs.
  for (const int64_t v : {200, 3000}) {
    const at::Tensor noise = uniform({.seed = 2}, at::arange(30, at::kLong), {v}, at::kFloat);
    for (const at::Tensor& values : {(noise * 9).floor() / 9, -(noise * 9).floor(), noise - 0.5}) {
      const at::Tensor sorted = std::get<1>(at::sort(values.slice(1, 2), true, 1, true)) + 2;
      for (const int64_t k : {1, 7, 40, 64, 198}) {
        CHECK(at::equal(top_ids(values, k, kExcluded), sorted.narrow(1, 0, k)));
      }
    }
  }
}

TEST_CASE("policy: candidates are the support in the order of the vocabulary", "[decoding]") {
  const auto two = candidates({.type = Policy::kTopK, .k = 2}, {}, kExcluded, table_scores(3));
  CHECK(at::equal(two.ids, at::tensor({2, 3}, at::kLong).expand({3, 2})));
  CHECK(at::allclose(two.probabilities, at::tensor({4.f / 7, 3.f / 7}).expand({3, 2})));
  // Rows of a nucleus differ in size: the rest is padding with probability 0.
  at::Tensor scores = table_scores(2);
  scores[1][4] = 9;
  const auto nucleus = candidates({.type = Policy::kNucleus, .p = 0.65}, {}, kExcluded, scores);
  CHECK(at::equal(nucleus.ids.narrow(1, 0, 2), at::tensor({2, 3, 4, 0}, at::kLong).view({2, 2})));
  CHECK(nucleus.ids.slice(1, 2).eq(kPad).all().item<bool>());
  CHECK(nucleus.probabilities.slice(1, 2).eq(0).all().item<bool>());
  CHECK(nucleus.probabilities[1][0].item<double>() == 1);
  CHECK(candidates({}, {}, kExcluded, scores).ids.sizes() == at::IntArrayRef({2, 1}));
  CHECK(candidates({.type = Policy::kTemperature}, {}, kExcluded, scores).ids.size(1) == 6);
}

TEST_CASE("policy: top-k and nucleus keep the same tokens as a full sort", "[decoding]") {
  // Flat and peaked rows: a nucleus of three tokens, and one of most of the vocabulary.
  const int64_t v = 700;
  const at::Tensor scores = normal({.seed = 4}, at::arange(20, at::kLong), {v}, at::kFloat) *
                            at::linspace(0.01, 6, 20, at::kFloat).unsqueeze(1);
  at::Tensor masked = scores.clone();
  masked.narrow(1, 0, 2).fill_(-INFINITY);
  const at::Tensor p = at::softmax(masked, 1);
  at::Tensor sorted, order;
  std::tie(sorted, order) = at::sort(p, /*stable=*/true, 1, /*descending=*/true);
  const auto expected = [&](const at::Tensor& keep) {
    const at::Tensor kept = at::zeros_like(p).scatter_(1, order, sorted * keep);
    return kept / kept.sum(1, true);
  };
  for (const int64_t k : {1, 5, 300, 5000}) {
    const at::Tensor keep = at::arange(v).lt(k).expand_as(p);
    CHECK(at::allclose(distributions({.type = Policy::kTopK, .k = k}, scores), expected(keep)));
  }
  const at::Tensor wide = sorted.to(at::kDouble);
  for (const double mass : {0.01, 0.5, 0.9, 0.999, 1.0}) {
    const at::Tensor limit = mass < 1 ? mass * wide.sum(1, true) : at::full({1}, 2, at::kDouble);
    const at::Tensor keep = wide.cumsum(1) - wide <= limit;
    const at::Tensor found = distributions({.type = Policy::kNucleus, .p = mass}, scores);
    CHECK(at::allclose(found, expected(keep)));
    CHECK(at::equal(found > 0, expected(keep) > 0));
  }
}

TEST_CASE("policy: tokens that are never chosen are defined by the vocabulary", "[decoding]") {
  const auto never = [](const Vocabulary& vocabulary) { return never_chosen(vocabulary); };
  using Ids = std::vector<int32_t>;
  CHECK(never({.size = 6, .bos = 1, .eos = 2, .pad = 0}) == Ids{0, 1});
  CHECK(never({.size = 6, .bos = 5, .eos = 0, .pad = 3}) == Ids{3, 5});
  CHECK(never({.size = 6, .bos = 4, .eos = 4, .pad = 4}).empty());  // byte-level BPE has one id
  CHECK(never({.size = 6, .bos = 4, .eos = 1, .pad = 4}) == Ids{4});
  CHECK(never({.size = 6, .eos = 0}).empty());
}

TEST_CASE("policy: other values of the special ids give the same choices", "[decoding]") {
  const int64_t rows = 50, v = 40;
  const NoiseKey key{.seed = 9};
  const at::Tensor ids = at::arange(rows, at::kLong);
  const at::Tensor scores = normal({.seed = 8}, ids, {v}, at::kFloat);
  // Padding and BOS follow the words, whose order is unchanged: draws depend on that order.
  const at::Tensor moved = at::cat({scores.slice(1, 2), scores.slice(1, 0, 2)}, 1);
  const std::vector<int32_t> first = {0, 1}, last = {v - 2, v - 1};
  for (const PolicyOptions& options :
       {PolicyOptions{}, PolicyOptions{.type = Policy::kTemperature},
        PolicyOptions{.type = Policy::kTopK, .k = 5}, PolicyOptions{.type = Policy::kTopK, .k = v},
        PolicyOptions{.type = Policy::kNucleus, .p = 0.7},
        PolicyOptions{.type = Policy::kNucleus, .p = 1}}) {
    CHECK(at::equal(choose_tokens(options, {}, first, scores, ids, key, 3),
                    choose_tokens(options, {}, last, moved, ids, key, 3) + 2));
  }
}

TEST_CASE("policy: a row whose probabilities are not finite has no id", "[decoding]") {
  at::Tensor scores = table_scores(4);
  scores[1].fill_(NAN);
  scores[2][3] = INFINITY;
  scores[3].fill_(-INFINITY);
  for (const PolicyOptions& options :
       {PolicyOptions{.type = Policy::kGreedy}, PolicyOptions{.type = Policy::kTemperature},
        PolicyOptions{.type = Policy::kTopK, .k = 2},
        PolicyOptions{.type = Policy::kNucleus, .p = 0.5}}) {
    INFO(enum_name(options.type));
    const at::Tensor ids =
        choose_tokens(options, {}, kExcluded, scores, at::arange(4, at::kLong), {.seed = 7}, 3);
    CHECK(ids[0].item<int64_t>() >= 2);
    for (const int64_t row : {1, 2, 3}) CHECK(ids[row].item<int64_t>() == -1);
  }
}

TEST_CASE("policy: the text form is read as the same policy", "[decoding]") {
  const auto same = [](const std::string& text) {
    const auto policy = read_policy(text);
    return policy && policy_text(*policy) == text;
  };
  for (const char* text :
       {"greedy", "sample", "temperature:0.7", "topk:40", "nucleus:0.9", "topk:40,temperature:0.7",
        "nucleus:0.9,temperature:2", "beam:5", "beam:5,length_norm:1", "sample,alpha:1.5",
        "temperature:0.7,alpha:1", "topk:5,alpha:4", "nucleus:0.9,temperature:2,alpha:1.2"}) {
    INFO(text);
    CHECK(same(text));
  }
  const auto policy = std::get<PolicyOptions>(*read_policy("nucleus:0.9,alpha:1.2,temperature:2"));
  CHECK(policy.p == 0.9);
  CHECK(policy.temperature == 2);
  CHECK(policy.alpha == 1.2);
  for (const char* text : {"", "alpha:1.5", "greedy,alpha:1.5", "greedy,temperature:2",
                           "sample,alpha:0.9", "sample,alpha:4.1", "sample,alpha:1.5,alpha:1.5",
                           "sample,alpha", "beam:5,alpha:1.5", "temperature:2,temperature:2",
                           "topk:0", "topk:5,", "nucleus:1.1", "topk:5,topk:6", "sample,greedy"}) {
    INFO(text);
    CHECK_FALSE(read_policy(text));
  }
}
