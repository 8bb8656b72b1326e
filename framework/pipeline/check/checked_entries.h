// Artifacts and models of a recipe: their options, training, data and inputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/pipeline/check/checked_inputs.h"

namespace lvtext {

/// The recipe's training options.
struct CheckedTrain {
  TrainOptions options;
  bool is_valid = false;  ///< parsed without errors
};

/// Parses `train`.
CheckedTrain read_train(const CheckContext& context);

/// The `label` of an entry; its id if it has none.
std::string label_of(const Node::Entry& entry);

/// Entries of `artifacts` and `models`.
struct CheckedEntries {
  std::vector<CheckedTokenizer> tokenizers;
  std::vector<std::shared_ptr<const CheckedEntry>> entries;  ///< of artifacts, then of models
};

/// Reads artifacts and models; entries with errors are missing from the result. Also reports
/// `model_defaults` that no model has.
CheckedEntries read_entries(const CheckContext& context, const DataSets& data,
                            References& references, InputParser& inputs, const CheckedTrain& train);

}  // namespace lvtext
