#include "evaluators/bleu/bleu_evaluator.h"

#include <utility>

#include "evaluators/text_metrics/bleu.h"

namespace lvtext {

const std::vector<EnumName<BleuLevel>>& enum_names(BleuLevel) {
  static const std::vector<EnumName<BleuLevel>> names = {
      {"corpus", BleuLevel::kCorpus, "counts are summed over all sentences first"},
      {"sentence", BleuLevel::kSentence, "the mean of the sentences' BLEU"}};
  return names;
}

std::vector<Score> bleu_scores(const BleuOptions& options, std::span<const TokenIds> hypotheses,
                               std::span<const TokenIds> references,
                               const std::function<std::string(std::span<const int32_t>)>& to_text,
                               const BootstrapOptions& bootstrap) {
  TokenInterner interner;
  const auto ours = metric_tokens(hypotheses, options.tokens, to_text, interner);
  const auto theirs = metric_tokens(references, options.tokens, to_text, interner);
  const int orders = static_cast<int>(options.orders);
  const auto stats = ngram_stats_of_pairs(ours, theirs, orders, bootstrap.threads);
  const auto score = [&](BleuLevel level, SentenceRows rows) {
    const std::string& name = enum_name(level);
    return summarised({.id = name,
                       .unit = "%",
                       .direction = Direction::kHigher,
                       .signature = "bleu|n:" + std::to_string(orders) + "|level:" + name +
                                    "|tok:" + enum_name(options.tokens) + "|smooth:none" +
                                    "|n_sentences:" + std::to_string(stats.size()) + "|version:1",
                       .rows = std::move(rows)},
                      bootstrap);
  };
  std::vector<Score> scores = {
      score(BleuLevel::kCorpus, {"bleu:" + std::to_string(orders),
                                 static_cast<size_t>(2 * orders + 2), bleu_rows(stats, orders)}),
      score(BleuLevel::kSentence, {"mean", 1, sentence_bleu(stats, orders)})};
  if (options.level == BleuLevel::kSentence) std::swap(scores[0], scores[1]);
  return scores;
}

std::vector<Score> BleuEvaluator::evaluate(const EvalInputs& inputs) const {
  return bleu_scores(options_, inputs.reconstructions, inputs.test, inputs.to_text,
                     inputs.bootstrap);
}

}  // namespace lvtext
