// The tokens that BLEU and ROUGE count.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "evaluators/text_metrics/tokenize.h"
#include "framework/options/options.h"

namespace lvtext {

enum class MetricTokens { kWhitespace, k13a, kPieces };
const std::vector<EnumName<MetricTokens>>& enum_names(MetricTokens);

/// `sentences` of piece ids as metric tokens; `interner` is shared by both sides of a comparison.
std::vector<TokenIds> metric_tokens(
    std::span<const TokenIds> sentences, MetricTokens kind,
    const std::function<std::string(std::span<const int32_t>)>& to_text, TokenInterner& interner);

}  // namespace lvtext
