// Probabilistic grammar that generates sentences of known entropy: data that needs no download and
// gives a lower bound of the perplexity.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// A probabilistic context-free grammar without recursion or empty phrases. Text format, one rule
/// per line:
///   name = 3: phrase | 1: phrase      weights before ':' (default 1), normalized to sum to 1
///   name ~ word word word             single words, weights 1, 1/2, 1/3, ... (Zipf's law)
/// A symbol is a nonterminal if a rule has its name, else a word. The first rule is the start
/// symbol.
class Grammar {
 public:
  /// Throws DataError naming the line if the text is malformed or recursive.
  explicit Grammar(std::string_view text);
  /// The embedded grammar of news sentences (who did what, where and when) of 4 to 14 words.
  static const Grammar& news();

  struct Sample {
    std::string text;
    double log_probability;  ///< log-probability of the sampled derivation, in nats
  };
  /// Sentence `index` of the stream `seed`: a pure function of both (counter-based).
  Sample sample(uint64_t seed, uint64_t index) const;
  /// Natural logarithm of the probability of a sentence (words separated by blanks), summed over
  /// all derivations (inside algorithm); -infinity if the grammar does not generate it.
  double log_probability(std::string_view sentence) const;
  /// Entropy of a derivation in nats; equals the entropy of a sentence if each sentence has one
  /// derivation, as in news().
  double entropy() const { return rules_.front().entropy; }
  /// Expected number of words of a sentence.
  double mean_words() const { return rules_.front().mean_words; }
  int min_words() const { return rules_.front().min_words; }
  int max_words() const { return rules_.front().max_words; }
  /// All words (terminal symbols), sorted.
  std::vector<std::string> words() const;

 private:
  /// Index of a rule, or a word if `rule` is negative.
  struct Symbol {
    int rule;
    std::string word;
  };
  struct Phrase {
    double probability;
    std::vector<Symbol> symbols;
  };
  struct Rule {
    std::string name;
    std::vector<Phrase> phrases;
    double entropy = 0, mean_words = 0;
    int min_words = 0, max_words = 0;
    int state = 0;  // of measure(): 0 not started, 1 in progress, 2 done
  };
  class Parse;

  void measure(int index);
  void derive(int index, uint64_t key, uint64_t& draws, Sample& sample) const;

  std::vector<Rule> rules_;
};

}  // namespace lvtext
