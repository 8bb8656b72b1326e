// Measures of an aspect, the columns of a table of ratings.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "framework/pipeline/rating/sheet_kind.h"

namespace lvtext {

/// A measure of one aspect: the mean over sentences of a function of the answers to an item.
struct RatingMeasure {
  std::string id;     ///< of its column: "fluency", "style_a"
  std::string title;  ///< of its column
  std::string note;
  /// Maps the answers to one item, at least one, to a number. For a question about compared texts,
  /// answer i is the i-th row of the group.
  std::function<double(std::span<const int>)> compute;
};

/// For numbers, the median (`<aspect>`). For choices, the percentage of each (`<aspect>_<choice>`),
/// and for a question about two texts the difference of the first two (`<aspect>_lead`).
std::vector<RatingMeasure> rating_measures(const Aspect& aspect);

}  // namespace lvtext
