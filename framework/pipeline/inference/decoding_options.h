// Options of all inference components that generate text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "framework/core/decoding/decoder.h"
#include "framework/core/decoding/policy_text.h"
#include "framework/core/options/generation.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct DecodingFields {
  std::string policy;
  int64_t max_length = GenerationOptions{}.max_length;
  std::optional<Precision> precision;
  int64_t seed = 0;
  int64_t first = 0;

  template <class V>
  void visit(V& v) {
    v.field("policy", policy, "token policy, as --policy; unset: that of the component");
    v.field("max_length", max_length, "maximum number of tokens; longer sentences are truncated",
            in_range(1, kMaxGeneratedLength));
    v.field("precision", precision, "precision of matrix products; unset: that of the command");
    v.field("seed", seed, "seed of random draws", at_least(0));
    v.field("first", first, "index of the first sentence, which determines its draws", at_least(0));
    v.check(policy.empty() || read_policy(policy),
            std::string("policy must be one of ") + kPolicyHelp);
  }

  /// The policy, or `otherwise` if unset.
  DecodeOptions decoding(const DecodingPolicy& otherwise) const {
    return {policy.empty() ? otherwise : parse_policy(policy), max_length, kDecodeBatch};
  }
};

}  // namespace lvtext
