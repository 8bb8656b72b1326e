#include "evaluators/perplexity/perplexity_evaluator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "evaluators/text_classes.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// Moves the perplexity, which tables show, to the front of cross_entropy_decls() or their scores.
template <class Each>
void perplexity_first(std::vector<Each>& list) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [](const Each& each) { return each.id == "perplexity"; });
  std::rotate(list.begin(), found, found + 1);
}

/// Removes the NLL and the number of unknown tokens.
void exclude_unknown(NextTokenModel& model, std::span<const TokenIds> sentences, int64_t batch,
                     ScoredText& text) {
  text.unknown_counted = "excluded";
  const auto unknown = model.vocabulary().unk;
  if (!unknown) return;
  std::vector<size_t> found;
  std::vector<TokenIds> with_unknown;
  const size_t given = model.start_symbol() ? 0 : 1;  // tokens that are not predicted
  for (size_t i = 0; i < sentences.size(); ++i) {
    const TokenIds& ids = sentences[i];
    const auto from = ids.begin() + static_cast<int64_t>(std::min(given, ids.size()));
    const auto count = std::count(from, ids.end(), *unknown);
    if (count == 0) continue;
    text.tokens[i] -= static_cast<double>(count);
    found.push_back(i);
    with_unknown.push_back(ids);
  }
  const std::vector<double> nats = token_nats(model, with_unknown, *unknown, batch);
  for (size_t k = 0; k < found.size(); ++k) text.nats[found[k]] -= nats[k];
}

}  // namespace

const std::vector<EnumName<UnknownTokens>>& enum_names(UnknownTokens) {
  static const std::vector<EnumName<UnknownTokens>> names = {
      {"count", UnknownTokens::kCount, "tokens like all others, although they are easy to predict"},
      {"exclude", UnknownTokens::kExclude,
       "neither their likelihood nor their number is counted; they remain in the context of the "
       "following tokens"}};
  return names;
}

std::vector<InputDecl> PerplexityEvaluator::inputs() const {
  std::vector<std::string> capabilities = {TextScorer::kName};
  if (options_.unknown == UnknownTokens::kExclude) capabilities.emplace_back(NextTokenModel::kName);
  return {{.name = "outputs", .help = "texts to score", .by_default = reference("row.outputs")},
          {.name = "language_model",
           .help = "language model that scores the texts",
           .type = ArtifactType::kModel,
           .capabilities = capabilities,
           .without = {Encoder::kName, VectorDecoder::kName}},
          records_input("outputs")};
}

std::vector<ScoreDecl> PerplexityEvaluator::scores() {
  std::vector<ScoreDecl> decls = cross_entropy_decls();
  perplexity_first(decls);
  decls.push_back({"perplexity_0", "perplexity of texts whose source has the first style"});
  decls.push_back({"perplexity_1", "perplexity of texts whose source has the second style"});
  decls.push_back({"perplexity_without_eos", "perplexity of the tokens before EOS"});
  decls.push_back({"tokens_per_sentence", "mean number of tokens, without EOS"});
  return decls;
}

std::vector<Score> PerplexityEvaluator::evaluate(const Inputs& inputs) const {
  const LoadedModel& model = inputs.model("language_model");
  const Text& outputs = inputs.text("outputs");
  const std::vector<TokenIds> sentences = ids_for(model, outputs);
  ScoredText text = scored_text(
      model, outputs, sentences,
      sentence_nats(inputs.serve<TextScorer>("language_model"), sentences, options_.batch));
  const UnknownTokens unknown = options_.unknown.value_or(UnknownTokens::kCount);
  if (unknown == UnknownTokens::kExclude) {
    exclude_unknown(inputs.serve<NextTokenModel>("language_model"), sentences, options_.batch,
                    text);
  }
  const std::string name = "perplexity|lm:" + model.identity +
                           ",sentences:" + std::to_string(model.sentences) +
                           "|unknown:" + enum_name(unknown);
  std::vector<Score> scores = cross_entropy_scores(name, text, kRevision);
  perplexity_first(scores);
  const auto add = [&](const std::string& id, const std::string& unit, Direction direction,
                       const std::string& end, SentenceRows rows) {
    const size_t n = rows.values.size() / rows.width;
    scores.push_back(summarized(
        {.id = id,
         .reason = "no token before EOS is counted",
         .unit = unit,
         .direction = direction,
         .signature = name + "|unit:" + id + "|tok:subword," + text.tokenizer + "|end:" + end +
                      "|n_sentences:" + std::to_string(n) + "|version:" + std::to_string(kRevision),
         .notes = unknown_words_note(text),
         .rows = std::move(rows)}));
  };
  const SentenceRows all = scores.front().rows;
  const auto classes = classes_of_records(inputs, options_.label, sentences.size());
  for (const int32_t style : {0, 1}) {
    SentenceRows rows = rows_of_class(all, classes, style);
    if (rows.values.empty()) continue;
    add("perplexity_" + std::to_string(style), "", Direction::kLower, text.end, std::move(rows));
  }
  const bool ends = scores_end(inputs.serve<TextScorer>("language_model"));
  std::vector<double> lengths;
  for (const double tokens : text.tokens) lengths.push_back(tokens - (ends ? 1 : 0));
  auto* next_token = dynamic_cast<NextTokenModel*>(model.model.get());
  if (next_token != nullptr && ends) {
    const std::vector<double> of_eos = eos_nats(*next_token, sentences, options_.batch);
    std::vector<double> with_tokens;
    for (size_t i = 0; i < lengths.size(); ++i) {
      with_tokens.insert(with_tokens.end(), {text.nats[i] - of_eos[i], lengths[i]});
    }
    add("perplexity_without_eos", "", Direction::kLower, "excluded",
        {"exp_ratio", 2, std::move(with_tokens)});
  }
  add("tokens_per_sentence", "tokens", Direction::kNone, "excluded",
      {"mean", 1, std::move(lengths)});
  return scores;
}

void register_perplexity(Registries& registries) {
  add_evaluator<PerplexityEvaluator, PerplexityOptions>(
      registries, "perplexity", "Perplexity of a system's outputs under a language model",
      {"Pang and Gimpel 2019", "https://aclanthology.org/D19-5614"});
}

}  // namespace lvtext
