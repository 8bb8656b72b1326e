#include "framework/core/text/words.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "framework/core/base/characters.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/text/special_ids.h"
#include "framework/core/text/treebank.h"

namespace lvtext {
namespace {

constexpr const char* kSchema = "lvtext.words/1";

constexpr const char* kUnknownWord = "<unk>";

/// A control character, which is no word of a text.
constexpr const char* kPlaceholder = "\x01";

/// Joins "<", "unk" and ">", into which the Penn Treebank's rules divide the unknown word.
void join_unknown(std::vector<std::string>& words) {
  const std::vector<std::string> parts = {"<", "unk", ">"};
  for (auto at = words.begin();; ++at) {
    at = std::search(at, words.end(), parts.begin(), parts.end());
    if (at == words.end()) return;
    *at = kUnknownWord;
    words.erase(at + 1, at + 3);
  }
}

/// Length of the punctuation mark with which `text` begins, one that the Penn Treebank's rules set
/// apart or that ends a sentence; 0 if it begins with another character.
size_t mark_length(std::string_view text) {
  constexpr std::string_view kAscii = ".,:;?!'\"`()[]{}<>@#$%&*";
  constexpr std::string_view kOthers[] = {"«", "»", "“", "”", "„", "‘", "’", "‒", "–", "—", "―"};
  if (!text.empty() && kAscii.find(text.front()) != kAscii.npos) return 1;
  for (const std::string_view each : kOthers) {
    if (text.starts_with(each)) return each.size();
  }
  return 0;
}

/// Positions at which a word can be divided from the marks around it.
struct Edges {
  std::vector<size_t> begins = {0}, ends;  ///< from the outermost on
};

Edges edges_of(std::string_view word) {
  Edges edges;
  while (const size_t length = mark_length(word.substr(edges.begins.back()))) {
    edges.begins.push_back(edges.begins.back() + length);
  }
  if (edges.begins.back() == word.size()) return {.ends = {word.size()}};  // nothing but marks
  std::vector<size_t> marks;  // begins of the marks that end the word
  for (size_t at = edges.begins.back(); at < word.size();) {
    const size_t length = mark_length(word.substr(at));
    length > 0 ? marks.push_back(at) : marks.clear();
    at += std::max<size_t>(length, 1);
  }
  edges.ends = {word.size()};
  edges.ends.insert(edges.ends.end(), marks.rbegin(), marks.rend());
  return edges;
}

/// The words into which the marks before (or after) a word are divided.
std::vector<std::string> words_of_marks(std::string_view marks, bool is_before) {
  if (marks.empty()) return {};
  const std::string word = "x";
  std::vector<std::string> words =
      treebank_words(is_before ? std::string(marks) + word : word + std::string(marks));
  std::string& inner = is_before ? words.back() : words.front();
  inner.erase(is_before ? inner.size() - 1 : 0, 1);
  std::erase(words, "");
  return words;
}

std::string cased(std::string_view sentence, const WordEncoding& encoding) {
  return encoding.lowercase ? ascii_lower(std::string(sentence)) : std::string(sentence);
}

std::vector<std::string> words_of(std::string_view sentence, const WordEncoding& encoding) {
  const std::string text = cased(sentence, encoding);
  std::vector<std::string> words = split_words(text, encoding.tokenize);
  if (encoding.keep_unknown && encoding.tokenize == WordTokens::kTreebank) join_unknown(words);
  return words;
}

}  // namespace

Words Words::count(const std::vector<std::string>& sentences, const WordOptions& options) {
  const WordEncoding encoding{options.lowercase, options.tokenize.value_or(WordTokens::kTreebank),
                              options.keep_unknown.value_or(false)};
  std::unordered_map<std::string, int64_t> counts;
  for (const auto& sentence : sentences) {
    for (auto& word : words_of(sentence, encoding)) ++counts[std::move(word)];
  }
  if (encoding.keep_unknown) counts.erase(kUnknownWord);
  std::vector<std::pair<std::string, int64_t>> order;
  for (const auto& [word, count] : counts) {
    if (count >= options.min_count) order.emplace_back(word, count);
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  const auto most = static_cast<size_t>(options.most);
  if (most > 0 && order.size() > most) order.resize(most);
  std::vector<std::string> words;
  for (auto& [word, count] : order) words.push_back(std::move(word));
  return {std::move(words), encoding};
}

Words::Words(std::vector<std::string> words, WordEncoding encoding)
    : words_(std::move(words)), encoding_(encoding) {
  for (const auto& word : words_) {
    const auto id = static_cast<int32_t>(ids_.size()) + kUnk + 1;
    if (word.empty() || !ids_.emplace(word, id).second) {
      throw DataError("a vocabulary has the word '" + word +
                      (word.empty() ? "', which is empty" : "' twice"));
    }
  }
  vocabulary_ = {.size = static_cast<int32_t>(words_.size()) + kUnk + 1,
                 .bos = kBos,
                 .eos = kEos,
                 .pad = kPad,
                 .unk = kUnk};
  sha256_ = lvtext::sha256(text());
}

Words Words::load(const std::filesystem::path& file) {
  const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
  try {
    const auto tokenize =
        enum_value<WordTokens>(json.value("tokenize", enum_name(WordTokens::kTreebank)));
    if (json.at("schema") == kSchema && tokenize) {
      return {json.at("words").get<std::vector<std::string>>(),
              {json.at("lowercase").get<bool>(), *tokenize, json.value("keep_unknown", false),
               json.value("whole_words", false)}};
    }
  } catch (const nlohmann::json::exception&) {
    // Reported below.
  }
  throw DataError("'" + file.string() + "' is not a word vocabulary (" + kSchema + ")");
}

std::string Words::text() const {
  nlohmann::ordered_json json = {{"schema", kSchema}, {"lowercase", encoding_.lowercase}};
  // Defaults are omitted, so that files of earlier versions keep their SHA-256.
  if (encoding_.tokenize != WordTokens::kTreebank) json["tokenize"] = enum_name(encoding_.tokenize);
  if (encoding_.keep_unknown) json["keep_unknown"] = true;
  if (encoding_.whole_words) json["whole_words"] = true;
  json["words"] = words_;
  return json.dump(1) + "\n";
}

void Words::save(const std::filesystem::path& file) const {
  write_file_atomic(file, text());
}

std::vector<std::string> Words::whole_words(std::string_view word) const {
  const Edges edges = edges_of(word);
  const size_t before = edges.begins.size(), after = edges.ends.size();
  for (size_t removed = 0; removed < before + after - 1; ++removed) {
    for (size_t i = removed < after ? 0 : removed - after + 1; i < before && i <= removed; ++i) {
      const size_t begin = edges.begins[i], end = edges.ends[removed - i];
      if (begin >= end) continue;
      std::string inner(word.substr(begin, end - begin));
      if (!ids_.contains(inner)) continue;
      std::vector<std::string> words = words_of_marks(word.substr(0, begin), true);
      words.push_back(std::move(inner));
      for (auto& each : words_of_marks(word.substr(end), false)) words.push_back(std::move(each));
      return words;
    }
  }
  return {};
}

std::vector<std::string> Words::split_sentence(std::string_view sentence) const {
  if (!encoding_.whole_words) return words_of(sentence, encoding_);
  // Words that are found are replaced by a character that no rule divides or removes.
  const std::string text = cased(sentence, encoding_);
  std::vector<std::string> found;
  std::string rest;
  for (const std::string_view each : split_white_space(text)) {
    std::vector<std::string> words = whole_words(each);
    if (words.empty() && each.find(kPlaceholder) == each.npos) {
      rest += std::string(each) + " ";
      continue;
    }
    for (std::string& word : words) {
      found.push_back(std::move(word));
      rest += std::string(kPlaceholder) + " ";
    }
  }
  std::vector<std::string> words = words_of(rest, encoding_);
  auto next = found.begin();
  for (std::string& word : words) {
    if (word == kPlaceholder && next != found.end()) word = std::move(*next++);
  }
  return words;
}

TokenIds Words::encode(std::string_view sentence) const {
  TokenIds ids;
  for (const auto& word : split_sentence(sentence)) {
    if (const auto found = ids_.find(word); found != ids_.end()) {
      ids.push_back(found->second);
    } else if (encoding_.keep_unknown) {
      ids.push_back(kUnk);
    }
  }
  return ids;
}

std::string Words::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    LVT_ASSERT(id >= 0 && id < size(), "token id " + std::to_string(id) +
                                           " is out of range; tokens: " + std::to_string(size()));
    if (id < kUnk) continue;
    text += (text.empty() ? "" : " ") + (id == kUnk ? kUnknownWord : words_[id - kUnk - 1]);
  }
  return text;
}

std::optional<bool> Words::begins_word(int32_t id) const {
  LVT_ASSERT(id >= 0 && id < size(), "token id " + std::to_string(id) +
                                         " is out of range; tokens: " + std::to_string(size()));
  return id > kUnk || (id == kUnk && encoding_.keep_unknown);
}

}  // namespace lvtext
