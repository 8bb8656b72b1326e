// Exclusion of outlier runs from a mean over seeds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lvtext {

/// Criterion for outliers.
struct OutlierRule {
  double mad = 5;    ///< maximum distance from the median in units of 1.4826 MAD
  int64_t most = 2;  ///< maximum number of dropped runs
  /// Minimum number of runs for the distance; a flagged run requires three.
  int64_t min_runs = 5;
};

struct Outlier {
  size_t run = 0;      ///< index of the run
  std::string reason;  ///< "1.9 is 1.675 from the median 0.225, more than 5 x 1.4826 MAD (0.1853)"
};

/// The dropped runs, in order. `by`: a metric of each run; `flag`: another one (empty: none), which
/// flags a run by a value above 0.5. A run is an outlier if |by - median| > mad x 1.4826 x
/// MAD, with the median absolute deviation from the median of all runs (1.4826 MAD estimates a
/// normal distribution's standard deviation; Hampel 1974), or if it is flagged and its value is the
/// largest of all. If there are more than `most`, the farthest from the median are dropped, ties
/// in the order of the runs. Median, MAD and largest value are computed once from all runs.
///
/// The distance requires `min_runs` runs and MAD > 0 (at most half of the runs are equal): the MAD
/// of three equally good runs is so small so often that one of them is dropped in a fifth of all
/// cases. A flagged run requires three runs. NaN values are ignored. Throws std::logic_error if the
/// sizes of `by` and `flag` differ.
std::vector<Outlier> outliers(std::span<const double> by, std::span<const double> flag,
                              const OutlierRule& rule = {});

}  // namespace lvtext
