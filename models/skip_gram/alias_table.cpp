#include "models/skip_gram/alias_table.h"

#include <cmath>
#include <numeric>

#include "framework/core/base/error.h"

namespace lvtext {

AliasTable::AliasTable(std::span<const double> weights) : columns_(weights.size()) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  LVT_ASSERT(sum > 0, "the weights of an alias table must have a positive sum");
  // Shares of columns: their mean is 1. Each step fills the column of an index with less than 1
  // from an index with at least 1.
  std::vector<double> share;
  std::vector<size_t> less, more;
  for (size_t i = 0; i < weights.size(); ++i) {
    share.push_back(weights[i] / sum * static_cast<double>(weights.size()));
    (share[i] < 1 ? less : more).push_back(i);
  }
  while (!less.empty() && !more.empty()) {
    const size_t low = less.back(), high = more.back();
    less.pop_back();
    columns_[low] = {static_cast<uint64_t>(std::llround(share[low] * 0x1p32)),
                     static_cast<int32_t>(high)};
    share[high] -= 1 - share[low];
    if (share[high] < 1) {
      more.pop_back();
      less.push_back(high);
    }
  }
  // What is left has a share of 1 up to rounding.
  for (const auto& left : {less, more}) {
    for (const size_t i : left) columns_[i] = {uint64_t{1} << 32, static_cast<int32_t>(i)};
  }
}

}  // namespace lvtext
