// SentEval's protocols of classification: which rows train, select and test a classifier.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "evaluators/senteval/probe_bank.h"

namespace lvtext {

/// Rows with classes and their splits.
struct ClassifiedTask {
  at::Tensor label;                    ///< [N] int64 in [0, classes)
  int64_t classes = 0;                 ///< number of classes
  at::Tensor train, valid, test = {};  ///< [N] bool; no row of `valid` or `test`: without the split
};

/// Predicted classes of a task's scored rows.
struct Classified {
  at::Tensor predicted;  ///< [N] int64, valid where `scored` is true
  at::Tensor scored;     ///< [N] bool
  at::Tensor folds;      ///< [N] int64; undefined without nested folds
};

/// Classifies rows [N, D]: without test rows, each of `folds` folds of the training rows by a
/// classifier of the others; with validation rows, these select the weight decay among `l2`; else
/// folds of the training rows do. The seed of `training` determines folds and orders.
Classified classify(const at::Tensor& features, const ClassifiedTask& task, int64_t folds,
                    const std::vector<double>& l2, const ProbeTraining& training);

}  // namespace lvtext
