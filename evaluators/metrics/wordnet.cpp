#include "evaluators/metrics/wordnet.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "evaluators/metrics/tokenize.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"

namespace lvtext {
namespace {

using Words = std::vector<std::string>;

/// Detachment of a suffix. METEOR tries the rules in this order, for all parts of speech.
struct SuffixRule {
  std::string_view suffix, ending;
};
constexpr auto kSuffixRules = std::to_array<SuffixRule>(
    {{"s", ""},      {"ses", "s"},   {"xes", "x"}, {"zes", "z"}, {"ches", "ch"},
     {"shes", "sh"}, {"men", "man"}, {"ies", "y"}, {"s", ""},    {"ies", "y"},
     {"es", "e"},    {"es", ""},     {"ed", "e"},  {"ed", ""},   {"ing", "e"},
     {"ing", ""},    {"er", ""},     {"est", ""},  {"er", "e"},  {"est", "e"}});

/// Calls `each` with the number (from 1) and the text of every line.
template <class Each>
void for_each_line(std::string_view text, const Each& each) {
  for (int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    each(number, line);
  }
}

[[noreturn]] void fail(const std::filesystem::path& file, int64_t line, const std::string& what) {
  throw DataError("'" + file.string() + "', line " + std::to_string(line) + ": " + what);
}

template <class Number>
Number number_of(const std::string& word, const std::filesystem::path& file, int64_t line) {
  Number number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end) fail(file, line, "'" + word + "' is not a number");
  return number;
}

void add_ids(SynsetIds& ids, std::span<const int32_t> more) {
  ids.insert(ids.end(), more.begin(), more.end());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

WordNet WordNet::load(const std::filesystem::path& folder) {
  using Add = void (WordNet::*)(const std::filesystem::path&, std::string_view);
  std::vector<std::pair<std::string, Add>> files;
  if (std::filesystem::exists(folder / "english.synsets")) {
    files = {{"english.synsets", &WordNet::add_meteor_synsets},
             {"english.exceptions", &WordNet::add_meteor_exceptions}};
  } else if (std::filesystem::exists(folder / "index.noun")) {
    for (const std::string part : {"noun", "verb", "adj", "adv"}) {
      files.push_back({"index." + part, &WordNet::add_index});
      files.push_back({part + ".exc", &WordNet::add_exceptions});
    }
  } else {
    throw MissingError(
        "'" + folder.string() +
        "' contains neither WordNet (index.noun) nor METEOR's english.synsets: install the package "
        "wordnet-base (Debian, Ubuntu: apt-get install wordnet-base), name another folder with the "
        "option `synonyms`, or leave synonyms out with `modules: [exact, stem]`");
  }
  WordNet wordnet;
  Sha256 hash;
  for (const auto& [name, add] : files) {
    const std::string text = read_file(folder / name);
    hash.update(text);
    (wordnet.*add)(folder / name, text);
  }
  wordnet.sha256_ = hash.hex();
  return wordnet;
}

// A line is: lemma part synset_count pointer_count pointer... sense_count tagged_count offset...
void WordNet::add_index(const std::filesystem::path& file, std::string_view text) {
  for_each_line(text, [&](int64_t number, std::string_view line) {
    if (line.starts_with(' ')) return;  // the license
    const Words words = tokenize_whitespace(line);
    if (words.size() < 3) fail(file, number, "expected a lemma, a part of speech and synsets");
    const auto count = number_of<size_t>(words[2], file, number);
    if (count == 0 || words.size() < 6 + count) {
      fail(file, number, "expected " + words[2] + " synsets of '" + words[0] + "'");
    }
    SynsetIds ids;
    for (size_t i = words.size() - count; i < words.size(); ++i) {
      ids.push_back(number_of<int32_t>(words[i], file, number));
    }
    add_ids(synsets_[words[0]], ids);
  });
}

// A line is: form base...
void WordNet::add_exceptions(const std::filesystem::path& file, std::string_view text) {
  for_each_line(text, [&](int64_t number, std::string_view line) {
    const Words words = tokenize_whitespace(line);
    if (words.size() < 2) fail(file, number, "expected a form and its base forms");
    auto& bases = bases_[words[0]];
    bases.insert(bases.end(), words.begin() + 1, words.end());
  });
}

// Two lines for each word: the word, then its synsets.
void WordNet::add_meteor_synsets(const std::filesystem::path& file, std::string_view text) {
  std::string word;
  for_each_line(text, [&](int64_t number, std::string_view line) {
    if (number % 2 == 1) {
      word = line;
      return;
    }
    SynsetIds ids;
    for (const auto& each : tokenize_whitespace(line)) {
      ids.push_back(number_of<int32_t>(each, file, number));
    }
    if (ids.empty()) fail(file, number, "expected the synsets of '" + word + "'");
    add_ids(synsets_[word], ids);
  });
}

// Two lines for each base form: the base form, then its inflected forms.
void WordNet::add_meteor_exceptions(const std::filesystem::path& file, std::string_view text) {
  std::string base;
  for_each_line(text, [&](int64_t number, std::string_view line) {
    if (number % 2 == 1) {
      base = line;
      return;
    }
    const Words forms = tokenize_whitespace(line);
    if (forms.empty()) fail(file, number, "expected the inflected forms of '" + base + "'");
    for (const auto& form : forms) bases_[form].push_back(base);
  });
}

std::string WordNet::base_form(const std::string& word) const {
  if (word.size() <= 2 || word.ends_with("ss")) return "";
  for (const SuffixRule& rule : kSuffixRules) {
    if (!word.ends_with(rule.suffix)) continue;
    std::string base = word.substr(0, word.size() - rule.suffix.size());
    base += rule.ending;
    if (synsets_.contains(base)) return base;
  }
  return "";
}

SynsetIds WordNet::synsets(const std::string& word) const {
  SynsetIds ids;
  const auto add = [&](const std::string& form) {
    if (const auto found = synsets_.find(form); found != synsets_.end()) {
      add_ids(ids, found->second);
    }
  };
  add(word);
  if (const auto found = bases_.find(word); found != bases_.end()) {
    for (const auto& base : found->second) add(base);
  } else {
    add(base_form(word));
  }
  return ids;
}

bool have_common_synset(std::span<const int32_t> a, std::span<const int32_t> b) {
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (*x == *y) return true;
    *x < *y ? ++x : ++y;
  }
  return false;
}

}  // namespace lvtext
