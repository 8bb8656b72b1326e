#include "evaluators/text_tokens.h"

#include <algorithm>

#include "framework/core/base/characters.h"
#include "framework/core/base/error.h"

namespace lvtext {

const std::vector<EnumName<MetricTokens>>& enum_names(MetricTokens) {
  static const std::vector<EnumName<MetricTokens>> names = {
      {"whitespace", MetricTokens::kWhitespace, "words separated by whitespace"},
      {"13a", MetricTokens::k13a, "tokens of mteval-v13a, sacreBLEU's default"},
      {"treebank", MetricTokens::kTreebank, "Penn Treebank words, as NLTK's word tokenizer"},
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

std::string compared_signature(std::span<const Text> compared) {
  std::string forms;
  for (const bool decoded : {false, true}) {
    const bool has = std::any_of(compared.begin(), compared.end(), [decoded](const Text& text) {
      return text.is_decoded() == decoded;
    });
    if (has) forms += (forms.empty() ? "" : ",") + std::string(decoded ? "decoded" : "text");
  }
  return "|compared:" + forms;
}

std::vector<TokenIds> metric_tokens(const Text& text, MetricTokens kind, TokenInterner& interner,
                                    bool lowercase) {
  if (kind == MetricTokens::kSubword) {
    LVT_ASSERT(!lowercase, "subword tokens have no lower case");
    return {text.ids().begin(), text.ids().end()};
  }
  std::vector<TokenIds> tokens;
  tokens.reserve(text.size());
  for (const auto& line : text.lines()) {
    tokens.push_back(interner.ids(lowercase ? ascii_lower(line) : line, enum_name(kind)));
  }
  return tokens;
}

}  // namespace lvtext
