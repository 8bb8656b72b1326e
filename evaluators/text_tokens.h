// The tokens that evaluators of text count.
#pragma once

#include <span>
#include <vector>

#include "evaluators/metrics/tokenize.h"
#include "framework/core/options/options.h"
#include "framework/core/text/text.h"

namespace lvtext {

enum class MetricTokens { kWhitespace, k13a, kSubword };
const std::vector<EnumName<MetricTokens>>& enum_names(MetricTokens);

/// What is counted where `kind` is asked for: kWhitespace instead of kSubword where the texts do
/// not all have the ids of one tokenizer.
MetricTokens countable(MetricTokens kind, std::span<const Text> texts);

/// The sentences of `text` as tokens; `interner` is shared by both sides of a comparison.
std::vector<TokenIds> metric_tokens(const Text& text, MetricTokens kind, TokenInterner& interner);

}  // namespace lvtext
