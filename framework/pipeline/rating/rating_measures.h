// Measures of an aspect, the columns of a table of ratings.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/core/statistics/statistics.h"
#include "framework/pipeline/rating/sheet_kind.h"

namespace lvtext {

/// The value of a measure.
struct RatingEstimate {
  double value = 0;                    ///< NaN if undefined
  std::optional<Interval> interval{};  ///< 95 %
  std::string reason{};                ///< why the value is undefined
};

/// A measure of one aspect, from the answers to the items of a group.
struct RatingMeasure {
  std::string id;     ///< id of its column: "fluency", "style_a"
  std::string title;  ///< title of its column
  std::string note;
  int decimals = 1;  ///< number of displayed decimals
  Direction direction = Direction::kNone;
  /// Maps the answers to each item, at least one, to a number. For a question about compared texts,
  /// answer i is the i-th row of the group.
  std::function<RatingEstimate(std::span<const std::vector<int>>)> compute;
};

/// For numbers, the median (`<aspect>`). For choices, the percentage of each (`<aspect>_<choice>`),
/// and for a question about two texts the difference of the first two (`<aspect>_lead`). These are
/// means over sentences, with a bootstrap over sentences of 10,000 resamples. For opposed choices,
/// the number of answers of each choice (`<aspect>_<choice>_count`), the ratio of the first to the
/// second (`<aspect>_ratio`), which is undefined if the second was never chosen, and the share of
/// the first in both (`<aspect>_share`), with Wilson's interval.
std::vector<RatingMeasure> rating_measures(const Aspect& aspect);

/// The number of an item that rows are compared by: the median of the answers or, for a question
/// about two texts, the percentage of the first one less that of the second. None for other named
/// answers, which have no order. `answers` must not be empty.
std::optional<double> compared_value(const Aspect& aspect, std::span<const int> answers);

}  // namespace lvtext
