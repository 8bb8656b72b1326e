// Runs that are left out of a mean over seeds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lvtext {

/// When a run is dropped.
struct OutlierRule {
  double mad = 5;    ///< beyond so many times 1.4826 MAD from the median
  int64_t most = 2;  ///< at most so many runs
};

struct Outlier {
  size_t run = 0;      ///< its index
  std::string reason;  ///< "1.9 is 1.675 from the median 0.225, more than 5 x 1.4826 MAD (0.1853)"
};

/// The runs that are dropped, in order. `by` is a metric of each run, `flag` another (empty: none),
/// which flags a run by a value above 0.5. A run is an outlier if |by - median| > mad x 1.4826 x
/// MAD, with the median absolute deviation from the median of all runs (1.4826 MAD estimates a
/// normal distribution's standard deviation; Hampel 1974), or if it is flagged and its value is the
/// largest of all. Of more than `most` those farthest from the median are dropped, of equally far
/// ones the first. Median, MAD and largest value are those of all runs: nothing is judged again
/// after a run was dropped.
///
/// With MAD = 0, where more than half of the runs are equal, no distance is large or small, and
/// none is dropped. A NaN is not judged. Of fewer than three runs none is dropped: there is no
/// majority that one of them could differ from. Throws std::logic_error for flags of other runs.
std::vector<Outlier> outliers(std::span<const double> by, std::span<const double> flag,
                              const OutlierRule& rule = {});

}  // namespace lvtext
