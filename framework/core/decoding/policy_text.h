// Decoding policies as recipes and --policy write them: "greedy", "sample", "topk:40",
// "nucleus:0.9", "beam:5".
#pragma once

#include <optional>
#include <string>

#include "framework/core/decoding/decoder.h"

namespace lvtext {

/// Limits of what can be written: wider beams need the memory of so many sentences each.
inline constexpr int64_t kWidestBeam = 1000;
inline constexpr double kLargestLengthNorm = 10;

/// What a policy may be, for help texts and messages.
inline constexpr const char* kPolicyHelp =
    "greedy, sample, temperature:T, topk:K, nucleus:P or beam:W; topk and nucleus may be followed "
    "by a temperature, as in topk:40,temperature:0.7, beam by the exponent of its length "
    "normalization, as in beam:5,length_norm:1";

/// None if the text is no policy.
std::optional<DecodingPolicy> read_policy(const std::string& text);
/// Throws UsageError, with what is allowed, if the text is no policy.
DecodingPolicy parse_policy(const std::string& text);
/// The text that read_policy reads back.
std::string policy_text(const DecodingPolicy& policy);

}  // namespace lvtext
