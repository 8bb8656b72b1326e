// What a component is given when it runs: the artifacts that fill its declared inputs, and the
// trainer.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/data/dataset.h"
#include "framework/core/model/data_loader.h"
#include "framework/core/model/model.h"
#include "framework/core/model/train_result.h"
#include "framework/core/statistics/score.h"
#include "framework/core/text/text.h"

namespace lvtext {

/// One line for the person who waits.
using Notify = std::function<void(const std::string&)>;

class Trainable;
struct TrainOptions;

/// Trains a model without writing files (trainers/memory_training.h).
using TrainFunction =
    std::function<MemoryTraining(std::shared_ptr<Trainable>, const TrainOptions&,
                                 const DataLoaders& train, const DataLoaders& validation)>;

/// The scores that fill an input: those of some metrics, each on the same rows.
struct InputScores {
  std::vector<std::string> lines = {};    ///< ids of the rows; one where the metrics are of one row
  std::vector<std::string> metrics = {};  ///< ids of the metrics
  /// [metric][line], with their statistics per sentence. The value is NaN where a row has no such
  /// score. Ids serve messages only: other recipes, with other ids, may read what is computed here.
  std::vector<std::vector<Score>> scores = {};
};

/// Artifacts by the names of inputs. Asking for one that was not declared is a bug of the component
/// (std::logic_error); an optional one may be missing.
class Inputs {
 public:
  void add(const std::string& input, Text text) { texts_[input].push_back(std::move(text)); }
  /// A ragged column of texts: where the items of each row begin, and the number of all.
  void add_rows(const std::string& input, std::vector<int64_t> rows) {
    rows_[input] = std::move(rows);
  }
  void add(const std::string& input, LoadedModel model) { models_[input] = std::move(model); }

  void add(const std::string& input, std::map<std::string, at::Tensor> tensors) {
    tensors_[input] = std::move(tensors);
  }
  void add(const std::string& input, InputScores scores) { scores_[input] = std::move(scores); }
  /// `of_parents`: of several that are joined, see Dataset::join().
  void add(const std::string& input, Dataset dataset, bool of_parents = false) {
    datasets_[input].push_back(std::move(dataset));
    of_parents_[input].push_back(of_parents);
  }

  bool has(const std::string& input) const {
    return texts_.contains(input) || models_.contains(input) || tensors_.contains(input) ||
           datasets_.contains(input) || scores_.contains(input);
  }
  /// The text of an input that takes one.
  const Text& text(const std::string& input) const;
  /// The texts of an input that takes many; empty if there are none.
  std::vector<Text> texts(const std::string& input) const;
  /// Of a text that is a ragged column: where the items of each row begin in it, and their number;
  /// empty for all others.
  const std::vector<int64_t>& rows(const std::string& input) const;
  const LoadedModel& model(const std::string& input) const;
  const std::map<std::string, at::Tensor>& tensors(const std::string& input) const;
  const InputScores& scores(const std::string& input) const;
  /// The datasets of an input that takes many; empty if there are none.
  std::vector<Dataset> datasets(const std::string& input) const;
  /// The dataset of an input; the columns of several stand side by side. Throws DataError if two of
  /// them share the name of a column.
  Dataset dataset(const std::string& input) const;

  /// A capability of the input's model. Throws ConfigError if the model lacks it.
  template <class Capability>
  Capability& serve(const std::string& input) const {
    const LoadedModel& loaded = model(input);
    auto* capability = dynamic_cast<Capability*>(loaded.model.get());
    if (capability) return *capability;
    throw ConfigError("the model '" + loaded.component + "' lacks the capability " +
                      Capability::kName);
  }

  void set_trainer(TrainFunction train) { train_ = std::move(train); }
  /// Trains a model by the one trainer, in memory: for evaluators that judge by what can be
  /// learned. The model then holds the selected weights. Throws ConfigError for options that do not
  /// fit it, std::logic_error where the component is no evaluator.
  MemoryTraining train(std::shared_ptr<Trainable> model, const TrainOptions& options,
                       const DataLoaders& train, const DataLoaders& validation) const;

 private:
  std::map<std::string, std::vector<Text>> texts_;
  std::map<std::string, LoadedModel> models_;
  std::map<std::string, std::map<std::string, at::Tensor>> tensors_;
  std::map<std::string, InputScores> scores_;
  std::map<std::string, std::vector<Dataset>> datasets_;
  std::map<std::string, std::vector<bool>> of_parents_;  ///< of these
  std::map<std::string, std::vector<int64_t>> rows_;
  TrainFunction train_;
};

/// A text as the model of the input reads it: the text's own ids where both have one tokenizer,
/// else its lines, encoded.
std::vector<TokenIds> ids_for(const LoadedModel& model, const Text& text);

}  // namespace lvtext
