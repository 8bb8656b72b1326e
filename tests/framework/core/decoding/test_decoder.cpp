#include "framework/core/decoding/decoder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/model/batch.h"
#include "tests/catch.h"
#include "tests/framework/core/decoding/history_model.h"

using namespace lvtext;

namespace {

struct LastId : DecodeState {
  at::Tensor z;
  void select_rows(const at::Tensor& index) override {
    if (z.defined()) z = z.index_select(0, index);
  }
};

// Scores depend on the last id and, if present, on z: a table [V, V].
class Table : public NextTokenModel {
 public:
  explicit Table(at::Tensor table)
      : table_(std::move(table)), vocabulary_(testing::three_ids(table_.size(1))) {}
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start& start) override {
    auto state = std::make_unique<LastId>();
    state->z = start.z;
    return state;
  }
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    largest_batch = std::max(largest_batch, ids.size(0));
    fed_rows += ids.size(0);
    const at::Tensor& z = static_cast<LastId&>(state).z;
    const at::Tensor scores = table_.index_select(0, ids);
    return z.defined() ? scores + z : scores;
  }
  int64_t largest_batch = 0, fed_rows = 0;

 private:
  at::Tensor table_;
  Vocabulary vocabulary_;
};

at::Tensor random_table(int64_t vocabulary) {
  return normal_step({.seed = 5}, {vocabulary, vocabulary}, at::TensorOptions(at::kFloat));
}

}  // namespace

TEST_CASE("decode: greedy follows the maxima of the table", "[decoding]") {
  const int64_t v = 9, n = 40;
  const at::Tensor table = random_table(v);
  const at::Tensor z =
      2 * normal({.seed = 6}, at::arange(n, at::kLong), {v}, at::TensorOptions(at::kFloat));
  Table model(table);
  const Decoded decoded =
      decode(model, z, at::arange(n, at::kLong), {}, {.policy = {}, .max_length = 12, .batch = 16});
  int64_t cut = 0;
  for (int64_t row = 0; row < n; ++row) {
    std::vector<int32_t> expected;
    int64_t last = kBos;
    bool ended = false;
    while (!ended && expected.size() < 12) {
      int64_t best = 2;
      for (int64_t id = 3; id < v; ++id) {
        const auto score = [&](int64_t i) { return (table[last][i] + z[row][i]).item<float>(); };
        if (score(id) > score(best)) best = id;
      }
      ended = best == kEos;
      if (!ended) expected.push_back(static_cast<int32_t>(best));
      last = best;
    }
    cut += !ended;
    CHECK(decoded.sentences[row] == expected);
  }
  CHECK(decoded.cut_off == cut);
  CHECK(cut > 0);
  CHECK(cut < n);
  CHECK(model.largest_batch == 16);
  CHECK(model.fed_rows < n * 12);  // ended sentences are not fed
}

TEST_CASE("decode: sampled text does not depend on the batch size or on other rows", "[decoding]") {
  Table model(random_table(9));
  for (const Policy type : {Policy::kTemperature, Policy::kTopK, Policy::kNucleus}) {
    const PolicyOptions policy{.type = type, .k = 3};
    const at::Tensor ids = at::arange(50, at::kLong);
    const NoiseKey key{.seed = 11};
    const auto all = decode(model, {}, ids, key, {policy, 20, 50}).sentences;
    CHECK(decode(model, {}, ids, key, {policy, 20, 7}).sentences == all);
    const auto part = decode(model, {}, ids.narrow(0, 20, 5), key, {policy, 20, 3}).sentences;
    CHECK(part == std::vector(all.begin() + 20, all.begin() + 25));
    CHECK(decode(model, {}, ids, {.seed = 12}, {policy, 20, 50}).sentences != all);
  }
}

TEST_CASE("decode: output without EOS is truncated, output that starts with EOS is empty",
          "[decoding]") {
  at::Tensor table = at::zeros({6, 6});
  table.select(1, 4).fill_(5);
  Table endless(table);
  const Decoded cut = decode(endless, {}, at::arange(3, at::kLong), {}, {{}, 4, 2});
  CHECK(cut.cut_off == 3);
  CHECK(cut.sentences[2] == std::vector<int32_t>{4, 4, 4, 4});
  table.select(1, kEos).fill_(9);
  Table silent(table);
  const Decoded empty = decode(silent, {}, at::arange(3, at::kLong), {}, {{}, 4, 2});
  CHECK(empty.cut_off == 0);
  CHECK(empty.sentences == std::vector<std::vector<int32_t>>(3));
}

TEST_CASE("decode: a prompt that is a prefix of the greedy output is continued to that output",
          "[decoding]") {
  testing::HistoryModel model(9, 3);
  const at::Tensor z = normal({.seed = 4}, at::arange(12, at::kLong), {9}, at::kFloat);
  const auto whole = decode(model, z, at::arange(12, at::kLong), {}, {{}, 10, 50}).sentences;
  std::vector<int64_t> rows;
  std::vector<TokenIds> prompts, expected;
  for (int64_t row = 0; row < 12; ++row) {
    const auto length = static_cast<int64_t>(whole[row].size());
    if (length == 10) continue;  // truncated: its length without the limit is unknown
    for (int64_t first = 0; first <= length; ++first) {
      rows.push_back(row);
      prompts.emplace_back(whole[row].begin(), whole[row].begin() + first);
      expected.emplace_back(whole[row].begin() + first, whole[row].end());
    }
  }
  REQUIRE(rows.size() > 20);
  const auto count = static_cast<int64_t>(rows.size());
  const Decoded decoded = decode(model, z.index_select(0, at::tensor(rows)),
                                 at::arange(count, at::kLong), {}, {{}, 10, 8}, prompts);
  CHECK(decoded.sentences == expected);
  // The limit counts generated tokens, without the prompt.
  const std::vector<TokenIds> longer = {{4, 5, 6, 7, 8, 4, 5}};
  const auto cut =
      decode(model, z.narrow(0, 0, 1), at::arange(1, at::kLong), {}, {{}, 2, 8}, longer);
  CHECK(cut.sentences[0].size() <= 2);
}

TEST_CASE("decode: prompts of different lengths in a batch are continued as if alone",
          "[decoding]") {
  testing::HistoryModel model(9, 5);
  const std::vector<TokenIds> prompts = {{}, {4}, {7, 5, 3, 8, 8}, {4, 4}, {}, {6, 3, 5}};
  const at::Tensor ids = at::arange(6, at::kLong);
  const NoiseKey key{.seed = 21};
  for (const PolicyOptions& policy :
       {PolicyOptions{}, PolicyOptions{.type = Policy::kTemperature, .temperature = 2},
        PolicyOptions{.type = Policy::kNucleus, .p = 0.8}}) {
    const auto all = decode(model, {}, ids, key, {policy, 12, 50}, prompts).sentences;
    for (int64_t row = 0; row < 6; ++row) {
      const auto alone = decode(model, {}, ids.narrow(0, row, 1), key, {policy, 12, 50},
                                std::vector<TokenIds>{prompts[row]});
      CHECK(alone.sentences[0] == all[row]);
    }
    CHECK(all[0] == decode(model, {}, ids, key, {policy, 12, 50}).sentences[0]);
    CHECK(all[2] != decode(model, {}, ids, key, {policy, 12, 50}).sentences[2]);
  }
  CHECK_THROWS_AS(decode(model, {}, ids, key, {{}, 12, 50}, std::vector<TokenIds>(5)),
                  std::logic_error);
}

TEST_CASE("decode: a vocabulary without BOS and padding starts with EOS", "[decoding]") {
  // The same scores with EOS 0, and with the usual ids, whose BOS is read like EOS here.
  const int64_t words = 7;
  const at::Tensor table = random_table(words + 1);  // EOS and the words
  at::Tensor usual = at::full({words + 3, words + 3}, -1e30);
  usual.slice(0, 2).slice(1, 2).copy_(table);
  usual[kBos].slice(0, 2).copy_(table[0]);
  testing::HistoryModel bare(table, {.size = words + 1, .eos = 0}), full(usual);
  const at::Tensor ids = at::arange(30, at::kLong);
  const std::vector<TokenIds> prompts(30, TokenIds{5, 6});
  const std::vector<TokenIds> bare_prompts(30, TokenIds{3, 4});
  for (const DecodingPolicy& policy :
       {DecodingPolicy(PolicyOptions{}),
        DecodingPolicy(PolicyOptions{.type = Policy::kTemperature}),
        DecodingPolicy(PolicyOptions{.type = Policy::kNucleus, .p = 0.8}),
        DecodingPolicy(BeamOptions{.width = 3})}) {
    const NoiseKey key{.seed = 2};
    for (const bool prompted : {false, true}) {
      const auto expected =
          decode(full, {}, ids, key, {policy, 9, 50}, prompted ? prompts : std::vector<TokenIds>{});
      auto found = decode(bare, {}, ids, key, {policy, 9, 50},
                          prompted ? bare_prompts : std::vector<TokenIds>{});
      for (TokenIds& sentence : found.sentences) {
        for (int32_t& id : sentence) id += 2;
      }
      CHECK(found.sentences == expected.sentences);
      CHECK(found.cut_off == expected.cut_off);
    }
  }
  testing::HistoryModel endless(table, {.size = words + 1, .bos = 0});
  CHECK_THROWS_AS(decode(endless, {}, ids, {}, {{}, 9, 50}), ConfigError);
}

TEST_CASE("decode: a model whose scores are not finite is refused, except in training",
          "[decoding]") {
  Table model(at::full({5, 5}, NAN));
  const at::Tensor ids = at::arange(2, at::kLong);
  for (const PolicyOptions& policy :
       {PolicyOptions{.type = Policy::kGreedy}, PolicyOptions{.type = Policy::kTemperature}}) {
    const auto text = [&](bool refuse) {
      return decode(model, {}, ids, {.seed = 1},
                    {.policy = policy, .max_length = 3, .refuse_nonfinite = refuse});
    };
    CHECK_THROWS_AS(text(true), DataError);
    CHECK(text(false).sentences.size() == 2);
  }
  CHECK_THROWS_AS(decode(model, {}, ids, {}, {.policy = BeamOptions{.width = 2}, .max_length = 3}),
                  DataError);
}

TEST_CASE("decode: running text is continued to the maximum length or a stop id", "[decoding]") {
  testing::RunningModel model(12, 3);
  const std::vector<TokenIds> prompts = {{4}, {0, 7, 1}, {11, 2}, {5, 5, 5, 5, 5, 5, 5}};
  const at::Tensor ids = at::arange(4, at::kLong);
  const NoiseKey key{.seed = 3};
  for (const DecodingPolicy& policy : {DecodingPolicy(PolicyOptions{}),
                                       DecodingPolicy(PolicyOptions{.type = Policy::kTemperature}),
                                       DecodingPolicy(BeamOptions{.width = 3})}) {
    const Decoded whole = decode(model, {}, ids, key, {policy, 9, 50}, prompts);
    CHECK(whole.cut_off == 0);  // they end there
    for (const TokenIds& text : whole.sentences) CHECK(text.size() == 9);
    if (std::holds_alternative<BeamOptions>(policy)) continue;
    // Stop ids cut the same text at their first occurrence.
    const std::vector<int32_t> stops = {whole.sentences[0][4], whole.sentences[1][6]};
    DecodeOptions stopped{policy, 9, 50};
    stopped.stop_ids = stops;
    const Decoded found = decode(model, {}, ids, key, stopped, prompts);
    int64_t cut_off = 0;
    for (size_t row = 0; row < prompts.size(); ++row) {
      TokenIds expected = whole.sentences[row];
      expected.erase(
          std::find_first_of(expected.begin(), expected.end(), stops.begin(), stops.end()),
          expected.end());
      CHECK(found.sentences[row] == expected);
      cut_off += expected.size() == 9 ? 1 : 0;
    }
    CHECK(found.cut_off == cut_off);
  }
  // The first token is that of the scores after the prompt.
  const auto state = model.start({.rows = 1, .prompt = pad_sentences({{0, 7, 1}})});
  const at::Tensor scores = model.step(*state, at::tensor({1}, at::kLong));
  const auto greedy = decode(model, {}, ids, {}, {{}, 1, 50}, prompts).sentences;
  CHECK(greedy[1][0] == scores.argmax().item<int64_t>());
  const at::Tensor by_hand = model.table()[0] / 4 + model.table()[7] / 2 + model.table()[1];
  CHECK(at::allclose(scores[0], by_hand));
}

TEST_CASE("decode: a stop id that is otherwise never chosen ends texts", "[decoding]") {
  at::Tensor table = at::zeros({6, 6});
  table.select(1, kBos).fill_(9);
  table.select(1, 4).fill_(5);
  Table model(table);
  DecodeOptions options{{}, 4, 2};
  CHECK(decode(model, {}, at::arange(1, at::kLong), {}, options).cut_off == 1);
  options.stop_ids = {kBos};
  const Decoded stopped = decode(model, {}, at::arange(1, at::kLong), {}, options);
  CHECK(stopped.cut_off == 0);
  CHECK(stopped.sentences[0].empty());
  options.policy = BeamOptions{.width = 2};
  const Decoded best = decode(model, {}, at::arange(1, at::kLong), {}, options);
  CHECK(best.hypotheses[0][0].ended);
  CHECK(best.sentences[0].empty());
}

TEST_CASE("decode: prompts that the model cannot read or continue are refused before any work",
          "[decoding]") {
  testing::RunningModel model(12, 3, 1, 10);
  const at::Tensor ids = at::arange(2, at::kLong);
  const auto message = [&](const std::vector<TokenIds>& prompts, int64_t max_length) {
    try {
      decode(model, {}, ids, {}, {{}, max_length, 50}, prompts);
      return std::string();
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
  };
  CHECK(message({{4}, {4, 5, 6}}, 8).empty());  // reads 3 + 7 tokens
  const int64_t fed = model.fed_rows;
  CHECK(message({{4}, {4, 5, 6}}, 9) ==
        "a prompt of 3 tokens and a max_length of 9 need 11 positions, but the model has 10: use a "
        "max_length of at most 8 or a shorter prompt");
  CHECK(
      message({{4}, TokenIds(11, 4)}, 1) ==
      "a prompt of 11 tokens and a max_length of 1 need 11 positions, but the model has 10: use a "
      "shorter prompt");
  for (const auto& prompts : {std::vector<TokenIds>{}, std::vector<TokenIds>{{4}, {}}}) {
    CHECK(message(prompts, 5) ==
          "the model continues running text and has no start symbol, but a text has no first "
          "token: give a prompt of at least one token");
  }
  CHECK(model.fed_rows == fed);
}

TEST_CASE("decode: texts of a sparse model are the same alone and in a batch of mixed lengths",
          "[decoding]") {
  testing::RunningModel model(60, 5, 1.5);
  std::vector<TokenIds> prompts;
  for (int32_t row = 0; row < 14; ++row) {
    prompts.emplace_back();
    for (int32_t t = 0; t <= (row * 5) % 9; ++t) prompts.back().push_back((row * 7 + t * 11) % 60);
  }
  const at::Tensor ids = at::arange(14, at::kLong) + 3;
  const NoiseKey key{.seed = 21};
  for (const PolicyOptions& policy : {PolicyOptions{}, PolicyOptions{.type = Policy::kTemperature},
                                      PolicyOptions{.type = Policy::kTemperature, .temperature = 2},
                                      PolicyOptions{.type = Policy::kTopK, .k = 3},
                                      PolicyOptions{.type = Policy::kNucleus, .p = .8},
                                      PolicyOptions{.type = Policy::kTemperature, .alpha = 1}}) {
    DecodeOptions options{policy, 20, 50};
    options.stop_ids = {1, 8, 30, 41};  // rows leave the batch at different steps
    const Decoded all = decode(model, {}, ids, key, options, prompts);
    CHECK(all.cut_off < 14);
    options.batch = 4;
    CHECK(decode(model, {}, ids, key, options, prompts).sentences == all.sentences);
    for (int64_t row = 0; row < 14; ++row) {
      const auto alone = decode(model, {}, ids.narrow(0, row, 1), key, options,
                                std::vector<TokenIds>{prompts[row]});
      CHECK(alone.sentences[0] == all.sentences[row]);
    }
  }
}
