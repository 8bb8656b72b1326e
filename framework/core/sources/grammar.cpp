#include "framework/core/sources/grammar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/datasets/batches.h"

namespace lvtext {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Converts random bits to a uniform number in [0, 1) with 53 bits of precision.
double uniform(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// A parsed line of the grammar with unresolved symbols.
struct Draft {
  std::string name;
  std::vector<std::pair<double, std::vector<std::string>>> phrases;
};

Draft read_rule(const std::string& line, int number) {
  const auto fail = [&](const std::string& what) {
    return DataError("grammar, line " + std::to_string(number) + ": " + what +
                     "; a rule is 'name = 2: phrase | phrase' or 'name ~ word word'");
  };
  const size_t sign = line.find_first_of("=~");
  if (sign == std::string::npos) throw fail("'=' or '~' is missing");
  Draft draft;
  draft.name = trim(std::string_view(line).substr(0, sign));
  if (words_of(draft.name).size() != 1) throw fail("the name of a rule must be one word");
  const std::string right = line.substr(sign + 1);
  if (line[sign] == '~') {
    for (const std::string& word : words_of(right)) {
      draft.phrases.push_back({1.0 / static_cast<double>(draft.phrases.size() + 1), {word}});
    }
  } else {
    for (const std::string& part : split(right, '|')) {
      const size_t colon = part.find(':');
      double weight = 1;
      if (colon != std::string::npos) {
        const std::string_view text = trim(std::string_view(part).substr(0, colon));
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), weight);
        if (code != std::errc() || end != text.data() + text.size() || !(weight > 0)) {
          throw fail("'" + std::string(text) + "' is not a weight above 0");
        }
      }
      draft.phrases.push_back(
          {weight, words_of(part.substr(colon == std::string::npos ? 0 : colon + 1))});
      if (draft.phrases.back().second.empty()) throw fail("it has an empty phrase");
    }
  }
  if (draft.phrases.empty()) throw fail("it has no phrase");
  return draft;
}

}  // namespace

Grammar::Grammar(std::string_view text) {
  std::vector<Draft> drafts;
  std::map<std::string, int> index;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    drafts.push_back(read_rule(line, number));
    if (!index.emplace(drafts.back().name, static_cast<int>(drafts.size()) - 1).second) {
      throw DataError("grammar, line " + std::to_string(number) + ": the rule '" +
                      drafts.back().name + "' is defined twice");
    }
  }
  if (drafts.empty()) throw DataError("grammar: it has no rule");
  for (const Draft& draft : drafts) {
    Rule rule;
    rule.name = draft.name;
    double total = 0;
    for (const auto& [weight, symbols] : draft.phrases) total += weight;
    for (const auto& [weight, symbols] : draft.phrases) {
      Phrase phrase{weight / total, {}};
      for (const std::string& symbol : symbols) {
        const auto found = index.find(symbol);
        phrase.symbols.push_back({found == index.end() ? -1 : found->second, symbol});
      }
      rule.phrases.push_back(std::move(phrase));
    }
    rules_.push_back(std::move(rule));
  }
  measure(0);
}

void Grammar::measure(int index) {
  Rule& rule = rules_[index];
  if (rule.state == 2) return;
  if (rule.state == 1) throw DataError("grammar: the rule '" + rule.name + "' contains itself");
  rule.state = 1;
  rule.min_words = std::numeric_limits<int>::max();
  for (const Phrase& phrase : rule.phrases) {
    double entropy = -std::log(phrase.probability), mean = 0;
    int low = 0, high = 0;
    for (const Symbol& symbol : phrase.symbols) {
      if (symbol.rule >= 0) measure(symbol.rule);
      const Rule* part = symbol.rule >= 0 ? &rules_[symbol.rule] : nullptr;
      entropy += part ? part->entropy : 0;
      mean += part ? part->mean_words : 1;
      low += part ? part->min_words : 1;
      high += part ? part->max_words : 1;
    }
    rule.entropy += phrase.probability * entropy;
    rule.mean_words += phrase.probability * mean;
    rule.min_words = std::min(rule.min_words, low);
    rule.max_words = std::max(rule.max_words, high);
  }
  rule.state = 2;
}

void Grammar::derive(int index, uint64_t key, uint64_t& draws, Sample& sample) const {
  const Rule& rule = rules_[index];
  double left = uniform(mix_bits(key, draws++, 0));
  size_t chosen = 0;
  while (chosen + 1 < rule.phrases.size() && left >= rule.phrases[chosen].probability) {
    left -= rule.phrases[chosen++].probability;
  }
  const Phrase& phrase = rule.phrases[chosen];
  sample.log_probability += std::log(phrase.probability);
  for (const Symbol& symbol : phrase.symbols) {
    if (symbol.rule >= 0) {
      derive(symbol.rule, key, draws, sample);
    } else {
      if (!sample.text.empty()) sample.text += ' ';
      sample.text += symbol.word;
    }
  }
}

Grammar::Sample Grammar::sample(uint64_t seed, uint64_t index) const {
  Sample sample{"", 0};
  uint64_t draws = 0;
  derive(0, mix_bits(seed, index, 0), draws, sample);
  return sample;
}

/// Inside probabilities of one sentence: for each rule and start position, the probability of each
/// end position.
class Grammar::Parse {
 public:
  using Ends = std::map<size_t, double>;
  Parse(const Grammar& grammar, std::vector<std::string> words)
      : grammar_(grammar), words_(std::move(words)) {}

  const Ends& inside(int rule, size_t begin) {
    const auto known = known_.find({rule, begin});
    if (known != known_.end()) return known->second;
    Ends all;
    for (const Phrase& phrase : grammar_.rules_[rule].phrases) {
      Ends reached{{begin, phrase.probability}};
      for (const Symbol& symbol : phrase.symbols) reached = advance(symbol, reached);
      for (const auto& [end, probability] : reached) all[end] += probability;
    }
    return known_[{rule, begin}] = std::move(all);
  }

 private:
  Ends advance(const Symbol& symbol, const Ends& from) {
    Ends to;
    for (const auto& [at, probability] : from) {
      if (symbol.rule < 0) {
        if (at < words_.size() && words_[at] == symbol.word) to[at + 1] += probability;
      } else {
        for (const auto& [end, part] : inside(symbol.rule, at)) to[end] += probability * part;
      }
    }
    return to;
  }

  const Grammar& grammar_;
  std::vector<std::string> words_;
  std::map<std::pair<int, size_t>, Ends> known_;
};

double Grammar::log_probability(std::string_view sentence) const {
  std::vector<std::string> words = words_of(sentence);
  const size_t count = words.size();
  Parse parse(*this, std::move(words));
  const Parse::Ends& ends = parse.inside(0, 0);
  const auto whole = ends.find(count);
  return whole == ends.end() ? -std::numeric_limits<double>::infinity() : std::log(whole->second);
}

std::vector<std::string> Grammar::words() const {
  std::set<std::string> all;
  for (const Rule& rule : rules_) {
    for (const Phrase& phrase : rule.phrases) {
      for (const Symbol& symbol : phrase.symbols) {
        if (symbol.rule < 0) all.insert(symbol.word);
      }
    }
  }
  return {all.begin(), all.end()};
}

}  // namespace lvtext
