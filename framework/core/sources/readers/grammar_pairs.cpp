#include <algorithm>
#include <optional>

#include "framework/core/base/strings.h"
#include "framework/core/sources/grammar.h"
#include "framework/core/sources/record_reader.h"

namespace lvtext {
namespace {

/// Joins at most `count` words, beginning at index `from`.
std::string some_words(const std::vector<std::string>& words, size_t from, size_t count) {
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(std::min(from, words.size()));
  const auto end = begin + static_cast<std::ptrdiff_t>(
                               std::min<size_t>(count, static_cast<size_t>(words.end() - begin)));
  return join({begin, end}, " ");
}

/// Draws sentence pairs whose relation can be inferred from their words; the relations alternate.
struct GrammarPairsReader : RecordReader {
  std::optional<bool> scored;  // unset: not part of identities

  template <class V>
  void visit(V& v) {
    v.field("scored", scored,
            "gives a pair the label 1 if the hypothesis begins as the premise does, else 0, and "
            "the score 5, 3 or 1 (unset: the relation as the label)");
  }

  std::vector<std::string> fields() const override {
    if (!scored.value_or(false)) return {"premise", "hypothesis", "label"};
    return {"premise", "hypothesis", "label", "score"};
  }
  bool generates() const override { return true; }
  Record draw(uint64_t seed, uint64_t index) const override {
    static const std::vector<std::string> labels = {"entailment", "neutral", "contradiction"};
    static const std::vector<std::string> scores = {"5", "3", "1"};
    const std::string premise = Grammar::news().sample(seed, 2 * index).text;
    const auto first = split(premise, ' ');
    const auto other = split(Grammar::news().sample(seed, 2 * index + 1).text, ' ');
    const size_t label = index % labels.size();
    std::string hypothesis = some_words(label == 2 ? other : first, 0, first.size() / 2 + 1);
    if (label == 1) hypothesis += " " + some_words(other, other.size() / 2, other.size());
    if (!scored.value_or(false)) return {premise, hypothesis, labels[label]};
    return {premise, hypothesis, label == 2 ? "0" : "1", scores[label]};
  }
};

}  // namespace

void add_grammar_pairs(Choices<RecordReader>& readers) {
  add_component<GrammarPairsReader>(readers, "grammar_pairs",
                                    "draws labeled sentence pairs from the news grammar");
}

}  // namespace lvtext
