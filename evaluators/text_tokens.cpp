#include "evaluators/text_tokens.h"

namespace lvtext {

const std::vector<EnumName<MetricTokens>>& enum_names(MetricTokens) {
  static const std::vector<EnumName<MetricTokens>> names = {
      {"whitespace", MetricTokens::kWhitespace, "what stands between blanks"},
      {"13a", MetricTokens::k13a, "mteval-v13a's tokens, as sacreBLEU's default"},
      {"pieces", MetricTokens::kPieces, "the model's own pieces"}};
  return names;
}

std::vector<TokenIds> metric_tokens(
    std::span<const TokenIds> sentences, MetricTokens kind,
    const std::function<std::string(std::span<const int32_t>)>& to_text, TokenInterner& interner) {
  if (kind == MetricTokens::kPieces) return {sentences.begin(), sentences.end()};
  std::vector<TokenIds> tokens;
  tokens.reserve(sentences.size());
  for (const TokenIds& sentence : sentences) {
    tokens.push_back(interner.ids(to_text(sentence), enum_name(kind)));
  }
  return tokens;
}

}  // namespace lvtext
