// Options of all inference that writes text.
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
    v.field("policy", policy, "how tokens are chosen, as --policy; unset: the usual way");
    v.field("max_length", max_length, "sentences are cut after so many tokens",
            in_range(1, kLongestText));
    v.field("precision", precision, "of matrix products; unset: as around it");
    v.field("seed", seed, "of what is drawn", at_least(0));
    v.field("first", first, "number of the first sentence, on which its draws depend", at_least(0));
    v.check(policy.empty() || read_policy(policy),
            std::string("policy must be one of ") + kPolicyHelp);
  }

  /// The policy, or `otherwise` where none is set.
  DecodeOptions decoding(const DecodingPolicy& otherwise) const {
    return {policy.empty() ? otherwise : parse_policy(policy), max_length, kDecodeBatch};
  }
};

}  // namespace lvtext
