// Metrics of next-token distributions p from the numbers that token records store: the probability
// p(x) of the token x that follows, |p|^2, the sampled token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/core/text/token_ids.h"

namespace lvtext {

/// The sparsemax score p(x) + (1 - |p|^2) / 2 = 1 - |p - e_x|^2 / 2, in [0, 1] (Martins, Marinho
/// and Martins 2020). `squares` is |p|^2. The accuracy of a one-hot p.
double sparsemax_score(double probability, double squares);

/// Jensen-Shannon divergence of p and the one-hot distribution of x in nats, in [0, ln 2] (Martins
/// et al. 2020): H((1 + p(x)) / 2) - H(p(x)) / 2 with the entropy H of a coin.
double reference_js(double probability);

/// -ln((1 - weight) p(x) + weight / V): nats of x under p mixed with the uniform distribution over
/// V tokens. Equal to -ln((p(x) + e) / (1 + e V)), the terms of the epsilon-perplexity of Martins
/// et al. (2020), with weight = e V / (1 + e V). Infinite for p(x) = 0 and weight 0.
double smoothed_nats(double probability, double vocabulary, double weight);

/// The weight in [0, 1] with the smallest mean of smoothed_nats(), which is convex in the weight
/// (Martins et al. 2020, appendix A), to a relative error of 1e-12. 0 if all probabilities are
/// positive and the mean of 1 / (V p(x)) is at most 1; 1 if their mean is at most 1 / V; NaN
/// without probabilities. `weights` of the probabilities in these means; empty: equal ones.
double best_smoothing(std::span<const double> probabilities, double vocabulary,
                      std::span<const double> weights = {});

/// e = weight / (V (1 - weight)), infinite for weight 1, and its inverse.
double smoothing_epsilon(double weight, double vocabulary);
double smoothing_weight(double epsilon, double vocabulary);

/// Numbers of tokens of one text that occur in the window of tokens before them.
struct Repetitions {
  int64_t drawn = 0;  ///< sampled tokens that occur in the window
  int64_t wrong = 0;  ///< those of them that are not the text's token
  int64_t human = 0;  ///< the text's own tokens that occur in the window
};
/// Repetitions for each of `windows` (Welleck et al. 2020; Martins et al. 2020): token t of
/// `drawn`, sampled in place of target t, counts if it is among the l tokens before target t. A
/// window begins at the earliest with the first token of `context`, which precedes the targets.
/// `drawn` has as many tokens as `targets`; all ids are below `vocabulary`.
std::vector<Repetitions> repetitions(std::span<const int32_t> context,
                                     std::span<const int32_t> targets,
                                     std::span<const int32_t> drawn,
                                     std::span<const int64_t> windows, int64_t vocabulary);

}  // namespace lvtext
