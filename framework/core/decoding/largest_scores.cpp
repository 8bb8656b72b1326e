#include "framework/core/decoding/largest_scores.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "framework/core/nn/vector_math.h"

namespace lvtext {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

LVT_WIDEST int64_t maxima_of_blocks(const float* x, int64_t count, float* maxima) {
  constexpr int64_t kLanes = 16;
  int32_t finite[kLanes] = {}, invalid[kLanes] = {};
  for (int64_t from = 0; from < count; from += kScoreBlock) {
    float best[kLanes];
    std::fill(best, best + kLanes, kLowest);
    const int64_t to = std::min(count, from + kScoreBlock);
    int64_t k = from;
    for (; k + kLanes <= to; k += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        const float value = x[k + lane];
        best[lane] = value > best[lane] ? value : best[lane];
        finite[lane] += value > kLowest ? 1 : 0;
        invalid[lane] |= value != value ? 1 : 0;
      }
    }
    for (; k < to; ++k) {
      best[0] = x[k] > best[0] ? x[k] : best[0];
      finite[0] += x[k] > kLowest ? 1 : 0;
      invalid[0] |= std::isnan(x[k]) ? 1 : 0;
    }
    for (int64_t width = kLanes / 2; width > 0; width /= 2) {
      for (int64_t lane = 0; lane < width; ++lane) {
        best[lane] = best[lane + width] > best[lane] ? best[lane + width] : best[lane];
      }
    }
    maxima[from / kScoreBlock] = best[0];
  }
  int64_t all = 0;
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    if (invalid[lane] != 0) return -1;
    all += finite[lane];
  }
  return all;
}

}  // namespace

int64_t score_maxima(const float* scores, int64_t count, std::vector<float>& maxima) {
  maxima.resize(blocks_of(count, kScoreBlock));
  return maxima_of_blocks(scores, count, maxima.data());
}

float floor_of_count(std::vector<float> maxima, int64_t k) {
  if (k > static_cast<int64_t>(maxima.size())) return kLowest;
  const auto at = maxima.begin() + (k - 1);
  std::nth_element(maxima.begin(), at, maxima.end(), std::greater<>());
  return *at;
}

void LargestScores::find(const float* all, int64_t vocabulary, const std::vector<float>& maxima,
                         float floor) {
  const int64_t blocks =
      std::count_if(maxima.begin(), maxima.end(), [&](float maximum) { return maximum >= floor; });
  grow(scores, blocks * kScoreBlock);
  grow(ids, blocks * kScoreBlock);
  // Without branches, whose outcomes are not predictable.
  float* score = scores.data();
  int32_t* ids_out = ids.data();
  int64_t found = 0;
  for (int64_t from = 0; from < vocabulary; from += kScoreBlock) {
    if (!(maxima[from / kScoreBlock] >= floor)) continue;
    const int64_t to = std::min(vocabulary, from + kScoreBlock);
    for (int64_t id = from; id < to; ++id) {
      score[found] = all[id];
      ids_out[found] = static_cast<int32_t>(id);
      found += all[id] >= floor ? 1 : 0;
    }
  }
  count = found;
}

}  // namespace lvtext
