#include "framework/core/sources/report_captions.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "framework/core/base/characters.h"
#include "framework/core/base/strings.h"
#include "framework/core/sources/split_mix.h"

namespace lvtext {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || is_digit(c);
}

/// Whether the character at `at` joins the parts of a word.
bool joins(const std::string& text, size_t at) {
  if (at == 0 || at + 1 >= text.size()) return false;
  if (!is_word_character(text[at - 1]) || !is_word_character(text[at + 1])) return false;
  const char c = text[at];
  if (c == '.') return is_digit(text[at - 1]) && is_digit(text[at + 1]);
  return c == '-' || c == '\'' || c == '/';
}

bool ends_sentence(const std::string& text, size_t at) {
  const std::string ends = ".?!;", blanks = " \t\n\v\f\r";
  return ends.find(text[at]) != std::string::npos &&
         (at + 1 == text.size() || blanks.find(text[at + 1]) != std::string::npos);
}

/// The sentences in order that fit into `max_words`.
std::string packed(const std::vector<std::vector<std::string>>& sentences, size_t max_words) {
  std::vector<std::string> words;
  for (const auto& sentence : sentences) {
    if (words.size() + sentence.size() > max_words) continue;
    words.insert(words.end(), sentence.begin(), sentence.end());
  }
  if (words.empty()) {
    words = sentences.front();
    words.resize(std::min(words.size(), max_words));
  }
  return join(words, " ");
}

}  // namespace

std::vector<std::vector<std::string>> report_sentences(const std::string& text) {
  const std::string lower = ascii_lower(text);
  std::vector<std::vector<std::string>> sentences;
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  const auto end_sentence = [&] {
    end_word();
    if (!words.empty()) sentences.push_back(std::move(words));
    words.clear();
  };
  for (size_t at = 0; at < lower.size(); ++at) {
    if (is_word_character(lower[at]) || joins(lower, at)) {
      word += lower[at];
    } else if (ends_sentence(lower, at)) {
      end_sentence();
    } else {
      end_word();
    }
  }
  end_sentence();
  return sentences;
}

std::vector<std::string> different_captions(std::string first,
                                            const std::function<std::string()>& next) {
  constexpr size_t kMaxCaptions = 4;
  constexpr int kAttempts = 11;
  std::vector<std::string> captions = {std::move(first)};
  for (int attempt = 0; attempt < kAttempts && captions.size() < kMaxCaptions; ++attempt) {
    std::string caption = next();
    if (std::find(captions.begin(), captions.end(), caption) == captions.end()) {
      captions.push_back(std::move(caption));
    }
  }
  return captions;
}

std::vector<std::string> report_captions(const std::string& text, uint64_t seed, uint64_t report,
                                         size_t max_words) {
  const auto sentences = report_sentences(text);
  if (sentences.empty()) return {};
  SplitMix64 random(seed, report, RandomStream::kCaptions);
  return different_captions(packed(sentences, max_words), [&] {
    auto permuted = sentences;
    random.permute(permuted);
    return packed(permuted, max_words);
  });
}

std::vector<size_t> patient_order(size_t count, uint64_t seed) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  SplitMix64(seed, 0, RandomStream::kSplits).permute(order);
  return order;
}

std::vector<std::string> patient_splits(size_t count, uint64_t seed) {
  std::vector<std::string> splits(count, "test");
  const std::vector<size_t> order = patient_order(count, seed);
  const size_t train = 8 * count / 10, valid = count / 10;
  for (size_t i = 0; i < train + valid; ++i) splits[order[i]] = i < train ? "train" : "valid";
  return splits;
}

}  // namespace lvtext
