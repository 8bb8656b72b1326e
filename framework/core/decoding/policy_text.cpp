#include "framework/core/decoding/policy_text.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"

namespace lvtext {
namespace {

template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

/// Sets the options given by `part`; false if it is invalid.
bool apply(const std::string& part, PolicyOptions& policy) {
  const size_t colon = part.find(':');
  const std::string name = part.substr(0, colon);
  if (colon == std::string::npos) {
    policy.type = name == "sample" ? Policy::kTemperature : Policy::kGreedy;
    return name == "greedy" || name == "sample";
  }
  const std::string value = part.substr(colon + 1);
  if (name == "topk" || name == "top_k") {
    const auto k = parse<int64_t>(value);
    policy.type = Policy::kTopK;
    policy.k = k.value_or(0);
    return policy.k >= 1;
  }
  const auto number = parse<double>(value);
  if (!number || !std::isfinite(*number) || *number <= 0) return false;
  if (name == "nucleus") {
    policy.type = Policy::kNucleus;
    policy.p = *number;
    return policy.p <= 1;
  }
  if (name == "alpha") {
    policy.alpha = number;
    return *number >= kMinAlpha && *number <= kMaxAlpha;
  }
  policy.temperature = *number;
  return name == "temperature" && *number >= kLowestTemperature && *number <= kHighestTemperature;
}

/// Parses beam:W or beam:W,length_norm:A; std::nullopt if `parts` is not a valid beam search.
std::optional<BeamOptions> parse_beam(const std::vector<std::string>& parts) {
  constexpr std::string_view kBeam = "beam:", kNorm = "length_norm:";
  if (parts.size() > 2 || !parts[0].starts_with(kBeam)) return std::nullopt;
  BeamOptions beam;
  beam.width = parse<int64_t>(parts[0].substr(kBeam.size())).value_or(0);
  if (beam.width < 1 || beam.width > kMaxBeam) return std::nullopt;
  if (parts.size() == 1) return beam;
  if (!parts[1].starts_with(kNorm)) return std::nullopt;
  beam.length_norm = parse<double>(parts[1].substr(kNorm.size())).value_or(-1);
  if (!(beam.length_norm >= 0 && beam.length_norm <= kMaxLengthNorm)) return std::nullopt;
  return beam;
}

}  // namespace

std::optional<DecodingPolicy> read_policy(const std::string& text) {
  const auto parts = split(text, ',');
  if (const auto beam = parse_beam(parts)) return *beam;
  PolicyOptions policy;
  bool valid = apply(parts[0], policy) && !parts[0].starts_with("alpha");
  const auto is_temperature = [](const std::string& part) {
    return part.starts_with("temperature:");
  };
  if (valid && is_temperature(parts[0])) policy.type = Policy::kTemperature;
  bool has_temperature = is_temperature(parts[0]);
  for (size_t i = 1; valid && i < parts.size(); ++i) {
    // Greedy rejects both, which do not affect the most probable token.
    const bool once = is_temperature(parts[i]) ? !std::exchange(has_temperature, true)
                                               : parts[i].starts_with("alpha:") && !policy.alpha;
    valid = policy.type != Policy::kGreedy && once && apply(parts[i], policy);
  }
  return valid ? std::optional<DecodingPolicy>(policy) : std::nullopt;
}

DecodingPolicy parse_policy(const std::string& text) {
  if (const auto policy = read_policy(text)) return *policy;
  throw UsageError(
      "--policy: " + shown(text) + " is not a valid policy; allowed: " + kPolicyHelp + " (T from " +
      format_number(kLowestTemperature) + " to " + format_number(kHighestTemperature) +
      ", K >= 1, 0 < P <= 1, alpha from 1 to 4, W from 1 to " + std::to_string(kMaxBeam) +
      ", length_norm from 0 to " + format_number(kMaxLengthNorm) + ")");
}

std::string policy_text(const DecodingPolicy& policy) {
  if (const auto* beam = std::get_if<BeamOptions>(&policy)) {
    const std::string norm =
        beam->length_norm == 0 ? "" : ",length_norm:" + format_number(beam->length_norm);
    return "beam:" + std::to_string(beam->width) + norm;
  }
  const PolicyOptions& sampling = std::get<PolicyOptions>(policy);
  const std::string alpha = sampling.alpha ? ",alpha:" + format_number(*sampling.alpha) : "";
  const std::string heat = "temperature:" + format_number(sampling.temperature);
  const std::string tail = (sampling.temperature == 1 ? "" : "," + heat) + alpha;
  switch (sampling.type) {
    case Policy::kGreedy: return "greedy";
    case Policy::kTemperature: return (sampling.temperature == 1 ? "sample" : heat) + alpha;
    case Policy::kTopK: return "topk:" + std::to_string(sampling.k) + tail;
    case Policy::kNucleus: break;
  }
  return "nucleus:" + format_number(sampling.p) + tail;
}

}  // namespace lvtext
