#include "framework/core/decoding/policy_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "framework/core/nn/vector_math.h"

namespace lvtext {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int64_t kSumBlock = 256;  // weights whose sum is skipped as a whole by a draw
constexpr int64_t kMaxBuckets = 1024, kPerBucket = 8;
constexpr float kMaxRange = 64;  // scores farther below the maximum share the last bucket

/// (x - maximum) / temperature
LVT_WIDEST void scaled_scores(const float* x, int64_t count, float temperature, float maximum,
                              float* y) {
  const float factor = 1 / temperature;
#pragma omp simd
  for (int64_t k = 0; k < count; ++k) y[k] = (x[k] - maximum) * factor;
}

/// exp((x - maximum) / temperature)
LVT_WIDEST void exponentials(const float* x, int64_t count, float temperature, float maximum,
                             float* weights) {
  const float factor = 1 / temperature;
#pragma omp simd
  for (int64_t k = 0; k < count; ++k) {
    weights[k] = vector_math::exp((x[k] - maximum) * factor);
  }
}

/// Sums of all weights and of their squares.
// Not std::pair, whose constructors would need variants, too.
struct Sums {
  double total, squares;
};

/// Writes the sum of each block of weights, too.
LVT_WIDEST Sums weight_sums(const float* weights, int64_t count, double* sums) {
  Sums all{};
  for (int64_t from = 0; from < count; from += kSumBlock) {
    const int64_t to = std::min(count, from + kSumBlock);
    double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum, squares)
    for (int64_t k = from; k < to; ++k) {
      const double weight = weights[k];
      sum += weight;
      squares += weight * weight;
    }
    sums[from / kSumBlock] = sum;
    all.total += sum;
    all.squares += squares;
  }
  return all;
}

/// The bucket of each score: equal or larger scores have an equal or smaller one.
LVT_WIDEST void find_buckets(const float* scores, int64_t count, float maximum, float scale,
                             float last, int32_t* buckets) {
#pragma omp simd
  for (int64_t k = 0; k < count; ++k) {
    const float below = (maximum - scores[k]) * scale;
    buckets[k] = static_cast<int32_t>(below < last ? below : last);
  }
}

/// The first weight whose cumulative sum exceeds `drawn`; never a weight of 0.
int64_t draw(const float* weights, int64_t count, const double* sums, double drawn) {
  double before = 0;
  int64_t from = 0;
  for (; from + kSumBlock < count; from += kSumBlock) {
    const double sum = sums[from / kSumBlock];
    if (before + sum > drawn) break;
    before += sum;
  }
  int64_t chosen = -1;
  for (int64_t k = from; k < std::min(count, from + kSumBlock); ++k) {
    if (weights[k] > 0) chosen = k;  // the last one, if the sums are rounded differently
    before += weights[k];
    if (before > drawn) break;
  }
  while (chosen < 0) {
    --from;
    if (weights[from] > 0) chosen = from;
  }
  return chosen;
}

}  // namespace

double PolicyRow::Weights::of(int64_t id) const {
  if (ids == nullptr) return values[id];
  const int32_t* end = ids + count;
  const int32_t* at = std::lower_bound(ids, end, static_cast<int32_t>(id));
  return at != end && *at == id ? values[at - ids] : 0;
}

PolicyRow::PolicyRow(std::span<const PolicyOptions> policies, const OutputMap& map,
                     std::span<const int32_t> excluded, int64_t vocabulary)
    : policies_(policies.begin(), policies.end()),
      excluded_(excluded.begin(), excluded.end()),
      vocabulary_(vocabulary),
      allowed_(excluded.empty() ? 0 : vocabulary) {
  for (const PolicyOptions& policy : policies_) {
    const double alpha = policy.alpha.value_or(map.alpha);
    const auto same = std::find_if(bases_.begin(), bases_.end(), [&](const Base& base) {
      return base.alpha == alpha && base.temperature == policy.temperature;
    });
    base_of_.push_back(same - bases_.begin());
    if (same == bases_.end()) {
      Base& added = bases_.emplace_back();
      added.alpha = alpha;
      added.temperature = policy.temperature;
      if (alpha > kSoftmaxAlpha) {
        added.solver = std::make_unique<EntmaxRow<float>>(alpha, vocabulary);
      }
    }
    Base& base = bases_[base_of_.back()];
    if (policy.type == Policy::kTopK) largest_count_ = std::max(largest_count_, policy.k);
    if (policy.type == Policy::kNucleus && policy.p < 1) {
      base.largest_mass = std::max(base.largest_mass, policy.p);
    }
  }
}

bool PolicyRow::read(const float* scores) {
  scores_ = scores;
  if (!excluded_.empty()) {
    std::copy(scores, scores + vocabulary_, allowed_.begin());
    for (const int32_t id : excluded_) allowed_[id] = -kInfinity;
    scores_ = allowed_.data();
  }
  has_candidates_ = false;
  for (Base& base : bases_) base.is_solved = base.has_masses = false;
  finite_ = score_maxima(scores_, vocabulary_, maxima_);
  maximum_ = *std::max_element(maxima_.begin(), maxima_.end());
  return finite_ > 0 && std::isfinite(maximum_);
}

/// The lowest id of the largest score.
int64_t PolicyRow::best() const {
  const auto block = std::find(maxima_.begin(), maxima_.end(), maximum_) - maxima_.begin();
  return std::find(scores_ + block * kScoreBlock, scores_ + vocabulary_, maximum_) - scores_;
}

/// Computes the weights of the tokens `ids` (null: all) with these scores, of which the largest is
/// the row's.
void PolicyRow::solve(const Base& base, const float* scores, const int32_t* ids, int64_t count,
                      Weights& weights) const {
  const auto temperature = static_cast<float>(base.temperature);
  std::vector<float>& values = weights.values;
  grow(values, count);
  if (base.solver) {
    if (temperature != 1) {
      scaled_scores(scores, count, temperature, maximum_, values.data());
      scores = values.data();
    }
    const EntmaxSolution solution = base.solver->solve(scores, count);
    const int32_t* positions = base.solver->positions();
    weights.count = weights.support = solution.support;
    grow(weights.own_ids, weights.count);
    for (int64_t k = 0; k < weights.count; ++k) {
      weights.own_ids[k] = ids == nullptr ? positions[k] : ids[positions[k]];
    }
    weights.ids = weights.own_ids.data();
    std::copy(base.solver->probabilities(), base.solver->probabilities() + weights.count,
              values.begin());
  } else {
    exponentials(scores, count, temperature, maximum_, values.data());
    weights.ids = ids;
    weights.count = count;
    weights.support = ids == nullptr ? finite_ : count;
  }
  grow(weights.sums, blocks_of(weights.count, kSumBlock));
  const Sums sums = weight_sums(values.data(), weights.count, weights.sums.data());
  weights.total = sums.total;
  weights.squares = sums.squares;
}

const PolicyRow::Weights& PolicyRow::solved(Base& base) {
  if (!base.is_solved) {
    solve(base, scores_, nullptr, vocabulary_, base.weights);
    base.is_solved = true;
  }
  return base.weights;
}

/// A score below which there are no tokens of any nucleus: those below have together less
/// probability than what the largest nucleus lacks.
float PolicyRow::floor_of_masses(Base& base) {
  if (base.largest_mass == 0) return kInfinity;
  const Weights& weights = solved(base);
  if (base.solver) {
    float lowest = maximum_;
    for (int64_t k = 0; k < weights.count; ++k) {
      lowest = std::min(lowest, scores_[weights.ids[k]]);
    }
    return lowest;
  }
  constexpr double kSlack = 0.01;  // for rounding
  const double lacking = (1 - base.largest_mass) / static_cast<double>(vocabulary_);
  return static_cast<float>(maximum_ +
                            base.temperature * (std::log(lacking * weights.total) - kSlack));
}

/// Collects the tokens that any policy can keep and distributes them to buckets.
void PolicyRow::find_candidates() {
  if (has_candidates_) return;
  has_candidates_ = true;
  float floor = largest_count_ > 0 ? floor_of_count(maxima_, largest_count_) : kInfinity;
  for (Base& base : bases_) floor = std::min(floor, floor_of_masses(base));
  floor = std::max(floor, std::numeric_limits<float>::lowest());
  largest_.find(scores_, vocabulary_, maxima_, floor);
  const int64_t found = largest_.count;
  grow(order_, found);
  grow(bucket_of_, found);
  const float range = std::min(maximum_ - floor, kMaxRange);
  const int64_t buckets = std::clamp<int64_t>(largest_.count / kPerBucket, 1, kMaxBuckets);
  // All in one bucket if the range is 0, or so small that the scale would overflow.
  const float scale = range > 1e-30F ? static_cast<float>(buckets) / range : 0;
  find_buckets(largest_.scores.data(), largest_.count, maximum_, scale,
               static_cast<float>(buckets - 1), bucket_of_.data());
  starts_.assign(buckets + 2, 0);
  int64_t* starts = starts_.data();
  const int32_t* bucket_of = bucket_of_.data();
  for (int64_t k = 0; k < found; ++k) ++starts[bucket_of[k] + 2];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  for (int64_t k = 0; k < found; ++k) order_[starts[bucket_of[k] + 1]++] = static_cast<int32_t>(k);
  starts_.pop_back();
  is_sorted_.assign(buckets, false);
}

/// Sorts a bucket in descending order of scores, lowest id first of equal ones.
void PolicyRow::sort_bucket(int64_t bucket) {
  if (is_sorted_[bucket]) return;
  is_sorted_[bucket] = true;
  std::sort(order_.begin() + starts_[bucket], order_.begin() + starts_[bucket + 1],
            [&](int32_t a, int32_t b) {
              const float first = largest_.scores[a], second = largest_.scores[b];
              return first > second || (first == second && a < b);
            });
}

PolicyRow::Cut PolicyRow::cut_at_count(int64_t count) {
  find_candidates();
  const int64_t kept = std::min(count, largest_.count);
  const auto after = std::lower_bound(starts_.begin(), starts_.end(), kept);
  sort_bucket(after - starts_.begin() - 1);
  return {kept, order_[kept - 1]};
}

void PolicyRow::find_masses(Base& base) {
  if (base.has_masses) return;
  base.has_masses = true;
  const Weights& weights = solved(base);
  // The candidates contain the support of an entmax.
  std::vector<float>& of_candidates = candidate_weights_;
  grow(of_candidates, largest_.count);
  const int32_t* id = weights.ids;
  for (int64_t k = 0; k < largest_.count; ++k) {
    if (id == nullptr) {
      of_candidates[k] = weights.values[largest_.ids[k]];
    } else {
      const bool inside = id != weights.ids + weights.count && *id == largest_.ids[k];
      of_candidates[k] = inside ? weights.values[id - weights.ids] : 0;
      id += inside ? 1 : 0;
    }
  }
  base.masses.assign(starts_.size(), 0);
  for (size_t bucket = 0; bucket + 1 < starts_.size(); ++bucket) {
    double mass = 0;
    for (int64_t k = starts_[bucket]; k < starts_[bucket + 1]; ++k) {
      mass += of_candidates[order_[k]];
    }
    base.masses[bucket + 1] = base.masses[bucket] + mass;
  }
}

PolicyRow::Cut PolicyRow::cut_at_mass(Base& base, double mass) {
  find_candidates();
  find_masses(base);
  const Weights& weights = solved(base);
  const double limit = mass * weights.total;
  const auto after = std::upper_bound(base.masses.begin(), base.masses.end(), limit);
  if (after == base.masses.end()) return cut_at_count(largest_.count);
  const int64_t bucket = after - base.masses.begin() - 1;
  sort_bucket(bucket);
  double total = base.masses[bucket];
  int64_t k = starts_[bucket];
  for (; k + 1 < starts_[bucket + 1]; ++k) {
    total += weights.of(largest_.ids[order_[k]]);
    if (total > limit) break;
  }
  return {k + 1, order_[k]};
}

/// Collects the tokens of a cut in the order of ids.
void PolicyRow::keep(const Cut& cut) {
  constexpr int64_t kSortedShare = 32;  // sorting a smaller share is faster than a pass over all
  kept_ = cut.count;
  grow(kept_ids_, cut.count + 1);  // the loop below writes one more
  grow(kept_scores_, cut.count + 1);
  int32_t* ids = kept_ids_.data();
  float* scores = kept_scores_.data();
  if (cut.count * kSortedShare < largest_.count) {
    chosen_.assign(order_.begin(), order_.begin() + cut.count);
    std::sort(chosen_.begin(), chosen_.end());
    for (int64_t k = 0; k < cut.count; ++k) {
      ids[k] = largest_.ids[chosen_[k]];
      scores[k] = largest_.scores[chosen_[k]];
    }
    return;
  }
  const float limit = largest_.scores[cut.last];
  const auto last = static_cast<int32_t>(cut.last), count = static_cast<int32_t>(largest_.count);
  int64_t kept = 0;
  for (int32_t k = 0; k < count; ++k) {
    const float score = largest_.scores[k];
    ids[kept] = largest_.ids[k];
    scores[kept] = score;
    const int above = score > limit ? 1 : 0, equal = score == limit ? 1 : 0;
    kept += above | (equal & (k <= last ? 1 : 0));
  }
}

/// The weights of a policy that is not greedy.
const PolicyRow::Weights& PolicyRow::weights_of(size_t policy) {
  const PolicyOptions& options = policies_[policy];
  Base& base = bases_[base_of_[policy]];
  if (options.type == Policy::kTopK && options.k < finite_) {
    keep(cut_at_count(options.k));
  } else if (options.type == Policy::kNucleus && options.p < 1) {
    keep(cut_at_mass(base, options.p));
  } else {
    return solved(base);
  }
  solve(base, kept_scores_.data(), kept_ids_.data(), kept_, restricted_);
  return restricted_;
}

PolicyDistribution PolicyRow::distribution(size_t policy) {
  if (policies_[policy].type == Policy::kGreedy) {
    constexpr static float kSure = 1;
    kept_ids_.resize(std::max<size_t>(kept_ids_.size(), 1));
    kept_ids_[0] = static_cast<int32_t>(best());
    return {kept_ids_.data(), &kSure, 1, 1};
  }
  const Weights& weights = weights_of(policy);
  return {weights.ids, weights.values.data(), weights.count, weights.total};
}

void PolicyRow::masses(size_t policy, std::span<const int32_t> ids, std::span<const int64_t> counts,
                       double* masses) {
  const PolicyDistribution from = distribution(policy);
  const auto weight = [&](int32_t id) -> double {
    if (from.ids == nullptr) return from.weights[id];
    const int32_t* at = std::lower_bound(from.ids, from.ids + from.count, id);
    return at != from.ids + from.count && *at == id ? from.weights[at - from.ids] : 0;
  };
  double sum = 0;
  int64_t next = 0;
  for (size_t k = 0; k < counts.size(); ++k) {
    for (; next < counts[k]; ++next) sum += weight(ids[next]);
    masses[k] = sum / from.total;
  }
}

PolicyResult PolicyRow::apply(size_t policy, int64_t target, double uniform) {
  if (policies_[policy].type == Policy::kGreedy) {
    const int64_t id = best();
    return {id == target ? 1.0 : 0.0, 1, 1, id};
  }
  const Weights& weights = weights_of(policy);
  const int64_t chosen =
      draw(weights.values.data(), weights.count, weights.sums.data(), uniform * weights.total);
  return {target < 0 ? 0 : weights.of(target) / weights.total,
          weights.squares / (weights.total * weights.total), weights.support,
          weights.ids == nullptr ? chosen : weights.ids[chosen]};
}

}  // namespace lvtext
