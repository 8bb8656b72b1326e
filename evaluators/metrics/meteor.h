// METEOR 1.5 (Denkowski and Lavie 2014) for English, without its paraphrase table.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/metrics/stemmer.h"
#include "evaluators/metrics/tokenize.h"
#include "evaluators/metrics/wordnet.h"

namespace lvtext {

/// The defaults are METEOR's parameters for English, task "rank".
struct MeteorParameters {
  double alpha = 0.85;  ///< weight of recall in the mean of precision and recall
  double beta = 0.2;    ///< exponent of the fragmentation
  double gamma = 0.6;   ///< maximum penalty of fragmentation
  double delta = 0.75;  ///< weight of content words; that of function words is 1 - delta
};

/// Statistics of a pair, or their sums over pairs, six numbers: matched and total weight of the
/// hypothesis's words, matched and total weight of the reference's words, mean number of matched
/// words of the two sides, and number of chunks, which is 0 if all words of both match in one.
using MeteorStats = std::array<double, 6>;

/// F (1 - gamma frag^beta), where F = 1 / ((1 - alpha) / P + alpha / R) and frag is the number of
/// chunks per matched word; 0..1. The statistics of a pair give the score of the pair, sums give
/// the aggregate score of METEOR's program. 0 without matches. `stats` has the numbers of
/// MeteorStats.
double meteor_score(std::span<const double> stats, const MeteorParameters& parameters);

/// Aligns hypotheses with references by the beam search of METEOR's program: words match if they
/// are equal, with weight 1, if their Porter2 stems are equal, 0.6, or if they have a common
/// synset, 0.8. Words are separated by white space and compared as they are; METEOR's own
/// normalization is not applied. Stores the properties of all words seen.
class Meteor {
 public:
  /// `uses_stems`: matches words with equal stems. `synonyms`: matches synonyms; null: none.
  Meteor(const MeteorParameters& parameters, bool uses_stems,
         std::shared_ptr<const WordNet> synonyms);

  MeteorStats stats(std::string_view hypothesis, std::string_view reference);

 private:
  /// Properties of a distinct word.
  struct Word {
    int32_t stem;
    SynsetIds synsets;
    double weight;  ///< delta for content words, 1 - delta for function words
  };
  /// A pair of words that match; weight 1 if they are equal.
  struct Match {
    size_t hypothesis;  ///< position
    double weight;
  };
  /// A partial alignment: of the reference's words up to some position.
  struct Path;

  TokenIds ids(std::string_view sentence);
  Word properties(const std::string& word);
  /// The possible matches of each word of the reference, in the order in which they are tried.
  std::vector<std::vector<Match>> matches(const TokenIds& hypothesis,
                                          const TokenIds& reference) const;
  /// The chosen match of each word of the reference; null if it has none.
  static std::vector<const Match*> align(const std::vector<std::vector<Match>>& matches,
                                         size_t hypothesis_length);

  MeteorParameters parameters_;
  bool uses_stems_;
  EnglishStemmer stemmer_;
  std::shared_ptr<const WordNet> synonyms_;
  TokenInterner words_, stems_;
  std::vector<Word> properties_;  ///< by id of words_
};

}  // namespace lvtext
