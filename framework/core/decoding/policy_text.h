// Text form of decoding policies in recipes and --policy: "greedy", "sample", "topk:40",
// "nucleus:0.9", "beam:5".
#pragma once

#include <optional>
#include <string>

#include "framework/core/decoding/decoder.h"

namespace lvtext {

/// Upper limits; a beam needs the memory of W sentences per sentence.
inline constexpr int64_t kMaxBeam = 1000;
inline constexpr double kMaxLengthNorm = 10;

/// Syntax of policies, for help texts and messages.
inline constexpr const char* kPolicyHelp =
    "greedy, sample, temperature:T, topk:K, nucleus:P or beam:W; topk and nucleus may be followed "
    "by a temperature, as in topk:40,temperature:0.7, all that sample by the alpha of entmax in "
    "place of the model's own (1: softmax), as in sample,alpha:1.5, beam by the exponent of its "
    "length normalization, as in beam:5,length_norm:1";

/// Parses a policy; std::nullopt if the text is invalid.
std::optional<DecodingPolicy> read_policy(const std::string& text);
/// Parses a policy. Throws UsageError with the allowed syntax if the text is invalid.
DecodingPolicy parse_policy(const std::string& text);
/// Formats a policy such that read_policy() parses the text.
std::string policy_text(const DecodingPolicy& policy);

}  // namespace lvtext
