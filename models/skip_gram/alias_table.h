// Random indices with given probabilities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lvtext {

/// Draws indices with probabilities proportional to weights, in constant time (Walker 1977,
/// https://doi.org/10.1145/355744.355749; tables as in Vose 1991). The probabilities are exact up
/// to multiples of 2^-32.
class AliasTable {
 public:
  /// `weights`: at least 0, at most 2^31 of them, with a positive sum.
  explicit AliasTable(std::span<const double> weights);
  /// The index that belongs to 64 uniform random bits.
  int32_t draw(uint64_t bits) const {
    const auto column = static_cast<size_t>(((bits >> 32) * columns_.size()) >> 32);
    const Column& chosen = columns_[column];
    return (bits & 0xFFFFFFFF) < chosen.threshold ? static_cast<int32_t>(column) : chosen.alias;
  }

 private:
  /// One of equally probable columns: the index of the column below the threshold, else `alias`.
  struct Column {
    uint64_t threshold = 0;  ///< 2^32 times the share of the column's own index
    int32_t alias = 0;
  };
  std::vector<Column> columns_;
};

}  // namespace lvtext
