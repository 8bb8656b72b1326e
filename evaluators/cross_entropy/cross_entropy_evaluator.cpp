#include "evaluators/cross_entropy/cross_entropy_evaluator.h"

#include <algorithm>

#include "evaluators/unknown_words.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/model/registration.h"

namespace lvtext {

std::vector<ScoreDecl> cross_entropy_decls() {
  return {
      {"nats_per_sentence", "mean negative log likelihood per sentence, in nats, EOS included"},
      {"nats_per_token", "mean negative log likelihood per token, in nats, EOS counted as a token"},
      {"bits_per_token", "mean negative log likelihood per token, in bits, EOS counted as a token"},
      {"perplexity",
       "exp of nats_per_token: the number of equally likely tokens that is as hard to predict"},
      {"unknown_words",
       "words that the language model does not know, in %; they are easy to predict, so that text "
       "with many of them has a low cross entropy"}};
}

ScoredText scored_text(const LoadedModel& model, const Text& text,
                       std::span<const TokenIds> sentences, std::vector<double> nats) {
  LVT_ASSERT(sentences.size() == nats.size(), "one number per sentence");
  const auto unknown = model.tokenizer->vocabulary().unk;
  const auto& scorer = dynamic_cast<const TextScorer&>(*model.model);
  ScoredText scored{.nats = std::move(nats),
                    .tokens = {},
                    .end = scores_end(scorer) ? "counted" : "none",
                    .unknown = unknown_words(*model.tokenizer, text.lines()),
                    .tokenizer = model.tokenizer->sha256().substr(0, 8),
                    .unknown_counted = "not read by it"};
  for (const TokenIds& sentence : sentences) {
    scored.tokens.push_back(static_cast<double>(scored_tokens(scorer, std::ssize(sentence))));
    if (unknown && std::find(sentence.begin(), sentence.end(), *unknown) != sentence.end()) {
      scored.unknown_counted = "counted as the unknown token, which is easy to predict";
    }
  }
  return scored;
}

std::vector<std::string> unknown_words_note(const ScoredText& text) {
  constexpr double kNoted = 0.1;  // below, unknown words do not change a score noticeably
  const double share = value_of({"ratio", 2, text.unknown});
  if (!(share >= kNoted)) return {};
  return {significant(share, 3) + " % of the words are unknown to the language model and " +
          text.unknown_counted};
}

std::vector<Score> cross_entropy_scores(const std::string& name, const ScoredText& text,
                                        int version) {
  std::vector<double> with_tokens;
  for (size_t i = 0; i < text.nats.size(); ++i) {
    with_tokens.insert(with_tokens.end(), {text.nats[i], text.tokens[i]});
  }
  const std::string count = std::to_string(text.nats.size());
  const auto score = [&](const std::string& id, const std::string& unit, SentenceRows rows) {
    return summarized({.id = id,
                       .unit = unit,
                       .direction = Direction::kLower,
                       .signature = name + "|unit:" + id + "|tok:subword," + text.tokenizer +
                                    "|end:" + text.end + "|n_sentences:" + count +
                                    "|version:" + std::to_string(version),
                       .notes = unknown_words_note(text),
                       .rows = std::move(rows)});
  };
  return {score("nats_per_sentence", "nats/sentence", {"mean", 1, text.nats}),
          score("nats_per_token", "nats/token", {"ratio", 2, with_tokens}),
          score("bits_per_token", "bits/token", {"bits_ratio", 2, with_tokens}),
          score("perplexity", "", {"exp_ratio", 2, with_tokens}),
          summarized({.id = "unknown_words",
                      .reason = "there are no words",
                      .unit = "%",
                      .signature = name + "|unit:unknown_words|tok:subword," + text.tokenizer +
                                   "|n_sentences:" + count + "|version:" + std::to_string(version),
                      .rows = {"ratio", 2, text.unknown}})};
}

namespace {

/// Declares a language model trained on `data` for at most 30 epochs, stopping after 3 validations
/// on real text without improvement.
InputDecl scoring_language_model(const Node& data) {
  const auto number = [](const char* text) { return Node::scalar(text); };
  const Node patience =
      Node::mapping({{"type", reference("patience"), {}}, {"validations", number("3"), {}}});
  const Node train =
      Node::mapping({{"stop", number("30e"), {}}, {"stop_when", Node::sequence({patience}), {}}});
  return {.name = "language_model",
          .help = "the language model that scores the text",
          .type = ArtifactType::kModel,
          .by_default = Node::mapping({{"model", reference("rnn_lm"), {}},
                                       {"data", data, {}},
                                       {"validate_on", reference("data.valid"), {}},
                                       {"train", train, {}}}),
          .capabilities = {TextScorer::kName},
          .without = {Encoder::kName, VectorDecoder::kName}};
}

std::vector<Score> evaluate_text(const std::string& name, const Inputs& inputs, const Text& text,
                                 int64_t batch) {
  const LoadedModel& model = inputs.model("language_model");
  const std::vector<TokenIds> sentences = ids_for(model, text);
  const auto nats = sentence_nats(inputs.serve<TextScorer>("language_model"), sentences, batch);
  return cross_entropy_scores(name, scored_text(model, text, sentences, nats),
                              kCrossEntropyRevision);
}

}  // namespace

std::vector<InputDecl> ForwardCrossEntropy::inputs() const {
  const Node samples =
      Node::mapping({{"from", reference("row.samples"), {}},
                     {"at_most", Node::scalar(std::to_string(options_.samples)), {}}});
  return {scoring_language_model(samples),
          {.name = "text", .help = "text to score", .by_default = reference("data.test")}};
}

std::vector<Score> ForwardCrossEntropy::evaluate(const Inputs& inputs) const {
  const LoadedModel& model = inputs.model("language_model");
  return evaluate_text("forward_cross_entropy|lm_sentences:" + std::to_string(model.sentences),
                       inputs, inputs.text("text"), options_.batch);
}

std::vector<InputDecl> ReverseCrossEntropy::inputs() const {
  return {scoring_language_model(reference("data.reverse")),
          {.name = "samples",
           .help = "text to score",
           .by_default = reference("row.samples"),
           .rows = options_.samples}};
}

std::vector<Score> ReverseCrossEntropy::evaluate(const Inputs& inputs) const {
  const LoadedModel& model = inputs.model("language_model");
  std::vector<Score> scores =
      evaluate_text("reverse_cross_entropy|lm:" + model.identity +
                        ",sentences:" + std::to_string(model.sentences),
                    inputs, inputs.text("samples").first(options_.samples), options_.batch);
  for (Score& score : scores) score.real_is_best = score.direction == Direction::kLower;
  return scores;
}

void register_cross_entropy(Registries& registries) {
  const PaperSource source = {"Cifka, Severyn, Alfonseca and Filippova 2018",
                              "https://arxiv.org/abs/1804.07972"};
  add_evaluator<ForwardCrossEntropy, CrossEntropyOptions>(
      registries, "forward_cross_entropy",
      "Cross entropy of the test set under a language model trained on the model's samples",
      source);
  add_evaluator<ReverseCrossEntropy, ReverseCrossEntropyOptions>(
      registries, "reverse_cross_entropy",
      "Cross entropy of the model's samples under a language model trained on real text", source);
}

}  // namespace lvtext
