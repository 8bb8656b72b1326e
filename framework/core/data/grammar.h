// Sentences from a probabilistic grammar whose entropy is known: data that needs no download, and a
// yardstick for perplexities.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// A context-free grammar with probabilities and without recursion or empty phrases. Text form, one
/// rule per line:
///   name = 3: phrase | 1: phrase      weights before ':' (1 if left out), made to sum to 1
///   name ~ word word word             one word each, weights 1, 1/2, 1/3, ... (Zipf's law)
/// A symbol is a rule's name if there is such a rule, else a word. The first rule is the start.
class Grammar {
 public:
  /// Throws DataError with the line if the text is malformed or recursive.
  explicit Grammar(std::string_view text);
  /// The embedded news sentences (who did what, where and when): 4 to 14 words.
  static const Grammar& news();

  struct Sample {
    std::string text;
    double log_probability;  ///< of the derivation drawn, nats
  };
  /// Sentence `index` of the stream `seed`: a pure function of both (counter-based).
  Sample sample(uint64_t seed, uint64_t index) const;
  /// Natural logarithm of the probability of a sentence (words between blanks), all derivations
  /// summed (inside algorithm); -infinity if the grammar cannot make it.
  double log_probability(std::string_view sentence) const;
  /// Entropy of a derivation in nats; that of a sentence where each has one derivation only, as in
  /// news().
  double entropy() const { return rules_.front().entropy; }
  /// Expected number of words of a sentence.
  double mean_words() const { return rules_.front().mean_words; }
  int min_words() const { return rules_.front().min_words; }
  int max_words() const { return rules_.front().max_words; }
  /// All words, sorted.
  std::vector<std::string> words() const;

 private:
  /// A rule's index, or a word where `rule` is negative.
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
    int state = 0;  // measuring: 0 not yet, 1 under way, 2 done
  };
  class Parse;

  void measure(int index);
  void derive(int index, uint64_t key, uint64_t& draws, Sample& sample) const;

  std::vector<Rule> rules_;
};

}  // namespace lvtext
