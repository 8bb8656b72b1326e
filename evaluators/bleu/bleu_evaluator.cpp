#include "evaluators/bleu/bleu_evaluator.h"

#include <utility>

#include "evaluators/metrics/bleu.h"
#include "framework/core/model/registration.h"

namespace lvtext {

const std::vector<EnumName<BleuLevel>>& enum_names(BleuLevel) {
  static const std::vector<EnumName<BleuLevel>> names = {
      {"corpus", BleuLevel::kCorpus, "BLEU of counts summed over all sentences"},
      {"sentence", BleuLevel::kSentence, "mean of sentence BLEU"},
      {"document", BleuLevel::kDocument, "BLEU of all sentences as one"},
      {"fused", BleuLevel::kFused, "BLEU of all lines joined without a blank"}};
  return names;
}

const std::vector<EnumName<BleuSmoothing>>& enum_names(BleuSmoothing) {
  static const std::vector<EnumName<BleuSmoothing>> names = {
      {"none", BleuSmoothing::kNone, "no smoothing"},
      {"add_one", BleuSmoothing::kAddOne,
       "adds 1 to matches and n-grams of the orders above 1 (Lin and Och 2004)"}};
  return names;
}

namespace {

/// All sentences as one text: their tokens one after the other or, if `is_fused`, those of the
/// joined lines.
TokenIds as_one(const Text& text, const std::vector<TokenIds>& tokens, bool is_fused,
                MetricTokens kind, TokenInterner& interner, bool lowercase) {
  if (is_fused) {
    std::string line;
    for (const std::string& each : text.lines()) line += each;
    return metric_tokens(Text(std::vector<std::string>{line}), kind, interner, lowercase).front();
  }
  TokenIds all;
  for (const TokenIds& each : tokens) all.insert(all.end(), each.begin(), each.end());
  return all;
}

}  // namespace

std::vector<Score> bleu_scores(const BleuOptions& options, const Text& outputs,
                               const std::vector<Text>& references) {
  std::vector<Text> all = references;
  all.push_back(outputs);
  const MetricTokens kind = countable(options.tokenize, all);
  const MetricTokens reference_kind = options.reference_tokenize.value_or(kind);
  const bool lowercase = options.lowercase.value_or(false);
  TokenInterner interner;
  const auto ours = metric_tokens(outputs, kind, interner, lowercase);
  std::vector<std::vector<TokenIds>> theirs(outputs.size());
  const bool is_fused = options.level == BleuLevel::kFused;
  const bool is_one = is_fused || options.level == BleuLevel::kDocument;
  std::vector<TokenIds> whole;  // the references, each as one text
  for (const Text& reference : references) {
    const auto tokens = metric_tokens(reference, reference_kind, interner, lowercase);
    check_aligned(outputs.size(), tokens.size());
    if (is_one) {
      whole.push_back(as_one(reference, tokens, is_fused, reference_kind, interner, lowercase));
    }
    for (size_t i = 0; i < tokens.size(); ++i) theirs[i].push_back(tokens[i]);
  }
  const int max_order = static_cast<int>(options.max_order);
  const auto stats = ngram_stats_of_groups(ours, theirs, max_order);
  std::string tok = "|tok:" + enum_name(kind);
  if (options.reference_tokenize) tok += ",references:" + enum_name(reference_kind);
  if (lowercase) tok += "|case:lc";
  const std::string many =
      references.size() > 1 ? "|refs:" + std::to_string(references.size()) : "";
  const bool adds_one = options.smooth == BleuSmoothing::kAddOne;
  const auto score = [&](BleuLevel level, SentenceRows rows) {
    const std::string& name = enum_name(level);
    const std::string smoothing = adds_one && level == BleuLevel::kSentence ? "add_one" : "none";
    return summarized({.id = name,
                       .unit = "%",
                       .direction = Direction::kHigher,
                       .signature = "bleu|n:" + std::to_string(max_order) + "|level:" + name + tok +
                                    "|smooth:" + smoothing + many + compared_signature(references) +
                                    "|n_sentences:" + std::to_string(stats.size()) +
                                    "|version:" + std::to_string(BleuEvaluator::kRevision),
                       .rows = std::move(rows)});
  };
  std::vector<Score> scores = {
      score(BleuLevel::kCorpus,
            {"bleu:" + std::to_string(max_order), static_cast<size_t>(2 * max_order + 2),
             bleu_rows(stats, max_order)}),
      score(BleuLevel::kSentence, {"mean", 1,
                                   adds_one ? smoothed_sentence_bleu(stats, max_order)
                                            : sentence_bleu(stats, max_order)})};
  if (options.level == BleuLevel::kSentence) std::swap(scores[0], scores[1]);
  if (is_one) {
    const TokenIds all = as_one(outputs, ours, is_fused, kind, interner, lowercase);
    Score one = score(options.level, {});
    one.value = bleu(ngram_stats(all, std::span<const TokenIds>(whole), max_order), max_order);
    one.reason.clear();
    one.n = std::ssize(ours);
    scores.insert(scores.begin(), std::move(one));
  }
  return scores;
}

std::vector<InputDecl> BleuEvaluator::inputs() const {
  return {
      {.name = "outputs", .help = "generated text", .by_default = reference("row.reconstructions")},
      {.name = "references",
       .help = "reference texts, aligned with the outputs",
       .by_default = reference("data.test"),
       .arity = InputDecl::Arity::kMany,
       .aligned_with = "outputs"}};
}

std::vector<Score> BleuEvaluator::evaluate(const Inputs& inputs) const {
  return bleu_scores(options_, inputs.text("outputs"), inputs.texts("references"));
}

void register_bleu(Registries& registries) {
  add_evaluator<BleuEvaluator, BleuOptions>(
      registries, "bleu",
      "BLEU of a system's outputs (by default reconstructions) against references",
      {"Papineni, Roukos, Ward and Zhu 2002", "https://aclanthology.org/P02-1040"});
}

}  // namespace lvtext
