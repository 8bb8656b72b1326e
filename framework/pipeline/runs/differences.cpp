#include "framework/pipeline/runs/differences.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/utf8.h"
#include "framework/pipeline/runs/run_name.h"

namespace lvtext {
namespace {

constexpr size_t kOptionsShown = 4;
constexpr size_t kMaxValueLength = 24;
const std::string kUnset = "unset";
const std::string kSource = "source";  // kind of the nodes with records

using Values = std::map<std::string, std::string>;

std::string hash_of_name(const std::string& folder) {
  const size_t dash = folder.rfind('-');
  return dash == std::string::npos ? folder : folder.substr(dash + 1);
}

/// Finds runs by the hash at the end of a folder's name; the rest is descriptive only.
class RunsByHash {
 public:
  explicit RunsByHash(const std::vector<FoundRun>& all) {
    for (const FoundRun& run : all) {
      by_hash_.emplace(hash_of_name(run.name()), &run);
      if (run.identity.size() >= 8) by_hash_.emplace(run.identity.substr(0, 8), &run);
    }
  }
  const FoundRun* find(const std::string& folder) const {
    const auto found = by_hash_.find(hash_of_name(folder));
    return found == by_hash_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string, const FoundRun*> by_hash_;
};

std::string value_of(const Values& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? kUnset : found->second;
}

/// Displayed key: "latent.size" for "model.latent.size" of a training.
std::string shown_key(const std::string& prefix, const std::string& key) {
  constexpr std::string_view kModel = "model.";
  return prefix + (key.starts_with(kModel) ? key.substr(kModel.size()) : key);
}

class Comparer {
 public:
  Comparer(const RunsByHash& all, std::vector<Values>& found) : all_(all), found_(found) {}

  /// Adds differences of runs[i] to found[i]. In recursive calls, `runs` are corresponding inputs;
  /// nullptr: a run lacks the input. True if anything differs.
  bool compare(const std::vector<const FoundRun*>& runs, const std::string& prefix) {
    const bool data_differ = prefix.empty() && add(runs, "data", data_of(runs));
    if (are_named_by_data(runs)) return true;
    bool differ = compare_options(runs, prefix) || data_differ;
    std::set<std::string> names;
    for (const FoundRun* run : runs) {
      if (run == nullptr) continue;
      for (const auto& [name, folder] : run->inputs) names.insert(name);
    }
    for (const auto& name : names) differ |= compare_inputs(runs, name, prefix);
    return differ;
  }

 private:
  bool compare_options(const std::vector<const FoundRun*>& runs, const std::string& prefix) {
    std::set<std::string> keys;
    for (const FoundRun* run : runs) {
      if (run == nullptr) continue;
      for (const auto& [key, value] : run->options) keys.insert(key);
    }
    bool differ = false;
    for (const auto& key : keys) {
      std::vector<std::string> values;
      for (const FoundRun* run : runs) {
        values.push_back(run == nullptr ? kUnset : value_of(run->options, key));
        // The files of a source, a list of their readers and hashes, are compared by its hash.
        if (run != nullptr && run->kind == kSource && key == "files") {
          values.back() = sha256(values.back()).substr(0, 8);
        }
      }
      differ |= add(runs, shown_key(prefix, key), values);
    }
    std::vector<std::string> components, revisions;
    for (const FoundRun* run : runs) {
      components.push_back(run == nullptr ? kUnset : run->component);
      revisions.push_back(run == nullptr ? kUnset : std::to_string(run->revision));
    }
    const bool others = add(runs, prefix + "component", components);
    return add(runs, prefix + "revision", revisions) || others || differ;
  }

  bool compare_inputs(const std::vector<const FoundRun*>& runs, const std::string& input,
                      const std::string& prefix) {
    std::vector<std::string> hashes;
    std::vector<const FoundRun*> inputs;
    std::string name;
    for (const FoundRun* run : runs) {
      const std::string folder = run == nullptr ? kUnset : value_of(run->inputs, input);
      hashes.push_back(hash_of_name(folder));
      inputs.push_back(all_.find(folder));
      if (inputs.back() != nullptr) name = node_name(inputs.back()->name());
    }
    if (std::adjacent_find(hashes.begin(), hashes.end(), std::not_equal_to<>()) == hashes.end()) {
      return false;
    }
    const bool known = std::find(inputs.begin(), inputs.end(), nullptr) == inputs.end();
    if (known && compare(inputs, name + ".")) return true;
    return add(runs, prefix + "inputs." + input, hashes);
  }

  static std::vector<std::string> data_of(const std::vector<const FoundRun*>& runs) {
    std::vector<std::string> names;
    for (const FoundRun* run : runs) names.push_back(run == nullptr ? kUnset : run->data_text());
    return names;
  }

  /// True if sources differ exactly where the names of their data do.
  static bool are_named_by_data(const std::vector<const FoundRun*>& sources) {
    std::map<std::string, std::string> identities;
    for (const FoundRun* source : sources) {
      if (source == nullptr || source->kind != kSource || source->data.empty()) return false;
      const auto known = identities.emplace(source->data_text(), source->identity).first;
      if (known->second != source->identity) return false;
    }
    return true;
  }

  bool add(const std::vector<const FoundRun*>& runs, const std::string& key,
           const std::vector<std::string>& values) {
    if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end()) {
      return false;
    }
    for (size_t i = 0; i < runs.size(); ++i) {
      if (runs[i] != nullptr) found_[i][key] = values[i];
    }
    return true;
  }

  const RunsByHash& all_;
  std::vector<Values>& found_;
};

/// Returns the keys of `runs`, those that distinguish them first (RunDifferences).
std::vector<std::string> distinguishing_first(const std::vector<Values>& runs) {
  std::set<std::string> rest;
  for (const Values& run : runs) {
    for (const auto& [key, value] : run) rest.insert(key);
  }
  std::vector<std::string> keys;
  std::vector<size_t> groups(runs.size(), 0);  // runs whose values of `keys` are equal
  size_t count = 1;
  while (!rest.empty()) {
    std::vector<size_t> best_groups;
    std::string best;
    size_t best_count = count;
    for (const auto& key : rest) {
      std::map<std::pair<size_t, std::string>, size_t> numbers;
      std::vector<size_t> split;
      for (size_t i = 0; i < runs.size(); ++i) {
        const auto group = std::pair(groups[i], value_of(runs[i], key));
        split.push_back(numbers.emplace(group, numbers.size()).first->second);
      }
      if (numbers.size() <= best_count) continue;
      best = key;
      best_count = numbers.size();
      best_groups = std::move(split);
    }
    if (best.empty()) break;
    keys.push_back(best);
    rest.erase(best);
    groups = std::move(best_groups);
    count = best_count;
  }
  keys.insert(keys.end(), rest.begin(), rest.end());
  return keys;
}

std::vector<RunDifferences> compared(const std::vector<const FoundRun*>& runs,
                                     const RunsByHash& all) {
  std::vector<Values> values(runs.size());
  Comparer(all, values).compare(runs, "");
  const auto keys = distinguishing_first(values);
  std::vector<RunDifferences> found(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const auto& key : keys) {
      const auto value = values[i].find(key);
      if (value != values[i].end()) found[i].emplace_back(*value);
    }
  }
  return found;
}

bool is_seed(const std::string& key) {
  return key == "seed" || key.ends_with(".seed");
}

}  // namespace

std::vector<RunDifferences> differences(const std::vector<const FoundRun*>& runs,
                                        const std::vector<FoundRun>& all) {
  return compared(runs, RunsByHash(all));
}

std::vector<RunDifferences> differences_among(const std::vector<FoundRun>& all) {
  const RunsByHash by_hash(all);
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].state == RunState::kDamaged) continue;
    const std::string name = short_name(all[i].name());
    groups[all[i].kind + " " + name.substr(0, name.find('#'))].push_back(i);
  }
  std::vector<RunDifferences> found(all.size());
  for (const auto& [name, members] : groups) {
    if (members.size() < 2) continue;
    std::vector<const FoundRun*> runs;
    for (const size_t i : members) runs.push_back(&all[i]);
    auto differ = compared(runs, by_hash);
    for (size_t i = 0; i < members.size(); ++i) {
      std::erase_if(differ[i], [](const auto& each) { return is_seed(each.first); });
      found[members[i]] = std::move(differ[i]);
    }
  }
  return found;
}

std::string differences_text(const RunDifferences& differences) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : differences) {
    if (parts.size() == kOptionsShown) {
      parts.push_back("and " + std::to_string(differences.size() - kOptionsShown) + " more");
      break;
    }
    std::string part = key + "=" + value.substr(0, utf8_prefix(value, kMaxValueLength));
    if (value.size() > kMaxValueLength) part += "...";
    parts.push_back(std::move(part));
  }
  return join(parts, " ");
}

}  // namespace lvtext
