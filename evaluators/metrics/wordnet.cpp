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

[[noreturn]] void fail(const std::filesystem::path& file, int64_t line, const std::string& what) {
  throw DataError("'" + file.string() + "', line " + std::to_string(line) + ": " + what);
}

/// Calls `each` with the number (from 1) and the text of every line; returns the number of lines.
template <class Each>
int64_t for_each_line(std::string_view text, const Each& each) {
  int64_t number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    each(++number, line);
  }
  return number;
}

/// For METEOR's files, which have two lines for each entry: calls `each` with the number of the
/// second line, the first line, and the words of the second.
template <class Each>
void for_each_entry(const std::filesystem::path& file, std::string_view text, const Each& each) {
  std::string key;
  const int64_t lines = for_each_line(text, [&](int64_t number, std::string_view line) {
    if (number % 2 == 1) {
      key = line;
      return;
    }
    const Words words = tokenize_whitespace(line);
    if (words.empty()) fail(file, number, "nothing for '" + key + "'");
    each(number, key, words);
  });
  if (lines % 2 == 1) fail(file, lines, "'" + key + "' without a line after it");
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
    for (const char* part : {"noun", "verb", "adj", "adv"}) {
      files.push_back({std::string("index.") + part, &WordNet::add_index});
      files.push_back({std::string(part) + ".exc", &WordNet::add_exceptions});
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
    if (words.size() < 7) fail(file, number, "expected a lemma, counts and synsets");
    const auto count = number_of<size_t>(words[2], file, number);
    if (count == 0 || count > words.size() - 6) {
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

// An entry is a word and its synsets.
void WordNet::add_meteor_synsets(const std::filesystem::path& file, std::string_view text) {
  for_each_entry(file, text, [&](int64_t number, const std::string& word, const Words& synsets) {
    SynsetIds ids;
    for (const auto& each : synsets) ids.push_back(number_of<int32_t>(each, file, number));
    add_ids(synsets_[word], ids);
  });
}

// An entry is a base form and its inflected forms.
void WordNet::add_meteor_exceptions(const std::filesystem::path& file, std::string_view text) {
  for_each_entry(file, text, [&](int64_t, const std::string& base, const Words& forms) {
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
