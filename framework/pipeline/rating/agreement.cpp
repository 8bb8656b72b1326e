#include "framework/pipeline/rating/agreement.h"

#include <algorithm>
#include <map>

namespace lvtext {

double median(std::vector<int> ratings) {
  std::sort(ratings.begin(), ratings.end());
  const size_t n = ratings.size();
  return (ratings[(n - 1) / 2] + ratings[n / 2]) / 2.0;
}

bool has_majority(std::span<const int> ratings) {
  return std::any_of(ratings.begin(), ratings.end(), [&](int value) {
    return 2 * std::count(ratings.begin(), ratings.end(), value) >
           static_cast<std::ptrdiff_t>(ratings.size());
  });
}

std::optional<double> krippendorff_alpha(std::span<const std::vector<int>> items, Level level) {
  // Coincidence matrix of the values within items, and the marginal count of each value.
  std::map<int, std::map<int, double>> coincidences;
  std::map<int, double> counts;
  double total = 0;
  for (const auto& ratings : items) {
    if (ratings.size() < 2) continue;
    const double weight = 1.0 / static_cast<double>(ratings.size() - 1);
    for (size_t i = 0; i < ratings.size(); ++i) {
      counts[ratings[i]] += 1;
      total += 1;
      for (size_t j = 0; j < ratings.size(); ++j) {
        if (i != j) coincidences[ratings[i]][ratings[j]] += weight;
      }
    }
  }
  double observed = 0, expected = 0;
  for (auto low = counts.begin(); low != counts.end(); ++low) {
    double between = low->second / 2;  // number of ratings from low to high, both ends halved
    for (auto high = std::next(low); high != counts.end(); ++high) {
      between += high->second / 2;
      const double distance = level == Level::kOrdinal ? between * between : 1;
      between += high->second / 2;
      observed += coincidences[low->first][high->first] * distance;
      expected += low->second * high->second * distance;
    }
  }
  if (expected == 0) return std::nullopt;
  return 1 - (total - 1) * observed / expected;
}

std::optional<double> fleiss_kappa(std::span<const std::vector<int>> items) {
  std::map<int, double> counts;
  double agreement = 0, used = 0, total = 0;
  for (const auto& ratings : items) {
    if (ratings.size() < 2) continue;
    std::map<int, double> of_item;
    for (const int value : ratings) of_item[value] += 1;
    const auto n = static_cast<double>(ratings.size());
    double equal = 0;
    for (const auto& [value, count] : of_item) {
      counts[value] += count;
      equal += count * (count - 1);
    }
    agreement += equal / (n * (n - 1));
    used += 1;
    total += n;
  }
  if (counts.size() < 2) return std::nullopt;
  double chance = 0;
  for (const auto& [value, count] : counts) chance += count / total * count / total;
  return (agreement / used - chance) / (1 - chance);
}

}  // namespace lvtext
