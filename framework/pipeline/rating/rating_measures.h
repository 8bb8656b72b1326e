// The numbers that a table of ratings shows for an aspect.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "framework/pipeline/rating/sheet_kind.h"

namespace lvtext {

/// A number of an aspect: the mean over sentences of a function of the answers to an item.
struct RatingMeasure {
  std::string id;     ///< of its column: "fluency", "style_a"
  std::string title;  ///< of its column
  std::string note;
  /// Of at least one answer. For a question about compared texts, answer i is the i-th row of the
  /// group.
  std::function<double(std::span<const int>)> of_item;
};

/// For numbers, the median (`<aspect>`). For choices, the percentage of each (`<aspect>_<choice>`),
/// and for a question about two texts the difference of the first two (`<aspect>_lead`).
std::vector<RatingMeasure> rating_measures(const Aspect& aspect);

}  // namespace lvtext
