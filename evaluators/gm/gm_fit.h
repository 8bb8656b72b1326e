// Fits the thresholds of GM to human preferences between two transferred sentences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lvtext {

/// The thresholds t1, ..., t4 of geometric_mean().
using GmThresholds = std::vector<double>;

/// Accuracy and similarity (shares), and perplexity of one sentence.
struct GmSentence {
  double acc = 0, sim = 0, pp = 0;
};

/// Two sentences of which raters prefer one.
struct GmPreference {
  GmSentence preferred, other;
};

/// Hinge loss of thresholds, and its gradient.
struct GmLoss {
  double value = 0;
  GmThresholds gradient = {0, 0, 0, 0};
};

/// The sum over pairs of max(0, 1 - GM(preferred) + GM(other)) (Pang and Gimpel 2019) and its
/// subgradient. The derivative of a GM with a factor below 1e-6, where that of the cube root is
/// unbounded, counts as 0.
GmLoss gm_loss(std::span<const GmPreference> pairs, const GmThresholds& t);

/// How many pairs GM orders like the raters.
struct GmAgreement {
  int64_t agreeing = 0;  ///< GM(preferred) > GM(other)
  int64_t ties = 0;      ///< equal; they do not agree
};
GmAgreement gm_agreement(std::span<const GmPreference> pairs, const GmThresholds& t);

/// Minimizes gm_loss(). From each of 16 starts and from the paper's thresholds, one threshold at a
/// time is set to its best integer (t1 and t2 in 0..99, t3 in 40..300, t4 in -100..39) until none
/// improves the loss; the best result is followed by 300 subgradient steps of decreasing length.
/// Returns the thresholds with the lowest loss among all of these. Deterministic. `pairs` must not
/// be empty.
GmThresholds fit_gm(std::span<const GmPreference> pairs);

}  // namespace lvtext
