// Inter-rater agreement.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace lvtext {

/// The median; for an even count, the mean of the two middle values. `ratings` must not be empty.
double median(std::vector<int> ratings);

/// True if more than half of the ratings are equal (at least two of three).
bool has_majority(std::span<const int> ratings);

/// Level of measurement of ratings: unordered names, or ranks.
enum class Level { kNominal, kOrdinal };

/// Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"): 1 is
/// perfect agreement, 0 is chance agreement. `items`: one list of ratings per item, each from any
/// raters; items with fewer than two ratings are ignored. nullopt if no item has two ratings or if
/// all ratings are equal.
std::optional<double> krippendorff_alpha(std::span<const std::vector<int>> items,
                                         Level level = Level::kOrdinal);

/// Fleiss' kappa (Fleiss 1971) of ratings as names: (P - E) / (1 - E), with P the mean over items
/// of the share of pairs of ratings that are equal and E the sum of the squared shares of the
/// values in all ratings. Items with fewer than two ratings are ignored; with different numbers of
/// ratings, every item has the same weight in P. nullopt as for krippendorff_alpha().
std::optional<double> fleiss_kappa(std::span<const std::vector<int>> items);

}  // namespace lvtext
