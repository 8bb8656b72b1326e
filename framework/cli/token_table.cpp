#include "framework/cli/token_table.h"

#include <cstdio>

#include "framework/cli/print.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/printable.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/utf8.h"

namespace lvtext {
namespace {

constexpr size_t kColumns = 80, kTokenColumns = 16;

/// "0.412"; "<.001" for less than half of the last digit, but not 0.
std::string probability_text(double probability) {
  if (probability > 0 && probability < 0.0005) return "<.001";
  char text[16];
  std::snprintf(text, sizeof text, "%.3f", probability);
  return text;
}

std::string padded(const std::string& text, size_t width) {
  const size_t length = printed_width(text);
  return text + std::string(length < width ? width - length : 0, ' ');
}

/// Bytes that are not UTF-8 as "\xe2".
std::string escaped_bytes(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const auto problem = find_invalid_utf8(text, at);
    const size_t end = problem ? problem->at : text.size();
    out += text.substr(at, end - at);
    for (at = end; problem && at < problem->at + problem->length; ++at) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(text[at]));
      out += escape;
    }
  }
  return out;
}

}  // namespace

std::string token_label(const Tokenizer& tokenizer, int32_t id, bool begins_text) {
  const Vocabulary& special = tokenizer.vocabulary();
  if (id == special.eos) return "[EOS]";
  if (id == special.bos) return "[BOS]";
  if (id == special.pad) return "[PAD]";
  const std::string text = tokenizer.decode(std::vector<int32_t>{id});
  const std::string visible(trim(text));
  if (visible.empty()) return "'" + printable_line(text) + "'";  // white space
  const bool continues = !begins_text && tokenizer.begins_word(id) == false;
  return (continues ? "+" : "") + printable_line(escaped_bytes(visible));
}

std::vector<std::string> lines_of(const TokenTable& table) {
  std::vector<std::string> lines = {
      "probabilities: " + table.distribution + ", vocabulary of " +
          format_count(table.vocabulary, "token"),
      padded("token", kTokenColumns) + "  prob.   support  most probable others, up to 5"};
  if (!table.given.empty()) lines.push_back(padded(table.given, kTokenColumns) + "  given");
  bool continues = false;
  for (const TokenChoice& choice : table.tokens) {
    std::string token = choice.token.text;
    continues = continues || token.starts_with("+");
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "  %s  %8lld  ",
                  probability_text(choice.token.probability).c_str(),
                  static_cast<long long>(choice.support));
    std::string line = padded(token, kTokenColumns) + numbers;
    std::string separator;
    for (const PossibleToken& other : choice.others) {
      const std::string next = separator + other.text + " " + probability_text(other.probability);
      if (printed_width(line) + printed_width(next) > kColumns) break;
      line += next;
      separator = ", ";
    }
    while (line.ends_with(" ")) line.pop_back();
    lines.push_back(line);
  }
  lines.emplace_back("prob.: probability of the token, 0.000 if it is impossible");
  lines.emplace_back("support: number of possible tokens, without special ones such as <bos>");
  if (continues) lines.emplace_back("+x: continues the word before it");
  return lines;
}

nlohmann::ordered_json to_json(const TokenTable& table) {
  auto tokens = nlohmann::ordered_json::array();
  const auto entry = [](const PossibleToken& token) {
    return nlohmann::ordered_json{{"token", token.text}, {"probability", token.probability}};
  };
  for (const TokenChoice& choice : table.tokens) {
    auto json = entry(choice.token);
    json["support"] = choice.support;
    json["others"] = nlohmann::ordered_json::array();
    for (const PossibleToken& other : choice.others) json["others"].push_back(entry(other));
    tokens.push_back(std::move(json));
  }
  nlohmann::ordered_json json = {{"distribution", table.distribution},
                                 {"vocabulary", table.vocabulary}};
  if (!table.given.empty()) json["given"] = table.given;
  json["tokens"] = std::move(tokens);
  return json;
}

}  // namespace lvtext
