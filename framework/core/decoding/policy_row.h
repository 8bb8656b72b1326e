// Token policies on one row of scores on the CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "framework/core/decoding/largest_scores.h"
#include "framework/core/decoding/policy.h"
#include "framework/core/nn/entmax_row.h"

namespace lvtext {

/// What is known of a policy's distribution at a row.
struct PolicyResult {
  double probability;  ///< probability of the target; 0 without one
  double squares;      ///< sum of the squares of all probabilities
  int64_t support;     ///< as PolicyRows::support
  int64_t draw;
};

/// A policy's distribution at a row: token k of the list has the probability weights[k] / total.
struct PolicyDistribution {
  const int32_t* ids;  ///< in ascending order; null: all ids
  const float* weights;
  int64_t count;
  double total;
};

/// Applies several policies to rows of scores. What they have in common is computed once for a row:
/// the softmax or entmax of all scores for each temperature, and the order of the largest scores.
/// An instance holds the workspace of one thread. The result of a policy does not depend on the
/// others, except that the total probabilities that decide on a nucleus are summed in another
/// order.
class PolicyRow {
 public:
  /// For policies of a model with the output map `map`; `excluded` ids have probability 0.
  PolicyRow(std::span<const PolicyOptions> policies, const OutputMap& map,
            std::span<const int32_t> excluded, int64_t vocabulary);

  /// Reads the row `scores` [V], which stays valid until the next row. Returns false, and then
  /// apply() must not be called, if there is a NaN or the largest score is not finite.
  bool read(const float* scores);
  /// Applies the policy with this index. The draw is the first token, in the order of ids, whose
  /// cumulative probability exceeds `uniform` in (0, 1); `target` -1: none.
  PolicyResult apply(size_t policy, int64_t target, double uniform);
  /// The distribution of the policy with this index; valid until the next call.
  PolicyDistribution distribution(size_t policy);
  /// Writes the total probability of the first counts[k] of the `ids`, which are different and not
  /// fewer than the last and largest count, to masses[k].
  void masses(size_t policy, std::span<const int32_t> ids, std::span<const int64_t> counts,
              double* masses);

 private:
  /// Weights of the tokens of a list of scores, in the order of ids. They are not normalized.
  struct Weights {
    const int32_t* ids = nullptr;  ///< null: all ids, one weight each
    std::vector<float> values;
    int64_t count = 0, support = 0;
    double total = 0, squares = 0;  ///< sums of the weights and of their squares
    std::vector<double> sums;       ///< sums of blocks of weights
    std::vector<int32_t> own_ids;   ///< storage of `ids`

    /// The weight of a token; 0 for those that are not in the list.
    double of(int64_t id) const;
  };
  /// A map and temperature, with its weights of the whole row.
  struct Base {
    double alpha, temperature;
    double largest_mass = 0;                   ///< largest mass of its nuclei
    std::unique_ptr<EntmaxRow<float>> solver;  ///< null for a softmax
    bool is_solved = false, has_masses = false;
    Weights weights;
    std::vector<double> masses;  ///< total weight of the candidates before each bucket
  };
  /// The tokens that a policy keeps: the first `count` in descending order.
  struct Cut {
    int64_t count, last;  ///< last: the candidate at the end
  };

  int64_t best() const;
  const Weights& weights_of(size_t policy);
  const Weights& solved(Base& base);
  void solve(const Base& base, const float* scores, const int32_t* ids, int64_t count,
             Weights& weights) const;
  float floor_of_masses(Base& base);
  void find_candidates();
  void sort_bucket(int64_t bucket);
  void find_masses(Base& base);
  Cut cut_at_count(int64_t count);
  Cut cut_at_mass(Base& base, double mass);
  void keep(const Cut& cut);

  std::vector<PolicyOptions> policies_;
  std::vector<size_t> base_of_;  ///< index in bases_ of each policy's base
  std::vector<Base> bases_;
  std::vector<int32_t> excluded_;
  int64_t vocabulary_, largest_count_ = 0;

  const float* scores_ = nullptr;  ///< scores of the row, -infinity for excluded ids
  std::vector<float> allowed_;     ///< the same, if there are excluded ids
  std::vector<float> maxima_;      ///< maxima of blocks of scores
  float maximum_ = 0;
  int64_t finite_ = 0;  ///< number of scores above -infinity

  bool has_candidates_ = false;
  LargestScores largest_;  ///< the candidates
  /// Candidates by buckets of scores in descending order; those of a bucket are sorted when needed.
  std::vector<int32_t> order_, bucket_of_;
  std::vector<int64_t> starts_;
  std::vector<bool> is_sorted_;

  std::vector<float> candidate_weights_;

  int64_t kept_ = 0;  ///< tokens of a cut
  std::vector<int32_t> chosen_, kept_ids_;
  std::vector<float> kept_scores_;
  Weights restricted_;
};

}  // namespace lvtext
