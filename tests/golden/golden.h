// Results of components at the time of their current revision: tests/golden/golden.json.
#pragma once

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lvtext::testing {

/// Results of one component for a small fixed job: texts (hashes, counts) are compared exactly,
/// numbers to 1e-5 of their size (or absolutely, if smaller than 1), since floating point differs
/// between machines.
struct GoldenComponent {
  std::string name;  ///< "train vae", "score bleu"
  int revision = 1;
  nlohmann::json metadata;
};

inline std::string key_of(const GoldenComponent& component) {
  return component.name + "@" + std::to_string(component.revision);
}

inline bool same_fact(const nlohmann::json& stored, const nlohmann::json& now) {
  if (!stored.is_number() || !now.is_number()) return stored == now;
  const double a = stored.get<double>(), b = now.get<double>();
  return std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(a));
}

/// One line per difference between stored and current results.
inline std::vector<std::string> golden_problems(const nlohmann::json& stored,
                                                const std::vector<GoldenComponent>& components) {
  std::vector<std::string> problems;
  nlohmann::json unused = stored;
  for (const GoldenComponent& component : components) {
    const std::string key = key_of(component);
    unused.erase(key);
    if (!stored.contains(key)) {
      problems.push_back("golden.json has no '" + key +
                         "': a new component or revision; check its values, then run this test " +
                         "with LVTEXT_GOLDEN_WRITE=1 to add them");
      continue;
    }
    for (const auto& [name, now] : component.metadata.items()) {
      const nlohmann::json& before = stored[key].value(name, nlohmann::json());
      if (same_fact(before, now)) continue;
      problems.push_back("bytes of " + key + " changed (" + name + ": " + before.dump() + " -> " +
                         now.dump() + "): raise its revision or find the mistake");
    }
    for (const auto& [name, before] : stored[key].items()) {
      if (component.metadata.contains(name)) continue;
      problems.push_back("bytes of " + key + " changed (" + name + " is gone): raise its " +
                         "revision or find the mistake");
    }
  }
  for (const auto& [key, metadata] : unused.items()) {
    problems.push_back("golden.json has '" + key + "', which nothing makes any more; run this " +
                       "test with LVTEXT_GOLDEN_WRITE=1 to drop it");
  }
  return problems;
}

/// `stored` with entries for missing results and without obsolete ones. Existing entries are kept:
/// only another revision may have other values.
inline nlohmann::json golden_update(const nlohmann::json& stored,
                                    const std::vector<GoldenComponent>& components) {
  nlohmann::json updated = nlohmann::json::object();
  for (const GoldenComponent& component : components) {
    const std::string key = key_of(component);
    updated[key] = stored.contains(key) ? stored[key] : component.metadata;
  }
  return updated;
}

}  // namespace lvtext::testing
