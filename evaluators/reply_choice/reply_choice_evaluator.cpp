#include "evaluators/reply_choice/reply_choice_evaluator.h"

#include <ATen/ATen.h>

#include <string>
#include <utility>

#include "evaluators/metrics/ngram_stats.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/model/registration.h"
#include "framework/core/model/reply_scorer.h"

namespace lvtext {
namespace {

std::vector<double> scores_of(ReplyScorer& model, const std::vector<TokenIds>& contexts,
                              const std::vector<TokenIds>& replies, int64_t batch) {
  std::vector<double> scores(contexts.size());
  for_each_batch(contexts, batch, [&](const Tokens& read, const at::Tensor& indices) {
    std::vector<TokenIds> after;
    for (int64_t i = 0; i < indices.size(0); ++i) {
      after.push_back(replies[indices[i].item<int64_t>()]);
    }
    const std::vector<double> found = to_doubles(model.reply_scores(read, pad_sentences(after)));
    for (int64_t i = 0; i < indices.size(0); ++i) scores[indices[i].item<int64_t>()] = found[i];
  });
  return scores;
}

}  // namespace

std::vector<InputDecl> ReplyChoiceEvaluator::inputs() const {
  return {model_input("dialogue model", {NextTokenModel::kName}),
          {.name = "contexts", .help = "what the model reads before each reply"},
          {.name = "replies", .help = "right replies", .aligned_with = "contexts"},
          {.name = "distractors", .help = "wrong replies", .aligned_with = "contexts"}};
}

std::vector<Score> ReplyChoiceEvaluator::evaluate(const Inputs& inputs) const {
  const LoadedModel& model = inputs.model("model");
  auto& scorer = inputs.serve<ReplyScorer>("model");
  std::vector<TokenIds> read[3];
  for (const auto& [i, name] : {std::pair(0, "contexts"), {1, "replies"}, {2, "distractors"}}) {
    read[i] = ids_for(model, inputs.text(name));
    check_aligned(read[0].size(), read[i].size());
  }
  const std::vector<double> right = scores_of(scorer, read[0], read[1], options_.batch);
  const std::vector<double> wrong = scores_of(scorer, read[0], read[2], options_.batch);
  std::vector<double> values;
  for (size_t i = 0; i < right.size(); ++i) {
    values.push_back(right[i] > wrong[i] ? 1 : right[i] < wrong[i] ? 0 : 0.5);
  }
  return {summarized(
      {.id = "accuracy",
       .direction = Direction::kHigher,
       .signature = "reply_choice|candidates:2|n_contexts:" + std::to_string(values.size()) +
                    "|version:" + std::to_string(kRevision),
       .rows = {"mean", 1, std::move(values)}})};
}

void register_reply_choice(Registries& registries) {
  add_evaluator<ReplyChoiceEvaluator, ReplyChoiceOptions>(
      registries, "reply_choice", "Choice of a dialogue model between a reply and a wrong one",
      {"Wolf, Sanh, Chaumond and Delangue 2019", "https://arxiv.org/abs/1901.08149"});
}

}  // namespace lvtext
