// The choice of a dialogue model between a reply and a wrong one.
#include "evaluators/reply_choice/reply_choice_evaluator.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/model/reply_scorer.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"
#include "tests/text.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

/// The score of a reply is its first token less the last one of the context, in its own batch.
class Differences : public Model, public ReplyScorer {
 public:
  at::Tensor reply_scores(const Tokens& contexts, const Tokens& replies) override {
    const at::Tensor last = contexts.ids.gather(1, (contexts.lengths - 1).unsqueeze(1)).squeeze(1);
    return (replies.ids.select(1, 0) - last).to(at::kFloat);
  }
};

class Nothing : public Model {};

std::shared_ptr<const Tokenizer> digits() {
  return fixed_tokenizer([](std::span<const int32_t>) { return std::string("x"); }, {}, "digits");
}

std::vector<Score> choice(std::shared_ptr<Model> model, const std::vector<TokenIds>& distractors) {
  Inputs inputs;
  inputs.add("model",
             LoadedModel{.component = "m", .model = std::move(model), .tokenizer = digits()});
  inputs.add("contexts", Text(std::vector<TokenIds>{{1}, {5, 2}, {4, 4, 4}, {3}}, digits()));
  inputs.add("replies", Text(std::vector<TokenIds>{{3}, {4}, {5}, {6, 7}}, digits()));
  inputs.add("distractors", Text(distractors, digits()));
  return ReplyChoiceEvaluator({.batch = 2}).evaluate(inputs);
}

}  // namespace

TEST_CASE("reply choice: the share of replies with the higher score", "[evaluators]") {
  const auto scores = choice(std::make_shared<Differences>(), {{2}, {5}, {5, 1}, {1}});
  REQUIRE(scores.size() == 1);
  CHECK(scores[0].id == "accuracy");
  CHECK(scores[0].value == Approx(2.5 / 4));
  CHECK(scores[0].interval);
  CHECK(scores[0].rows.values == std::vector<double>{1, 0, 0.5, 1});
  CHECK_THROWS_AS(choice(std::make_shared<Nothing>(), {{2}, {5}, {5}, {1}}), ConfigError);
  CHECK_THROWS(choice(std::make_shared<Differences>(), {{2}}));
}
