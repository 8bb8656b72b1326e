// Artifacts and models of a recipe: their options, training, data and inputs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/component.h"
#include "framework/core/options/options.h"
#include "framework/core/text/tokenizer_fit.h"
#include "framework/pipeline/check/checked_data.h"
#include "framework/pipeline/check/checked_inputs.h"
#include "framework/pipeline/check/checked_references.h"
#include "framework/pipeline/check/names.h"
#include "framework/pipeline/nodes/inline_model.h"
#include "framework/pipeline/recipe/recipe.h"
#include "trainers/options.h"

namespace lvtext {

/// The data of a training, by stream, side and part (StreamSource).
using CheckedStreams = std::map<std::string, std::vector<std::vector<KnownReference>>>;

/// Numbers of rows of given initial weights and of the model's.
enum class InitRows { kEqual, kExtend };
const std::vector<EnumName<InitRows>>& enum_names(InitRows);

/// Initial weights of a training, in place of random ones.
struct InitOptions {
  std::string from;
  std::map<std::string, std::string> rename;
  InitRows rows = InitRows::kEqual;

  template <class V>
  void visit(V& v) {
    v.field("from", from, "another row whose tensors of the same names initialize this model",
            required(), not_empty());
    v.field("rename", rename, "name of a tensor in that row: its name in this model");
    v.field("rows", rows, "tables of this model that have more rows than those of that row");
  }
};

/// `{fit: words, data: news.train, ...}`: a tokenizer that data sets refer to.
struct CheckedTokenizer {
  std::string id;
  Choice<TokenizerFit> fit;
  KnownReference data;  ///< split, or column of a split, that it is fitted to
};

/// An entry of `artifacts` or `models`.
struct CheckedEntry {
  std::string id;
  bool is_model = false;             ///< entry of `models`: trained with the recipe's `train`
  Configured component;              ///< a model, a fitted model or inference
  std::vector<CheckedInput> inputs;  ///< models, or the data that it is fitted to or runs on
  /// Data of a training. Empty: the splits train and valid of the recipe's only data set.
  CheckedStreams data, validate_on;
  std::optional<InitOptions> init;
  KnownReference initial;               ///< the model of `init`
  std::optional<InlineModel> imported;  ///< for `import`: a model with given weights
  std::string reason;                   ///< why it is not computed; empty: it is
  /// For inference over a whole data set: the splits, each of which is processed separately.
  std::vector<std::string> splits;
  TrainOptions train;
  bool has_own_seed = false;  ///< the entry sets `train.seed`
  int64_t seeds = 1;          ///< number of trainings unless set on the command line

  bool is_trained() const { return component.model != nullptr; }
  /// Whether all its trainings have its own seed, whatever the seed of the row.
  bool keeps_seed() const { return has_own_seed && !is_model; }
};

/// The recipe's training options.
struct CheckedTrain {
  TrainOptions options;
  bool is_valid = false;  ///< parsed without errors
};

/// Parses `train`.
CheckedTrain read_train(const CheckContext& context);

/// A model's options merged into the recipe's `model_defaults` that the model has.
Node with_model_defaults(const RecipeOptions& recipe, const Node& own, const Schema& schema);

/// The `label` of an entry; its id if it has none.
std::string label_of(const Node::Entry& entry);

/// Entries of `artifacts` and `models`.
struct CheckedEntries {
  std::vector<CheckedTokenizer> tokenizers;
  std::vector<std::shared_ptr<const CheckedEntry>> entries;  ///< artifacts, then models
};

/// Reads artifacts and models; entries with errors are missing from the result. Also reports
/// `model_defaults` that no model has.
CheckedEntries read_entries(const CheckContext& context, const DataSets& data,
                            References& references, InputParser& inputs, const CheckedTrain& train);

}  // namespace lvtext
