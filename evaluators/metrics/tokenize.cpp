#include "evaluators/metrics/tokenize.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

#include "framework/core/base/characters.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/text/treebank.h"
#include "framework/core/text/unicode.h"

namespace lvtext {
namespace {

// Length in bytes of the whitespace character (Python's str.isspace()) at `text[at]`; 0 if there is
// none.
size_t space_bytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first == ' ' || (first >= 0x09 && first <= 0x0D) || (first >= 0x1C && first <= 0x1F)) {
    return 1;
  }
  // U+0085 and U+00A0.
  if (first == 0xC2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
  if (first < 0xE1 || first > 0xE3) return 0;
  const unsigned code = (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  if (!is_utf8_continuation(byte(1)) || !is_utf8_continuation(byte(2))) return 0;
  const bool space = code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
                     code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
  return space ? 3 : 0;
}

constexpr size_t kKeyBytes = 8;

/// Key of a token: its bytes if it is short, otherwise its hash.
uint64_t key_of(std::string_view token) {
  if (token.size() > kKeyBytes) return std::hash<std::string_view>{}(token);
  uint64_t key = 0;
  std::memcpy(&key, token.data(), token.size());
  return key;
}

/// Number of leading bytes of `word`, in memory order, that are printable ASCII except the space.
/// Branch-free, because the number is hard to predict.
size_t plain_bytes(uint64_t word) {
  constexpr uint64_t kEach = 0x0101010101010101;
  // The subtraction borrows only from bytes after the first small one.
  const uint64_t other = ((word - kEach * '!') | word) & (kEach * 0x80);
  return other == 0 ? 8 : static_cast<size_t>(std::countr_zero(other)) / 8;
}

/// Removes the text before the first whitespace, and that whitespace, from `text`, and returns the
/// former; empty if `text` starts with whitespace.
std::string_view take_word(std::string_view& text) {
  size_t end = 0, space = 0;
  for (; end < text.size(); ++end) {
    const bool plain = text[end] > ' ';  // ASCII letter, digit or symbol
    space = plain ? 0 : space_bytes(text, end);
    if (space > 0) break;
  }
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end + space);
  return word;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

bool is_stop(char c) {
  return c == '.' || c == ',';
}

// The symbols of [{-~[-` -&(-+:-@/]: the space and ASCII punctuation except ' , - .
bool is_symbol(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

// Each function below implements one regular expression substitution of the reference. A match
// consumes its characters, so the next match may start only after it. The bytes of a multi-byte
// UTF-8 character are never ASCII digits or symbols, so processing bytes is equivalent to
// processing characters.

std::string split_symbols(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_symbol(c)) {
      out += ' ';
      out += c;
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

std::string split_stop_not_after_digit(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (!is_digit(text[i]) && i + 1 < text.size() && is_stop(text[i + 1])) {
      out += ' ';
      out += text[++i];
      out += ' ';
    }
  }
  return out;
}

std::string split_stop_not_before_digit(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_stop(text[i]) && i + 1 < text.size() && !is_digit(text[i + 1])) {
      out += ' ';
      out += text[i];
      out += ' ';
      ++i;
    }
    out += text[i];
  }
  return out;
}

std::string split_dash_after_digit(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (is_digit(text[i]) && i + 1 < text.size() && text[i + 1] == '-') {
      out += ' ';
      out += text[++i];
      out += ' ';
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> tokenize_whitespace(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    if (const auto word = take_word(text); !word.empty()) words.emplace_back(word);
  }
  return words;
}

std::vector<std::string> tokenize_13a(std::string_view text) {
  // The order matters: "&amp;lt;" becomes "<".
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kReplaced{{
      {"<skipped>", ""},
      {"-\n", ""},
      {"\n", " "},
      {"&quot;", "\""},
      {"&amp;", "&"},
      {"&lt;", "<"},
      {"&gt;", ">"},
  }};
  // sacreBLEU strips trailing whitespace before it joins lines, so a final "-\n" keeps its dash.
  while (!text.empty() && space_bytes(text, text.size() - 1) == 1) text.remove_suffix(1);
  std::string line(text);
  for (const auto& [from, to] : kReplaced) line = replace_all(std::move(line), from, to);
  line = " " + line + " ";
  line = split_symbols(line);
  line = split_stop_not_after_digit(line);
  line = split_stop_not_before_digit(line);
  line = split_dash_after_digit(line);
  return tokenize_whitespace(line);
}

std::vector<std::string> tokenize_words(std::string_view text) {
  std::vector<std::string> tokens;
  for (const std::string& part : tokenize_whitespace(text)) {
    bool in_word = false;
    for (const int32_t point : code_points(part)) {
      const bool is_word = is_word_character(point);
      if (!is_word || !in_word) tokens.emplace_back();
      append_utf8(tokens.back(), lower_case(point));
      in_word = is_word;
    }
  }
  return tokens;
}

std::vector<std::string> tokenize_characters(std::string_view text) {
  std::vector<std::string> tokens;
  for (const int32_t point : code_points(text)) append_utf8(tokens.emplace_back(), point);
  return tokens;
}

std::vector<std::string> tokenize_convai2(std::string_view text) {
  static constexpr std::string_view kPunctuation = "!\"#$%&()*+,-./:;<=>?@[]\\^`{|}~_'";
  std::string plain = ascii_lower(std::string(text));
  for (char& c : plain) {
    if (kPunctuation.find(c) != std::string_view::npos) c = ' ';
  }
  std::vector<std::string> words = tokenize_whitespace(plain);
  std::erase_if(
      words, [](const std::string& word) { return word == "a" || word == "an" || word == "the"; });
  return words;
}

std::vector<std::string> tokenize_for_metric(std::string_view text, std::string_view name) {
  if (name == "13a") return tokenize_13a(text);
  if (name == "treebank") return treebank_words(text);
  if (name == "whitespace") return tokenize_whitespace(text);
  throw ConfigError("unknown tokenization '" + std::string(name) + "'; " +
                    suggestion(name, {"13a", "treebank", "whitespace"}));
}

TokenInterner::Bucket& TokenInterner::bucket_of(uint64_t key, std::string_view token) {
  const size_t mask = buckets_.size() - 1;
  // Fibonacci hashing: the upper half of the product depends on all bits of the key.
  size_t at = ((key + token.size()) * 0x9E3779B97F4A7C15ULL) >> 32 & mask;
  for (; buckets_[at].id >= 0; at = (at + 1) & mask) {
    const Bucket& bucket = buckets_[at];
    if (bucket.key != key || bucket.bytes != token.size()) continue;
    if (token.size() <= kKeyBytes) break;
    const char* known = text_.data() + begins_[static_cast<size_t>(bucket.id)];
    if (std::memcmp(known, token.data(), token.size()) == 0) break;
  }
  return buckets_[at];
}

// At most half of the buckets are used, to keep searches short.
void TokenInterner::grow() {
  const std::vector<Bucket> old =
      std::exchange(buckets_, std::vector<Bucket>(std::max<size_t>(4096, 4 * buckets_.size())));
  for (const Bucket& bucket : old) {
    if (bucket.id < 0) continue;
    const size_t begin = begins_[static_cast<size_t>(bucket.id)];
    bucket_of(bucket.key, std::string_view(text_).substr(begin, bucket.bytes)) = bucket;
  }
}

int32_t TokenInterner::id(std::string_view token) {
  return id(token, key_of(token));
}

int32_t TokenInterner::id(std::string_view token, uint64_t key) {
  if (2 * (begins_.size() + 1) > buckets_.size()) grow();
  Bucket& bucket = bucket_of(key, token);
  if (bucket.id < 0) {
    bucket = {key, static_cast<uint32_t>(token.size()), static_cast<int32_t>(begins_.size())};
    begins_.push_back(text_.size());
    text_ += token;
  }
  return bucket.id;
}

TokenIds TokenInterner::ids(const std::vector<std::string>& tokens) {
  TokenIds out;
  out.reserve(tokens.size());
  for (const std::string& token : tokens) out.push_back(id(token));
  return out;
}

TokenIds TokenInterner::ids(std::string_view text, std::string_view tokenization) {
  if (tokenization != "whitespace") return ids(tokenize_for_metric(text, tokenization));
  TokenIds out;
  out.reserve(text.size() / 4 + 1);
  while (!text.empty()) {
    // Fast path for short words followed by a space, which are nearly all words of real text.
    if (std::endian::native == std::endian::little && text.size() > kKeyBytes) {
      uint64_t bytes = 0;
      std::memcpy(&bytes, text.data(), kKeyBytes);
      const size_t length = plain_bytes(bytes);
      if (length > 0 && length < kKeyBytes && text[length] == ' ') {
        const uint64_t key = bytes & ((uint64_t{1} << 8 * length) - 1);
        out.push_back(id(text.substr(0, length), key));
        text.remove_prefix(length + 1);
        continue;
      }
    }
    if (const auto word = take_word(text); !word.empty()) out.push_back(id(word));
  }
  return out;
}

}  // namespace lvtext
