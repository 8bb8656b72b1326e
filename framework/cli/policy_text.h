// Token policies as they are typed: "greedy", "sample", "topk:40", "nucleus:0.9".
#pragma once

#include <string>

#include "framework/decoding/policy.h"

namespace lvtext {

/// What --policy takes, for help texts and messages.
inline constexpr const char* kPolicyHelp =
    "greedy, sample, temperature:T, topk:K or nucleus:P; the last two may be followed by a "
    "temperature, as in topk:40,temperature:0.7";

/// Throws UsageError, with what is allowed, for anything else.
PolicyOptions parse_policy(const std::string& text);
/// The text that parse_policy reads back.
std::string policy_text(const PolicyOptions& policy);

}  // namespace lvtext
