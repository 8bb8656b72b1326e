// Tokens counted by text metrics.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluators/metrics/tokenize.h"
#include "framework/core/options/options.h"
#include "framework/core/text/text.h"

namespace lvtext {

enum class MetricTokens { kWhitespace, k13a, kTreebank, kSubword };
const std::vector<EnumName<MetricTokens>>& enum_names(MetricTokens);

/// Returns the tokenization to use for `kind`: kWhitespace instead of kSubword unless all texts
/// have ids of the same tokenizer.
MetricTokens countable(MetricTokens kind, std::span<const Text> texts);

/// Returns the part of a signature for the texts that a score compares with: "|compared:text", or
/// "|compared:decoded" if their lines are decoded from token ids.
std::string compared_signature(std::span<const Text> compared);

/// Returns the tokens of each sentence of `text`; both sides of a comparison must share `interner`.
/// `lowercase`: converts the letters A to Z to lower case before tokenization; `kind` must not be
/// kSubword then.
std::vector<TokenIds> metric_tokens(const Text& text, MetricTokens kind, TokenInterner& interner,
                                    bool lowercase = false);

}  // namespace lvtext
