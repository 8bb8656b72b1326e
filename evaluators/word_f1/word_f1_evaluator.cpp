#include "evaluators/word_f1/word_f1_evaluator.h"

#include <string>
#include <utility>

#include "evaluators/metrics/tokenize.h"
#include "evaluators/metrics/word_overlap.h"
#include "evaluators/text_tokens.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

std::vector<TokenIds> convai2_words(const Text& text, TokenInterner& interner) {
  std::vector<TokenIds> words;
  words.reserve(text.size());
  for (const std::string& line : text.lines())
    words.push_back(interner.ids(tokenize_convai2(line)));
  return words;
}

}  // namespace

std::vector<InputDecl> WordF1Evaluator::inputs() const {
  return {{.name = "outputs", .help = "generated text", .by_default = reference("row.outputs")},
          {.name = "references",
           .help = "reference text, aligned with the outputs",
           .by_default = reference("data.test"),
           .aligned_with = "outputs"}};
}

std::vector<Score> WordF1Evaluator::evaluate(const Inputs& inputs) const {
  const Text& outputs = inputs.text("outputs");
  const Text& references = inputs.text("references");
  check_aligned(outputs.size(), references.size());
  TokenInterner words, tokens;
  const MetricTokens kind =
      countable(MetricTokens::kSubword, std::vector<Text>{outputs, references});
  const auto score = [&](const std::string& id, const std::string& how, auto f1,
                         const std::vector<TokenIds>& ours, const std::vector<TokenIds>& theirs) {
    std::vector<double> values;
    values.reserve(ours.size());
    for (size_t i = 0; i < ours.size(); ++i) values.push_back(100 * f1(ours[i], theirs[i]));
    return summarized({.id = id,
                       .unit = "%",
                       .direction = Direction::kHigher,
                       .signature = "word_f1|" + id + how +
                                    compared_signature(std::span(&references, 1)) +
                                    "|n_sentences:" + std::to_string(ours.size()) +
                                    "|version:" + std::to_string(kRevision),
                       .rows = {"mean", 1, std::move(values)}});
  };
  return {score("f1", "|tok:convai2|clipped:yes", token_f1, convai2_words(outputs, words),
                convai2_words(references, words)),
          score("f1_ref", "|tok:" + enum_name(kind) + "|clipped:no", unclipped_token_f1,
                metric_tokens(outputs, kind, tokens), metric_tokens(references, kind, tokens))};
}

void register_word_f1(Registries& registries) {
  add_evaluator<WordF1Evaluator, NoOptions>(
      registries, "word_f1", "F1 of the words shared with a reference, such as of replies",
      {"Dinan et al. 2019 (ConvAI2)", "https://arxiv.org/abs/1902.00098"});
}

}  // namespace lvtext
