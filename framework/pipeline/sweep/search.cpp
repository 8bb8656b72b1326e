#include "framework/pipeline/sweep/search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"

namespace lvtext {
namespace {

constexpr size_t kMaxSettings = 10'000;
constexpr int kDigits = 6;

/// Uniform in [0, 1): the first 52 bits of a hash of seed, trial and path.
double uniform(int64_t seed, int64_t trial, const std::string& path) {
  constexpr size_t kHexDigits = 13;
  const std::string digits =
      sha256(std::to_string(seed) + "|" + std::to_string(trial) + "|" + path).substr(0, kHexDigits);
  return static_cast<double>(std::strtoull(digits.c_str(), nullptr, 16)) /
         std::pow(16.0, kHexDigits);
}

std::string drawn(const Dimension& dimension, double u) {
  if (dimension.range.empty()) {
    const auto count = static_cast<double>(dimension.values.size());
    return override_text(dimension.values[static_cast<size_t>(u * count)]);
  }
  const double low = dimension.low();
  // An integer range includes both ends.
  const double high = dimension.high() + (dimension.integer ? 1 : 0);
  const double value = dimension.log ? low * std::pow(high / low, u) : low + u * (high - low);
  if (dimension.integer) {
    const double whole = std::clamp(std::floor(value), low, dimension.high());
    return std::to_string(static_cast<int64_t>(whole));
  }
  const double rounded = parse_number(significant(value, kDigits)).value_or(value);
  return format_number(std::clamp(rounded, low, high));
}

}  // namespace

std::vector<std::string> overrides_of(const Setting& setting) {
  std::vector<std::string> overrides;
  for (const auto& [path, value] : setting) overrides.push_back(path + "=" + value);
  return overrides;
}

const std::string* value_of(const Setting& setting, const std::string& path) {
  for (const auto& [known, value] : setting) {
    if (known == path) return &value;
  }
  return nullptr;
}

bool is_active(const Dimension& dimension, const Setting& setting) {
  return std::all_of(dimension.when.begin(), dimension.when.end(), [&](const auto& condition) {
    const std::string* value = value_of(setting, condition.first);
    return value && std::any_of(condition.second.begin(), condition.second.end(),
                                [&](const Node& each) { return override_text(each) == *value; });
  });
}

std::vector<Setting> grid_settings(const std::vector<Dimension>& space) {
  std::vector<Setting> settings = {{}};
  for (const Dimension& dimension : space) {
    std::vector<Setting> longer;
    for (const Setting& setting : settings) {
      if (!is_active(dimension, setting)) {
        longer.push_back(setting);
        continue;
      }
      for (const Node& value : dimension.values) {
        Setting next = setting;
        next.emplace_back(dimension.path, override_text(value));
        longer.push_back(std::move(next));
      }
      if (longer.size() > kMaxSettings) {
        throw ConfigError("space: the grid has more than " +
                          format_count(static_cast<int64_t>(kMaxSettings)) + " combinations");
      }
    }
    settings = std::move(longer);
  }
  std::set<Setting> known;
  std::erase_if(settings, [&](const Setting& each) { return !known.insert(each).second; });
  return settings;
}

Setting random_setting(const std::vector<Dimension>& space, int64_t seed, int64_t trial) {
  Setting setting;
  for (const Dimension& dimension : space) {
    if (!is_active(dimension, setting)) continue;
    setting.emplace_back(dimension.path, drawn(dimension, uniform(seed, trial, dimension.path)));
  }
  return setting;
}

std::vector<Setting> searched_settings(const Sweep& sweep) {
  if (sweep.search.type == SearchType::kGrid) return grid_settings(sweep.dimensions);
  std::vector<Setting> settings;
  for (int64_t trial = 1; trial <= sweep.search.trials; ++trial) {
    settings.push_back(random_setting(sweep.dimensions, sweep.search.seed, trial));
  }
  return settings;
}

std::vector<size_t> survivors(const std::vector<std::optional<double>>& values, double keep) {
  std::vector<size_t> order;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] && std::isfinite(*values[i])) order.push_back(i);
  }
  if (order.empty()) {
    order.resize(values.size());
    std::iota(order.begin(), order.end(), size_t{0});
  } else {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return *values[a] < *values[b]; });
  }
  // The decimal fraction is meant: the product of 0.29 and 100 is slightly less than 29.
  const auto count =
      static_cast<size_t>(std::floor(keep * static_cast<double>(values.size()) + 1e-9));
  order.resize(std::min(order.size(), std::max<size_t>(1, count)));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace lvtext
