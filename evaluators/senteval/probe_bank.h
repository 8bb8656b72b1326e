// Classifiers on one table of features, trained together.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// One classifier of a bank.
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
  int64_t hidden = 0;  ///< H: units of a hidden layer of sigmoids; 0: logistic regression
  int64_t seed = 1111;

  /// Declares the options of the training, except for those of the layer and the seed.
  template <class V>
  void visit_training(V& v) {
    v.field("batch", batch, "rows in an update of a classifier", in_range(1, 65536));
    v.field("lr", lr, "learning rate of Adam", Bounds{0, 1, /*low_open=*/true, false});
    v.field("epoch_size", epoch_size, "passes between evaluations of a classifier",
            in_range(1, 1000));
    v.field("tenacity", tenacity,
            "evaluations without improvement after which the next one ends the training",
            in_range(0, 1000));
    v.field("max_passes", max_passes, "passes after which a training ends", in_range(1, 1000000));
  }
  /// Parts of a score's signature: "|adam,lr:0.001,batch:64,seed:1111", and followed by the rule by
  /// which a training ends.
  std::string optimizer_signature() const;
  std::string signature() const;
};

/// A trained classifier: scores are x weight^T + bias, where x are the features or, with a hidden
/// layer, sigmoid(features hidden_weight^T + hidden_bias).
struct FittedProbe {
  at::Tensor weight;  ///< [C, D] or [C, H], in the dtype of the features
  at::Tensor bias;    ///< [C]
  at::Tensor hidden_weight = {}, hidden_bias = {};  ///< [H, D], [H]; undefined without the layer
  double dev_accuracy = 0;
  int64_t passes = 0;  ///< over the training rows, when its training ended
};

/// Trains probes with softmax and mean cross-entropy by Adam, as SentEval trains one (MLP without
/// dropout), but all at once: features [N, D] float or double, classes [N] int64 in [0, C). An
/// update reads the next rows of a random order that all probes share; each probe uses those of its
/// training rows, so that their number in an update varies around `batch`. A probe that has ended
/// (EarlyStop) keeps the weights of its best evaluation and costs no more time.
std::vector<FittedProbe> train_probes(const at::Tensor& features, const at::Tensor& classes,
                                      int64_t class_count, const std::vector<Probe>& probes,
                                      const ProbeTraining& training);

/// SentEval's choice among weight decays: the first of the largest accuracies, in percent with two
/// decimals.
size_t best_decay(const std::vector<double>& accuracies);

/// The classifier of the weight decay that the accuracies on the dev rows select.
FittedProbe selected_probe(const at::Tensor& features, const at::Tensor& classes,
                           int64_t class_count, const at::Tensor& train, const at::Tensor& dev,
                           const std::vector<double>& l2, const ProbeTraining& training);

/// The class of the highest score of each row, [N] int64.
at::Tensor predicted_classes(const FittedProbe& probe, const at::Tensor& features);

}  // namespace lvtext
