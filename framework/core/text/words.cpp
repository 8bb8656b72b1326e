#include "framework/core/text/words.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "framework/core/base/characters.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/text/special_ids.h"
#include "framework/core/text/treebank.h"

namespace lvtext {
namespace {

constexpr const char* kSchema = "lvtext.words/1";

std::vector<std::string> words_of(std::string_view sentence, bool lowercase) {
  return lowercase ? treebank_words(ascii_lower(std::string(sentence))) : treebank_words(sentence);
}

}  // namespace

Words Words::count(const std::vector<std::string>& sentences, const WordOptions& options) {
  std::unordered_map<std::string, int64_t> counts;
  for (const auto& sentence : sentences) {
    for (auto& word : words_of(sentence, options.lowercase)) ++counts[std::move(word)];
  }
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
  return {std::move(words), options.lowercase};
}

Words::Words(std::vector<std::string> words, bool lowercase)
    : words_(std::move(words)), lowercase_(lowercase) {
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
    if (json.at("schema") == kSchema) {
      return {json.at("words").get<std::vector<std::string>>(), json.at("lowercase").get<bool>()};
    }
  } catch (const nlohmann::json::exception&) {
    // Reported below.
  }
  throw DataError("'" + file.string() + "' is not a word vocabulary (" + kSchema + ")");
}

std::string Words::text() const {
  const nlohmann::ordered_json json = {
      {"schema", kSchema}, {"lowercase", lowercase_}, {"words", words_}};
  return json.dump(1) + "\n";
}

void Words::save(const std::filesystem::path& file) const {
  write_file_atomic(file, text());
}

TokenIds Words::encode(std::string_view sentence) const {
  TokenIds ids;
  for (const auto& word : words_of(sentence, lowercase_)) {
    if (const auto found = ids_.find(word); found != ids_.end()) ids.push_back(found->second);
  }
  return ids;
}

std::string Words::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    LVT_ASSERT(id >= 0 && id < size(), "token id " + std::to_string(id) +
                                           " is out of range; tokens: " + std::to_string(size()));
    if (id < kUnk) continue;
    text += (text.empty() ? "" : " ") + (id == kUnk ? "<unk>" : words_[id - kUnk - 1]);
  }
  return text;
}

std::optional<bool> Words::begins_word(int32_t id) const {
  LVT_ASSERT(id >= 0 && id < size(), "token id " + std::to_string(id) +
                                         " is out of range; tokens: " + std::to_string(size()));
  return id > kUnk;
}

}  // namespace lvtext
