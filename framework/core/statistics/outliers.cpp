#include "framework/core/statistics/outliers.h"

#include <algorithm>
#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/statistics/statistics.h"

namespace lvtext {
namespace {

constexpr size_t kMinFlaggedRuns = 3;

}  // namespace

std::vector<Outlier> outliers(std::span<const double> by, std::span<const double> flag,
                              const OutlierRule& rule) {
  LVT_ASSERT(flag.empty() || flag.size() == by.size(), "`by` and `flag` must have the same size");
  std::vector<double> known;
  for (const double value : by) {
    if (!std::isnan(value)) known.push_back(value);
  }
  if (known.empty()) return {};
  const double median = quantile(known, 0.5);
  const double largest = *std::max_element(known.begin(), known.end());
  for (double& value : known) value = std::abs(value - median);
  const double limit = rule.mad * 1.4826 * quantile(known, 0.5);
  const bool has_distance = std::ssize(known) >= rule.min_runs && limit > 0;
  const bool has_flags = !flag.empty() && known.size() >= kMinFlaggedRuns;
  std::vector<Outlier> found;
  for (size_t run = 0; run < by.size(); ++run) {
    const double distance = std::abs(by[run] - median);
    if (has_distance && distance > limit) {
      found.push_back({run, significant(by[run], 4) + " is " + significant(distance, 4) +
                                " from the median " + significant(median, 4) + ", more than " +
                                format_number(rule.mad) + " x 1.4826 MAD (" +
                                significant(limit, 4) + ")"});
    } else if (has_flags && flag[run] > 0.5 && by[run] == largest) {
      found.push_back(
          {run, "it is flagged, and its value " + significant(by[run], 4) + " is the largest"});
    }
  }
  std::stable_sort(found.begin(), found.end(), [&](const Outlier& a, const Outlier& b) {
    return std::abs(by[a.run] - median) > std::abs(by[b.run] - median);
  });
  found.resize(std::min(found.size(), static_cast<size_t>(rule.most)));
  std::sort(found.begin(), found.end(),
            [](const Outlier& a, const Outlier& b) { return a.run < b.run; });
  return found;
}

}  // namespace lvtext
