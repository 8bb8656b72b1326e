#include "evaluators/text_tokens.h"

#include <algorithm>

namespace lvtext {

const std::vector<EnumName<MetricTokens>>& enum_names(MetricTokens) {
  static const std::vector<EnumName<MetricTokens>> names = {
      {"whitespace", MetricTokens::kWhitespace, "words separated by whitespace"},
      {"13a", MetricTokens::k13a, "tokens of mteval-v13a, sacreBLEU's default"},
      {"subword", MetricTokens::kSubword, "subword tokens of the model's tokenizer"}};
  return names;
}

MetricTokens countable(MetricTokens kind, std::span<const Text> texts) {
  const bool have_ids = std::all_of(texts.begin(), texts.end(), [&](const Text& text) {
    return text.has_ids() && texts.front().has_ids() &&
           text.tokenizer()->sha256() == texts.front().tokenizer()->sha256();
  });
  return kind == MetricTokens::kSubword && !have_ids ? MetricTokens::kWhitespace : kind;
}

std::vector<TokenIds> metric_tokens(const Text& text, MetricTokens kind, TokenInterner& interner) {
  if (kind == MetricTokens::kSubword) return {text.ids().begin(), text.ids().end()};
  std::vector<TokenIds> tokens;
  tokens.reserve(text.size());
  for (const auto& line : text.lines()) tokens.push_back(interner.ids(line, enum_name(kind)));
  return tokens;
}

}  // namespace lvtext
