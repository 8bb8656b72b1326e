#include "evaluators/token_scores/token_scores_evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "evaluators/metrics/token_metrics.h"
#include "evaluators/token_scores/records.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

const PaperSource kSource = {"Martins, Marinho and Martins 2020",
                             "https://aclanthology.org/2020.emnlp-main.348"};

std::string records_signature(const std::string& name, const TokenRecords& records, int version,
                              MeanOver over = MeanOver::kTokens) {
  return name + "|" + records.signature + (over == MeanOver::kTexts ? "|mean:texts" : "") +
         "|version:" + std::to_string(version);
}

/// Reason of an undefined score.
constexpr const char* kNoTokens = "there are no tokens";

/// The windows whose scores have ids of their own: those of the paper.
constexpr int64_t kNamedWindows[] = {16, 32, 128, 512};

/// The kinds of repetitions, as prefixes of ids, and what they count.
struct RepetitionKind {
  const char* id;
  const char* help;
  int64_t Repetitions::*count;  ///< null: probabilities are added
  Direction direction;
};
constexpr RepetitionKind kRepetitionKinds[] = {
    {"rep", "share of drawn tokens that are among the", &Repetitions::drawn, Direction::kLower},
    {"wrep", "share of drawn tokens that differ from the text's token and are among the",
     &Repetitions::wrong, Direction::kLower},
    {"human", "share of the text's own tokens that are among the", &Repetitions::human,
     Direction::kNone},
    {"expected", "mean probability of the", nullptr, Direction::kLower}};

/// Number of bytes of each target text, without EOS.
std::vector<double> bytes_of(const Text& targets) {
  std::vector<double> bytes;
  for (TokenIds ids : targets.ids()) {
    if (!ids.empty() && ids.back() == targets.tokenizer()->vocabulary().eos) ids.pop_back();
    bytes.push_back(static_cast<double>(targets.tokenizer()->decode(ids).size()));
  }
  return bytes;
}

}  // namespace

std::vector<InputDecl> SparsemaxScore::inputs() const {
  return {tokens_input()};
}

std::vector<ScoreDecl> SparsemaxScore::scores() {
  return {{"sp", "mean of p(x) + (1 - |p|^2) / 2, in 0..1; accuracy for greedy decoding"}};
}

std::vector<Score> SparsemaxScore::evaluate(const Inputs& inputs) const {
  const MeanOver over = options_.over();
  const TokenRecords records = read_token_records(inputs, "tokens");
  return {summarized(
      {.id = "sp",
       .reason = kNoTokens,
       .direction = Direction::kHigher,
       .signature = records_signature("sparsemax_score", records, kRevision, over),
       .rows = records.means(
           "ratio",
           [&](size_t t) { return sparsemax_score(records.probability[t], records.squares[t]); },
           over)})};
}

std::vector<InputDecl> ReferenceJs::inputs() const {
  return {tokens_input()};
}

std::vector<ScoreDecl> ReferenceJs::scores() {
  return {
      {"js", "mean Jensen-Shannon divergence of the distribution and the text's token, in nats"}};
}

std::vector<Score> ReferenceJs::evaluate(const Inputs& inputs) const {
  const MeanOver over = options_.over();
  const TokenRecords records = read_token_records(inputs, "tokens");
  return {summarized(
      {.id = "js",
       .reason = kNoTokens,
       .unit = "nats",
       .direction = Direction::kLower,
       .signature = records_signature("reference_js", records, kRevision, over),
       .rows = records.means(
           "ratio", [&](size_t t) { return reference_js(records.probability[t]); }, over)})};
}

std::vector<InputDecl> SupportSize::inputs() const {
  return {tokens_input()};
}

std::vector<ScoreDecl> SupportSize::scores() {
  return {{"mean", "mean number of tokens with a probability above 0"},
          {"median", "median number of tokens with a probability above 0"},
          {"sd", "standard deviation of that number over the tokens of the text"},
          {"min", "smallest number of tokens with a probability above 0"},
          {"max", "largest number of tokens with a probability above 0"}};
}

std::vector<Score> SupportSize::evaluate(const Inputs& inputs) const {
  const TokenRecords records = read_token_records(inputs, "tokens");
  const std::string of = records_signature("support_size", records, kRevision);
  std::vector<Score> scores = {
      summarized({.id = "mean",
                  .reason = kNoTokens,
                  .unit = "tokens",
                  .signature = of + "|score:mean",
                  .rows = records.means("ratio", [&](size_t t) { return records.support[t]; })})};
  const std::vector<double>& sizes = records.support;
  const auto add = [&](const std::string& id, double value) {
    scores.push_back({.id = id,
                      .value = value,
                      .reason = sizes.empty() ? kNoTokens : "",
                      .unit = "tokens",
                      .n = scores.front().n,
                      .signature = of + "|score:" + id});
  };
  double squares = 0;
  for (const double size : sizes) squares += std::pow(size - scores.front().value, 2);
  const auto [smallest, largest] = std::minmax_element(sizes.begin(), sizes.end());
  add("median", quantile(sizes, 0.5));
  add("sd", sizes.empty() ? std::nan("") : std::sqrt(squares / static_cast<double>(sizes.size())));
  add("min", sizes.empty() ? std::nan("") : *smallest);
  add("max", sizes.empty() ? std::nan("") : *largest);
  return scores;
}

std::vector<InputDecl> EpsilonPerplexity::inputs() const {
  std::vector<InputDecl> inputs = {tokens_input()};
  if (!options_.epsilon) {
    inputs.push_back({.name = "fitted_on",
                      .help = "token records of the same policy, for which epsilon is the best",
                      .type = ArtifactType::kDataset});
  }
  return inputs;
}

std::vector<ScoreDecl> EpsilonPerplexity::scores() {
  return {{"perplexity", "perplexity of the distribution mixed with a uniform one by epsilon"},
          {"optimum", "the same with the epsilon that is best for the scored records"},
          {"nats_per_byte", "negative log likelihood with epsilon per byte of the text, in nats"},
          {"epsilon", "the epsilon of the perplexity"}};
}

std::vector<Score> EpsilonPerplexity::evaluate(const Inputs& inputs) const {
  const MeanOver over = options_.over();
  const TokenRecords records = read_token_records(inputs, "tokens");
  const double vocabulary = records.vocabulary;
  double weight = 0;
  std::string source;
  if (options_.epsilon) {
    weight = smoothing_weight(*options_.epsilon, vocabulary);
    source = significant(*options_.epsilon, 6);
  } else {
    const TokenRecords fitted_on = read_token_records(inputs, "fitted_on");
    if (fitted_on.vocabulary != vocabulary) {
      throw DataError("epsilon_perplexity: `tokens` has a vocabulary of " +
                      significant(vocabulary, 9) + " tokens and `fitted_on` one of " +
                      significant(fitted_on.vocabulary, 9) + "; both must be of the same model");
    }
    weight = best_smoothing(fitted_on.probability, vocabulary, fitted_on.weights(over));
    source = "best_on[n_tokens:" + std::to_string(fitted_on.probability.size()) + "]";
  }
  const std::string of = records_signature("epsilon_perplexity", records, kRevision, over);
  const auto zeros = std::count(records.probability.begin(), records.probability.end(), 0.0);
  const std::string impossible = format_count(zeros) + " of " +
                                 format_count(std::ssize(records.probability)) +
                                 " tokens have the probability 0, and epsilon is 0";
  const auto score = [&](const std::string& id, const std::string& unit, double mixed_by,
                         const std::string& epsilon, const std::vector<double>& per) {
    Score made{.id = id,
               .reason = kNoTokens,
               .unit = unit,
               .direction = Direction::kLower,
               .signature = of + "|epsilon:" + epsilon + "|score:" + id};
    if (mixed_by == 0 && zeros > 0) {
      made.value = std::nan("");
      made.reason = impossible;
      made.n = static_cast<int64_t>(records.texts());
      return made;
    }
    made.rows = records.means(
        per.empty() ? "exp_ratio" : "ratio",
        [&](size_t t) { return smoothed_nats(records.probability[t], vocabulary, mixed_by); },
        over);
    for (size_t text = 0; text < per.size(); ++text) made.rows.values[2 * text + 1] = per[text];
    return summarized(std::move(made));
  };
  std::vector<Score> scores = {
      score("perplexity", "", weight, source, {}),
      score("optimum", "", best_smoothing(records.probability, vocabulary, records.weights(over)),
            "best_on[itself]", {})};
  if (over == MeanOver::kTokens && has_recorded_texts(inputs, "tokens")) {
    scores.push_back(score("nats_per_byte", "nats/byte", weight, source,
                           bytes_of(read_recorded_texts(inputs, "tokens").target)));
  }
  const double epsilon = smoothing_epsilon(weight, vocabulary);
  Score used{.id = "epsilon",
             .value = std::isfinite(epsilon) ? epsilon : std::nan(""),
             .n = static_cast<int64_t>(records.texts()),
             .signature = of + "|epsilon:" + source + "|score:epsilon"};
  if (std::isnan(epsilon)) {
    used.reason = kNoTokens;
  } else if (std::isinf(epsilon)) {
    used.reason = "epsilon is infinite: the uniform distribution is better than any mixture with p";
  }
  scores.push_back(std::move(used));
  return scores;
}

const std::vector<EnumName<RepetitionContext>>& enum_names(RepetitionContext) {
  static const std::vector<EnumName<RepetitionContext>> names = {
      {"targets", RepetitionContext::kTargets,
       "the predicted tokens of the text, as in the code of Martins et al. 2020"},
      {"full", RepetitionContext::kFull,
       "all tokens of the text, with those that are given and not predicted"}};
  return names;
}

std::vector<InputDecl> Repetition::inputs() const {
  return {tokens_input()};
}

std::vector<ScoreDecl> Repetition::scores() {
  std::vector<ScoreDecl> decls;
  for (const RepetitionKind& kind : kRepetitionKinds) {
    decls.push_back({kind.id, std::string(kind.help) + " preceding tokens; mean over the windows"});
  }
  for (const RepetitionKind& kind : kRepetitionKinds) {
    for (const int64_t window : kNamedWindows) {
      decls.push_back(
          {std::string(kind.id) + "_" + std::to_string(window),
           std::string(kind.help) + " " + std::to_string(window) + " preceding tokens"});
    }
  }
  return decls;
}

std::vector<Score> Repetition::evaluate(const Inputs& inputs) const {
  const TokenRecords records = read_token_records(inputs, "tokens");
  const RecordedTexts texts = read_recorded_texts(inputs, "tokens");
  const auto vocabulary = static_cast<int64_t>(records.vocabulary);
  std::vector<std::vector<Repetitions>> counts;  // [text][window]
  for (size_t i = 0; i < records.texts(); ++i) {
    const bool is_full = options_.context == RepetitionContext::kFull;
    counts.push_back(repetitions(is_full ? std::span(texts.context.ids()[i]) : std::span<int32_t>(),
                                 texts.target.ids()[i], texts.drawn.ids()[i], options_.windows,
                                 vocabulary));
  }
  const std::string of = records_signature("repetition", records, kRevision) +
                         "|in:" + enum_name(options_.context) + "|windows:";
  // The mean over the windows with these indices.
  const auto score = [&](const RepetitionKind& kind, const std::string& id,
                         const std::vector<size_t>& windows) {
    SentenceRows rows{"ratio", 2, {}};
    for (size_t text = 0; text < counts.size(); ++text) {
      double sum = 0;
      for (const size_t window : windows) {
        if (kind.count != nullptr) {
          sum += static_cast<double>(counts[text][window].*kind.count);
          continue;
        }
        const std::vector<double>& repeated = records.repeated.at(options_.windows[window]);
        sum = std::accumulate(repeated.begin() + records.rows[text],
                              repeated.begin() + records.rows[text + 1], sum);
      }
      rows.values.insert(rows.values.end(),
                         {sum / static_cast<double>(windows.size()), records.length(text)});
    }
    std::vector<std::string> sizes;
    for (const size_t window : windows) sizes.push_back(std::to_string(options_.windows[window]));
    return summarized({.id = id,
                       .reason = kNoTokens,
                       .direction = kind.direction,
                       .signature = of + join(sizes, ",") + "|score:" + kind.id,
                       .rows = std::move(rows)});
  };
  std::vector<size_t> all(options_.windows.size());
  std::iota(all.begin(), all.end(), size_t{0});
  // Whether the records have what these windows need.
  const auto is_known = [&](const RepetitionKind& kind, const std::vector<int64_t>& windows) {
    return kind.count != nullptr ||
           (options_.context == RepetitionContext::kTargets &&
            std::all_of(windows.begin(), windows.end(),
                        [&](int64_t window) { return records.repeated.contains(window); }));
  };
  std::vector<Score> scores;
  for (const RepetitionKind& kind : kRepetitionKinds) {
    if (is_known(kind, options_.windows)) scores.push_back(score(kind, kind.id, all));
  }
  for (const RepetitionKind& kind : kRepetitionKinds) {
    for (const int64_t window : kNamedWindows) {
      if (!is_known(kind, {window})) continue;
      const auto found = std::find(options_.windows.begin(), options_.windows.end(), window);
      if (found == options_.windows.end()) continue;
      scores.push_back(score(kind, std::string(kind.id) + "_" + std::to_string(window),
                             {static_cast<size_t>(found - options_.windows.begin())}));
    }
  }
  return scores;
}

void register_token_scores(Registries& registries) {
  add_evaluator<SparsemaxScore, TokenMeanOptions>(
      registries, "sparsemax_score", "Sparsemax score of next-token distributions", kSource);
  add_evaluator<ReferenceJs, TokenMeanOptions>(
      registries, "reference_js",
      "Jensen-Shannon divergence of next-token distributions and the text's tokens", kSource);
  add_evaluator<EpsilonPerplexity, EpsilonPerplexityOptions>(
      registries, "epsilon_perplexity",
      "Perplexity smoothed by the best epsilon, for distributions with zeros", kSource);
  add_evaluator<Repetition, RepetitionOptions>(
      registries, "repetition", "Tokens drawn that repeat the preceding text",
      {"Welleck, Kulikov, Roller, Dinan, Cho and Weston 2020", "https://arxiv.org/abs/1908.04319"});
  add_evaluator<SupportSize, NoOptions>(registries, "support_size",
                                        "Number of tokens that a next-token distribution can give",
                                        kSource);
}

}  // namespace lvtext
