// Lengths and ends of conversations, on a result written by hand.
#include "evaluators/conversations/conversations_evaluator.h"

#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset_writer.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using namespace lvtext::testing;
using Catch::Matchers::Contains;

namespace {

struct Conversation {
  std::vector<TokenIds> turns;
  int32_t ending = 0;
};

std::vector<Score> scores_of(const std::vector<Conversation>& conversations, int32_t classes = 4) {
  const TemporaryFolder folder;
  DatasetWriter writer(folder / "dataset.safetensors",
                       {{.name = "turns", .vocabulary = {.size = 100}, .ragged = true},
                        {.name = "ending", .kind = ColumnKind::kLabel, .classes = classes}});
  for (const Conversation& each : conversations) {
    for (const TokenIds& turn : each.turns) writer.add_text(0, turn);
    writer.add_label(1, each.ending);
    writer.end_row();
  }
  writer.finish();
  Inputs inputs;
  inputs.add("conversations", Dataset(folder / "dataset.safetensors"), false,
             fixed_tokenizer([](std::span<const int32_t>) { return std::string(); }));
  return ConversationsEvaluator({}).evaluate(inputs);
}

double value(const std::vector<Score>& scores, const std::string& id) {
  const Score* score = find_score(scores, id);
  REQUIRE(score);
  return score->value;
}

}  // namespace

TEST_CASE("conversations: mean length, rules and repeated utterances", "[evaluators]") {
  const auto scores = scores_of({{{{5}, {6}, {5}, {5, 7}, {5}}, 1},  // two of five repeat the first
                                 {{{}}, 0},
                                 {{{6}, {6, 6}}, 3},
                                 {{{8}, {8}}, 2}});
  CHECK(value(scores, "length") == 2.5);
  CHECK(value(scores, "empty") == 25);
  CHECK(value(scores, "repeats_self") == 25);
  CHECK(value(scores, "repeats_partner") == 25);
  CHECK(value(scores, "limit") == 25);
  CHECK(value(scores, "repeated") == 30);  // 3 of 10
  CHECK(find_score(scores, "length")->n == 4);
  CHECK(find_score(scores, "length")->interval);
  const auto limits = scores_of({{{{5}}, 3}, {{{6}, {7}, {9}}, 3}});
  CHECK(value(limits, "limit") == 100);
  CHECK(value(limits, "empty") == 0);
  CHECK(value(limits, "repeated") == 0);
}

TEST_CASE("conversations: results of other components are rejected", "[evaluators]") {
  CHECK_THROWS_WITH(scores_of({{{{5}}, 1}}, 2), Contains("not those of `dialogues`"));
}
