#include "evaluators/rouge/rouge_evaluator.h"

#include <algorithm>
#include <utility>

#include "evaluators/metrics/rouge.h"
#include "framework/core/model/registration.h"

namespace lvtext {

const std::vector<EnumName<RougeVariant>>& enum_names(RougeVariant) {
  static const std::vector<EnumName<RougeVariant>> names = {
      {"rouge123_f", RougeVariant::k123F, "mean of ROUGE-1, -2 and -3 F1"},
      {"rouge3_f", RougeVariant::k3F, "ROUGE-3 F1"},
      {"rouge3_r", RougeVariant::k3Recall, "ROUGE-3 recall"}};
  return names;
}

std::vector<Score> rouge_scores(const RougeOptions& options, const Text& outputs,
                                const Text& references) {
  const MetricTokens kind = countable(options.tokenize, std::vector<Text>{outputs, references});
  TokenInterner interner;
  const auto ours = metric_tokens(outputs, kind, interner);
  const auto theirs = metric_tokens(references, kind, interner);
  const auto stats = ngram_stats_of_pairs(ours, theirs, 3);
  const auto score = [&](RougeVariant variant, std::vector<double> values) {
    return summarized({.id = enum_name(variant),
                       .unit = "%",
                       .direction = Direction::kHigher,
                       .signature = "rouge|variant:" + enum_name(variant) +
                                    "|tok:" + enum_name(kind) + "|stem:no|short:equal" +
                                    compared_signature(std::span(&references, 1)) +
                                    "|n_sentences:" + std::to_string(stats.size()) +
                                    "|version:" + std::to_string(RougeEvaluator::kRevision),
                       .rows = {"mean", 1, std::move(values)}});
  };
  std::vector<Score> scores = {score(RougeVariant::k123F, rouge123_f(stats)),
                               score(RougeVariant::k3F, rouge_n_f(stats, 3)),
                               score(RougeVariant::k3Recall, rouge_n_recall(stats, 3))};
  std::stable_partition(scores.begin(), scores.end(),
                        [&](const Score& each) { return each.id == enum_name(options.variant); });
  return scores;
}

std::vector<InputDecl> RougeEvaluator::inputs() const {
  return {
      {.name = "outputs", .help = "generated text", .by_default = reference("row.reconstructions")},
      {.name = "references",
       .help = "reference text, aligned with the outputs",
       .by_default = reference("data.test"),
       .aligned_with = "outputs"}};
}

std::vector<Score> RougeEvaluator::evaluate(const Inputs& inputs) const {
  return rouge_scores(options_, inputs.text("outputs"), inputs.text("references"));
}

void register_rouge(Registries& registries) {
  add_evaluator<RougeEvaluator, RougeOptions>(
      registries, "rouge",
      "ROUGE of a system's outputs (by default reconstructions) against references",
      {"Lin 2004", "https://aclanthology.org/W04-1013"});
}

}  // namespace lvtext
