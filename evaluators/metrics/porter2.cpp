#include "evaluators/metrics/porter2.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace lvtext {
namespace {

using View = std::string_view;

/// Replacement of a suffix.
struct Rule {
  View suffix, replacement;
};

constexpr auto kWholeWords = std::to_array<Rule>({{"skis", "ski"},
                                                  {"skies", "sky"},
                                                  {"dying", "die"},
                                                  {"lying", "lie"},
                                                  {"tying", "tie"},
                                                  {"idly", "idl"},
                                                  {"gently", "gentl"},
                                                  {"ugly", "ugli"},
                                                  {"early", "earli"},
                                                  {"only", "onli"},
                                                  {"singly", "singl"},
                                                  {"sky", "sky"},
                                                  {"news", "news"},
                                                  {"howe", "howe"},
                                                  {"atlas", "atlas"},
                                                  {"cosmos", "cosmos"},
                                                  {"bias", "bias"},
                                                  {"andes", "andes"}});
/// Words that are stems after step 1a.
constexpr auto kStems = std::to_array<View>(
    {"inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"});
/// Prefixes after which R1 begins.
constexpr auto kPrefixes = std::to_array<View>({"gener", "commun", "arsen"});
constexpr auto kDoubles =
    std::to_array<View>({"bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"});

constexpr auto kStep0 = std::to_array<Rule>({{"'s'", ""}, {"'s", ""}, {"'", ""}});
constexpr auto kStep1a = std::to_array<Rule>(
    {{"sses", "ss"}, {"ied", "i"}, {"ies", "i"}, {"us", "us"}, {"ss", "ss"}, {"s", ""}});
constexpr auto kStep1b = std::to_array<Rule>(
    {{"eedly", "ee"}, {"ingly", ""}, {"edly", ""}, {"eed", "ee"}, {"ing", ""}, {"ed", ""}});
constexpr auto kStep2 = std::to_array<Rule>(
    {{"ational", "ate"}, {"fulness", "ful"}, {"iveness", "ive"}, {"ization", "ize"},
     {"ousness", "ous"}, {"biliti", "ble"},  {"lessli", "less"}, {"tional", "tion"},
     {"alism", "al"},    {"aliti", "al"},    {"ation", "ate"},   {"entli", "ent"},
     {"fulli", "ful"},   {"iviti", "ive"},   {"ousli", "ous"},   {"abli", "able"},
     {"alli", "al"},     {"anci", "ance"},   {"ator", "ate"},    {"enci", "ence"},
     {"izer", "ize"},    {"bli", "ble"},     {"ogi", "og"},      {"li", ""}});
constexpr auto kStep3 = std::to_array<Rule>({{"ational", "ate"},
                                             {"tional", "tion"},
                                             {"alize", "al"},
                                             {"ative", ""},
                                             {"icate", "ic"},
                                             {"iciti", "ic"},
                                             {"ical", "ic"},
                                             {"ness", ""},
                                             {"ful", ""}});
constexpr auto kStep4 = std::to_array<Rule>({{"ement", ""},
                                             {"able", ""},
                                             {"ance", ""},
                                             {"ence", ""},
                                             {"ible", ""},
                                             {"ment", ""},
                                             {"ant", ""},
                                             {"ate", ""},
                                             {"ent", ""},
                                             {"ion", ""},
                                             {"ism", ""},
                                             {"iti", ""},
                                             {"ive", ""},
                                             {"ize", ""},
                                             {"ous", ""},
                                             {"al", ""},
                                             {"er", ""},
                                             {"ic", ""}});

/// Whether a letter is a vowel. A y that is a consonant is written as Y.
bool is_vowel(char letter) {
  return View("aeiouy").find(letter) != View::npos;
}

class Stemmer {
 public:
  explicit Stemmer(View word) : word_(word) {}

  std::string stem() {
    if (word_.size() < 3) return word_;
    if (word_.front() == '\'') word_.erase(0, 1);
    mark_consonant_y();
    mark_regions();
    shorten(kStep0);
    step_1a();
    if (std::find(kStems.begin(), kStems.end(), word_) == kStems.end()) {
      step_1b();
      step_1c();
      step_2();
      step_3();
      step_4();
      step_5();
    }
    if (has_consonant_y_) std::replace(word_.begin(), word_.end(), 'Y', 'y');
    return std::move(word_);
  }

 private:
  /// An initial y and a y after a vowel are consonants.
  void mark_consonant_y() {
    for (size_t i = 0; i < word_.size(); ++i) {
      if (word_[i] != 'y' || (i > 0 && !is_vowel(word_[i - 1]))) continue;
      word_[i] = 'Y';
      has_consonant_y_ = true;
    }
  }

  /// The position after the first consonant that follows a vowel at or after `from`; the end of
  /// the word if there is none.
  size_t region_after(size_t from) const {
    while (from < word_.size() && !is_vowel(word_[from])) ++from;
    while (from < word_.size() && is_vowel(word_[from])) ++from;
    return std::min(from + 1, word_.size());
  }

  void mark_regions() {
    r1_ = region_after(0);
    for (const View prefix : kPrefixes) {
      if (word_.starts_with(prefix)) r1_ = prefix.size();
    }
    r2_ = region_after(r1_);
  }

  /// The rule of the longest suffix that the word has; null if there is none. Rules must be in
  /// descending order of length.
  const Rule* find(std::span<const Rule> rules) const {
    const auto found = std::find_if(rules.begin(), rules.end(),
                                    [&](const Rule& rule) { return word_.ends_with(rule.suffix); });
    return found == rules.end() ? nullptr : &*found;
  }
  void apply(const Rule& rule) {
    word_.replace(begin_of(rule), rule.suffix.size(), rule.replacement);
  }
  void shorten(std::span<const Rule> rules) {
    if (const Rule* rule = find(rules)) apply(*rule);
  }
  size_t begin_of(const Rule& rule) const { return word_.size() - rule.suffix.size(); }
  bool is_in_r1(const Rule& rule) const { return begin_of(rule) >= r1_; }
  bool is_in_r2(const Rule& rule) const { return begin_of(rule) >= r2_; }

  bool has_vowel_before(size_t end) const {
    return std::any_of(word_.begin(), word_.begin() + static_cast<std::ptrdiff_t>(end), is_vowel);
  }
  /// Whether the first `size` letters end in a short syllable: consonant, vowel and a consonant
  /// other than w, x and Y; or an initial vowel and a consonant.
  bool ends_in_short_syllable(size_t size) const {
    if (size < 2 || is_vowel(word_[size - 1]) || !is_vowel(word_[size - 2])) return false;
    if (size == 2) return true;
    return !is_vowel(word_[size - 3]) && View("wxY").find(word_[size - 1]) == View::npos;
  }

  void step_1a() {
    const Rule* rule = find(kStep1a);
    if (!rule) return;
    const size_t begin = begin_of(*rule);
    if (rule->suffix == "s" && (begin == 0 || !has_vowel_before(begin - 1))) return;
    const bool keeps_e = begin < 2 && (rule->suffix == "ied" || rule->suffix == "ies");
    apply(keeps_e ? Rule{rule->suffix, "ie"} : *rule);
  }

  void step_1b() {
    const Rule* rule = find(kStep1b);
    if (!rule) return;
    if (rule->replacement == "ee") {
      if (is_in_r1(*rule)) apply(*rule);
      return;
    }
    if (!has_vowel_before(begin_of(*rule))) return;
    apply(*rule);
    const View word = word_;
    const bool is_double = std::any_of(kDoubles.begin(), kDoubles.end(),
                                       [&](View pair) { return word.ends_with(pair); });
    if (is_double) {
      word_.pop_back();
    } else if (word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz") ||
               (r1_ == word_.size() && ends_in_short_syllable(word_.size()))) {
      word_ += 'e';
    }
  }

  void step_1c() {
    const size_t size = word_.size();
    if (size < 3 || (word_.back() != 'y' && word_.back() != 'Y')) return;
    if (!is_vowel(word_[size - 2])) word_.back() = 'i';
  }

  void step_2() {
    const Rule* rule = find(kStep2);
    if (!rule || !is_in_r1(*rule)) return;
    const size_t begin = begin_of(*rule);
    const char before = begin > 0 ? word_[begin - 1] : '\0';
    if (rule->suffix == "ogi" && before != 'l') return;
    if (rule->suffix == "li" && View("cdeghkmnrt").find(before) == View::npos) return;
    apply(*rule);
  }

  void step_3() {
    const Rule* rule = find(kStep3);
    if (!rule || !is_in_r1(*rule)) return;
    if (rule->suffix == "ative" && !is_in_r2(*rule)) return;
    apply(*rule);
  }

  void step_4() {
    const Rule* rule = find(kStep4);
    if (!rule || !is_in_r2(*rule)) return;
    const size_t begin = begin_of(*rule);
    if (rule->suffix == "ion" && (begin == 0 || View("st").find(word_[begin - 1]) == View::npos)) {
      return;
    }
    apply(*rule);
  }

  void step_5() {
    if (word_.empty()) return;
    const size_t begin = word_.size() - 1;
    if (word_.back() == 'e') {
      if (begin >= r2_ || (begin >= r1_ && !ends_in_short_syllable(begin))) word_.pop_back();
    } else if (word_.back() == 'l' && begin >= r2_ && word_[begin - 1] == 'l') {
      word_.pop_back();
    }
  }

  std::string word_;
  bool has_consonant_y_ = false;
  size_t r1_ = 0, r2_ = 0;  ///< begin of Snowball's regions R1 and R2
};

}  // namespace

std::string porter2_stem(std::string_view word) {
  for (const Rule& rule : kWholeWords) {
    if (word == rule.suffix) return std::string(rule.replacement);
  }
  return Stemmer(word).stem();
}

}  // namespace lvtext
