#include "evaluators/perplexity/perplexity_evaluator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "evaluators/text_classes.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/model/registration.h"

namespace lvtext {

std::vector<InputDecl> PerplexityEvaluator::inputs() const {
  return {{.name = "outputs", .help = "texts to score", .by_default = reference("row.outputs")},
          {.name = "language_model",
           .help = "language model that scores the texts",
           .type = ArtifactType::kModel,
           .capabilities = {TextScorer::kName},
           .without = {Encoder::kName}},
          records_input("outputs")};
}

std::vector<ScoreDecl> PerplexityEvaluator::scores() {
  std::vector<ScoreDecl> decls = cross_entropy_decls();
  std::rotate(decls.begin(), decls.end() - 1, decls.end());  // the perplexity first
  decls.push_back({"perplexity_0", "perplexity of texts whose source has the first style"});
  decls.push_back({"perplexity_1", "perplexity of texts whose source has the second style"});
  decls.push_back({"perplexity_without_eos", "perplexity of the tokens before EOS"});
  decls.push_back({"tokens_per_sentence", "mean number of tokens, without EOS"});
  return decls;
}

std::vector<Score> PerplexityEvaluator::evaluate(const Inputs& inputs) const {
  const LoadedModel& model = inputs.model("language_model");
  const std::vector<TokenIds> sentences = ids_for(model, inputs.text("outputs"));
  const std::vector<double> nats =
      sentence_nats(inputs.serve<TextScorer>("language_model"), sentences, options_.batch);
  const std::string name =
      "perplexity|lm:" + model.identity + ",sentences:" + std::to_string(model.sentences);
  const std::string tokenizer = model.tokenizer->sha256().substr(0, 8);
  std::vector<Score> scores = cross_entropy_scores(name, tokenizer, sentences, nats, kRevision);
  std::rotate(scores.begin(), scores.end() - 1, scores.end());
  const auto add = [&](const std::string& id, const std::string& unit, Direction direction,
                       const std::string& end, SentenceRows rows) {
    const size_t n = rows.values.size() / rows.width;
    scores.push_back(summarized({.id = id,
                                 .unit = unit,
                                 .direction = direction,
                                 .signature = name + "|unit:" + id + "|tok:subword," + tokenizer +
                                              "|end:" + end + "|n_sentences:" + std::to_string(n) +
                                              "|version:" + std::to_string(kRevision),
                                 .rows = std::move(rows)}));
  };
  const SentenceRows all = scores.front().rows;
  const auto classes = classes_of_records(inputs, options_.label, sentences.size());
  for (const int32_t style : {0, 1}) {
    SentenceRows rows = rows_of_class(all, classes, style);
    if (rows.values.empty()) continue;
    add("perplexity_" + std::to_string(style), "", Direction::kLower, "counted", std::move(rows));
  }
  std::vector<double> lengths;
  for (const TokenIds& sentence : sentences) {
    lengths.push_back(static_cast<double>(sentence.size()));
  }
  if (auto* next_token = dynamic_cast<NextTokenModel*>(model.model.get())) {
    const std::vector<double> of_eos = eos_nats(*next_token, sentences, options_.batch);
    std::vector<double> with_tokens;
    for (size_t i = 0; i < nats.size(); ++i) {
      with_tokens.insert(with_tokens.end(), {nats[i] - of_eos[i], lengths[i]});
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
