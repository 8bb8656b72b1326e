#include "framework/use/text_evaluation.h"

#include <algorithm>

#include "evaluators/bleu/bleu_evaluator.h"
#include "evaluators/text_metrics/bleu.h"
#include "evaluators/text_metrics/tokenize.h"
#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/text/lines.h"

namespace lvtext {
namespace {

using Lines = std::vector<std::string>;

void check_count(const std::filesystem::path& outputs, size_t count,
                 const std::filesystem::path& other, size_t other_count) {
  if (count == other_count) return;
  throw DataError("'" + outputs.string() + "' has " + std::to_string(count) + " lines and '" +
                  other.string() + "' has " + std::to_string(other_count) +
                  ": line i of one must belong to line i of the other");
}

/// "source TAB output" taken apart, if the first line has a TAB.
void take_apart(const std::filesystem::path& file, SystemText& text) {
  if (text.outputs.empty() || text.outputs[0].find('\t') == std::string::npos) return;
  for (size_t i = 0; i < text.outputs.size(); ++i) {
    std::string& line = text.outputs[i];
    const size_t tab = line.find('\t');
    if (tab == std::string::npos || line.find('\t', tab + 1) != std::string::npos) {
      throw DataError("'" + file.string() + "', line " + std::to_string(i + 1) + ": has " +
                      (tab == std::string::npos ? "no TAB" : "several TABs") +
                      ", but the first line is 'source TAB output'; make all lines so, or give the "
                      "sources with --source FILE");
    }
    text.sources.push_back(line.substr(0, tab));
    line.erase(0, tab + 1);
  }
}

/// True of evaluators that hold a system's text against other text.
bool compares(const std::set<EvalNeed>& needs) {
  return needs.contains(EvalNeed::kReconstructions);
}

/// Words between blanks as ids, and back.
class Words {
 public:
  std::vector<TokenIds> ids(const Lines& lines) {
    std::vector<TokenIds> sentences;
    sentences.reserve(lines.size());
    for (const auto& line : lines) {
      TokenIds& sentence = sentences.emplace_back();
      for (const auto& word : tokenize_whitespace(line)) {
        const int32_t id = interner_.id(word);
        if (static_cast<size_t>(id) == words_.size()) words_.push_back(word);
        sentence.push_back(id);
      }
    }
    return sentences;
  }
  std::string text(std::span<const int32_t> ids) const {
    std::string line;
    for (const int32_t id : ids) line += (line.empty() ? "" : " ") + words_[id];
    return line;
  }

 private:
  TokenInterner interner_;
  Lines words_;
};

/// The pieces of plain text are its words; scores say so.
Score of_words(Score score) {
  if (score.unit == "pieces") score.unit = "words";
  const std::string pieces = "tok:pieces";
  if (const size_t at = score.signature.find(pieces); at != std::string::npos) {
    score.signature.replace(at, pieces.size(), "tok:whitespace");
  }
  return score;
}

/// Corpus and sentence BLEU against several references, with the default options of `bleu`.
std::vector<Score> bleu_of_groups(const SystemText& text) {
  const BleuOptions options;
  const int orders = static_cast<int>(options.orders);
  const std::string& kind = enum_name(options.tokens);
  TokenInterner interner;
  const auto tokens = [&](const std::string& line) { return interner.ids(line, kind); };
  std::vector<TokenIds> ours;
  std::vector<std::vector<TokenIds>> theirs(text.outputs.size());
  for (size_t i = 0; i < text.outputs.size(); ++i) {
    ours.push_back(tokens(text.outputs[i]));
    for (const Lines& reference : text.references) theirs[i].push_back(tokens(reference[i]));
  }
  const auto stats = ngram_stats_of_groups(ours, theirs, orders);
  const auto score = [&](const std::string& level, SentenceRows rows) {
    return summarised({.id = level,
                       .unit = "%",
                       .direction = Direction::kHigher,
                       .signature = "bleu|n:" + std::to_string(orders) + "|level:" + level +
                                    "|tok:" + kind +
                                    "|smooth:none|refs:" + std::to_string(text.references.size()) +
                                    "|n_sentences:" + std::to_string(stats.size()) + "|version:1",
                       .rows = std::move(rows)});
  };
  return {score("corpus", {"bleu:" + std::to_string(orders), static_cast<size_t>(2 * orders + 2),
                           bleu_rows(stats, orders)}),
          score("sentence", {"mean", 1, sentence_bleu(stats, orders)})};
}

class TextEvaluation {
 public:
  explicit TextEvaluation(const SystemText& text)
      : text_(text), outputs_(words_.ids(text.outputs)) {
    if (!text.references.empty()) references_ = words_.ids(text.references[0]);
    if (!text.sources.empty()) sources_ = words_.ids(text.sources);
  }

  /// Why the evaluator cannot be served; empty if it can.
  std::string obstacle(const std::string& name, const Evaluator& evaluator) const {
    const auto needs = evaluator.needs();
    for (const EvalNeed need : needs) {
      if (need == EvalNeed::kModel) return "it needs a model, not only its text: eval RUN";
      if (need == EvalNeed::kForwardLm || need == EvalNeed::kReverseLm) {
        return "it needs a language model, which a recipe trains: lvtext reproduce RECIPE";
      }
      if (need == EvalNeed::kSentenceEncoder) {
        return "it needs a sentence encoder, which a recipe trains: lvtext reproduce RECIPE";
      }
    }
    if (!compares(needs)) {
      return needs.contains(EvalNeed::kTest) ? "it needs the test set of a run: eval RUN" : "";
    }
    if (text_.sources.empty() && text_.references.empty()) {
      return "it compares: give --references FILE or --source FILE";
    }
    if (text_.sources.empty() && text_.references.size() > 1 && name != "bleu") {
      return "it takes one file of references, " + std::to_string(text_.references.size()) +
             " were given";
    }
    return "";
  }

  void score(const std::string& name, const Evaluator& evaluator, TextScores& result) const {
    if (!compares(evaluator.needs())) {
      auto scores = evaluate(evaluator, {});
      // No training text is known, so nothing can be said of copies from it.
      std::erase_if(scores, [](const Score& score) { return score.id == "copied"; });
      result.scored.push_back({name, "", std::move(scores)});
      return;
    }
    if (text_.references.size() > 1) {
      if (name == "bleu") {
        result.scored.push_back({name, "references", bleu_of_groups(text_)});
      } else {
        result.left_out.push_back({name, "it takes one file of references, " +
                                             std::to_string(text_.references.size()) +
                                             " were given"});
      }
    } else if (!text_.references.empty()) {
      result.scored.push_back({name, "references", evaluate(evaluator, references_)});
    }
    if (!text_.sources.empty()) {
      result.scored.push_back({name, "source", evaluate(evaluator, sources_)});
    }
  }

 private:
  std::vector<Score> evaluate(const Evaluator& evaluator, std::span<const TokenIds> other) const {
    EvalInputs inputs;
    inputs.test = other;
    inputs.reconstructions = outputs_;
    inputs.samples = outputs_;
    inputs.to_text = [this](std::span<const int32_t> ids) { return words_.text(ids); };
    std::vector<Score> scores;
    for (Score& score : evaluator.evaluate(inputs)) scores.push_back(of_words(std::move(score)));
    return scores;
  }

  const SystemText& text_;
  Words words_;
  std::vector<TokenIds> outputs_, references_, sources_;
};

}  // namespace

SystemText read_system_text(const std::filesystem::path& outputs,
                            const std::filesystem::path& sources,
                            const std::vector<std::filesystem::path>& references) {
  SystemText text;
  text.outputs = read_lines(outputs);
  if (sources.empty()) {
    take_apart(outputs, text);
  } else {
    text.sources = read_lines(sources);
    check_count(outputs, text.outputs.size(), sources, text.sources.size());
  }
  for (const auto& reference : references) {
    text.references.push_back(read_lines(reference));
    check_count(outputs, text.outputs.size(), reference, text.references.back().size());
  }
  return text;
}

TextScores evaluate_text(const SystemText& text, const Registries& registries,
                         const std::vector<std::string>& evaluators) {
  const bool named = !evaluators.empty();
  const TextEvaluation evaluation(text);
  TextScores result;
  for (const auto& name : named ? evaluators : registries.evaluators.names()) {
    const auto evaluator = registries.evaluators.get(name).build(Node::mapping({}));
    const std::string reason = evaluation.obstacle(name, *evaluator);
    if (reason.empty()) {
      evaluation.score(name, *evaluator, result);
    } else if (named) {
      throw UsageError("--evaluators " + name + ": " + reason);
    } else if (compares(evaluator->needs())) {
      result.left_out.push_back({name, reason});
    }
  }
  return result;
}

}  // namespace lvtext
