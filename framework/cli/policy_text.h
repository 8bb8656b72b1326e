// Decoding policies as they are typed: "greedy", "sample", "topk:40", "nucleus:0.9", "beam:5".
#pragma once

#include <string>

#include "framework/decoding/decoder.h"

namespace lvtext {

/// What --policy takes, for help texts and messages.
inline constexpr const char* kPolicyHelp =
    "greedy, sample, temperature:T, topk:K, nucleus:P or beam:W; topk and nucleus may be followed "
    "by a temperature, as in topk:40,temperature:0.7, beam by the exponent of its length "
    "normalization, as in beam:5,length_norm:1";

/// Throws UsageError, with what is allowed, for anything else.
DecodingPolicy parse_policy(const std::string& text);
/// The text that parse_policy reads back.
std::string policy_text(const DecodingPolicy& policy);

}  // namespace lvtext
