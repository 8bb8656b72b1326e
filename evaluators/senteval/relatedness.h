// Relatedness of sentences as a distribution over classes (Tai, Socher and Manning 2015).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "evaluators/senteval/probe_bank.h"

namespace lvtext {

/// Distributions over the classes lowest, lowest + 1, ..., 5 whose mean is the score: class
/// floor(y) has floor(y) - y + 1 and the next one y - floor(y), [N, C] in double. With `lowest` 1,
/// as in SentEval, a score below 1 has no class for a part of its distribution, which is left out.
at::Tensor score_distributions(const std::vector<double>& scores, int64_t lowest);

/// Rows of the features for training, selection and prediction.
struct RelatednessSplit {
  at::Tensor train, dev, test;  ///< [N] bool
};

/// Predicted scores of the test rows. A linear layer with softmax, trained with the mean squared
/// error against score_distributions() by Adam; Pearson's correlation on the dev rows every 50
/// passes selects the weights, and the training ends at the fourth evaluation without improvement
/// or after 1,000 passes. Features [N, D]; `batch`, `lr` and `seed` of the training are used.
std::vector<double> predicted_scores(const at::Tensor& features, const std::vector<double>& scores,
                                     const RelatednessSplit& split, int64_t lowest,
                                     const ProbeTraining& training);

}  // namespace lvtext
