// How far raters agree.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace lvtext {

/// The middle value; of an even count the mean of the middle two. `ratings` is not empty.
double median(std::vector<int> ratings);

/// True if more than half of the ratings are the same number (of three: two of them).
bool has_majority(std::span<const int> ratings);

/// Krippendorff's alpha for ordinal data (Krippendorff 2011, "Computing Krippendorff's
/// alpha-reliability"): 1 is perfect agreement, 0 that of chance. One list of ratings for each
/// item, by whatever raters; items with fewer than two count for nothing. None without such items,
/// or if all ratings are the same number.
std::optional<double> krippendorff_alpha(std::span<const std::vector<int>> items);

}  // namespace lvtext
