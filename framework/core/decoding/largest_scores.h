// The largest scores of a row on the CPU, found by the maxima of blocks instead of by sorting.
#pragma once

#include <cstdint>
#include <vector>

namespace lvtext {

/// Scores whose maximum decides whether they are looked at again.
inline constexpr int64_t kScoreBlock = 64;

/// Number of blocks of `count` elements, the last of which may be short.
inline int64_t blocks_of(int64_t count, int64_t size) {
  return (count + size - 1) / size;
}

/// Makes room for `count` elements, without writing those that are there.
template <typename T>
void grow(std::vector<T>& values, int64_t count) {
  if (static_cast<int64_t>(values.size()) < count) values.resize(count);
}

/// Writes the maxima of the blocks of `scores`, NaNs left out. Returns the number of scores that
/// are not -infinity, or -1 if there is a NaN.
int64_t score_maxima(const float* scores, int64_t count, std::vector<float>& maxima);

/// A score that at least `k` scores reach, given their maxima: the k-th largest maximum, or
/// -infinity if there are fewer.
float floor_of_count(std::vector<float> maxima, int64_t k);

/// Scores of at least a floor, in the order of ids.
struct LargestScores {
  std::vector<float> scores;  ///< the first `count` are used
  std::vector<int32_t> ids;
  int64_t count = 0;

  void find(const float* all, int64_t vocabulary, const std::vector<float>& maxima, float floor);
};

}  // namespace lvtext
