// Logistic regressions on one table of features, trained together.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lvtext {

/// One regression of a bank.
struct Probe {
  double l2 = 0;     ///< weight decay as torch.optim.Adam's, of weights and bias
  at::Tensor train;  ///< [N] bool: its training rows
  at::Tensor dev;    ///< [N] bool: rows that select its weights
};

struct ProbeTraining {
  int64_t batch = 64;        ///< rows of a probe in an update, on average
  int64_t epoch_size = 4;    ///< passes between evaluations
  int64_t tenacity = 5;      ///< EarlyStop
  int64_t max_passes = 200;  ///< a training that has more passes ends
  double lr = 1e-3;
  int64_t seed = 1111;
};

/// A trained regression: scores are features weight^T + bias.
struct FittedProbe {
  at::Tensor weight;  ///< [C, D], in the dtype of the features
  at::Tensor bias;    ///< [C]
  double dev_accuracy = 0;
  int64_t passes = 0;  ///< over the training rows, when its training ended
};

/// Trains probes with softmax and mean cross-entropy by Adam, as SentEval trains one (MLP with nhid
/// 0), but all at once: features [N, D] float or double, classes [N] int64 in [0, C). An update
/// reads the next rows of a random order that all probes share; each probe uses those of its
/// training rows, so that their number in an update varies around `batch`. A probe that has ended
/// (EarlyStop) keeps the weights of its best evaluation and costs no more time.
std::vector<FittedProbe> train_probes(const at::Tensor& features, const at::Tensor& classes,
                                      int64_t class_count, const std::vector<Probe>& probes,
                                      const ProbeTraining& training);

/// The class of the highest score of each row, [N] int64.
at::Tensor predicted_classes(const FittedProbe& probe, const at::Tensor& features);

}  // namespace lvtext
