// Run-time inputs of a component: the artifacts of its declared inputs, and the trainer.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset.h"
#include "framework/core/datasets/records.h"
#include "framework/core/model/data_loader.h"
#include "framework/core/model/model.h"
#include "framework/core/model/train_result.h"
#include "framework/core/statistics/score.h"
#include "framework/core/text/text.h"

namespace lvtext {

/// Reports progress to the user, one line per call.
using Notify = std::function<void(const std::string&)>;

class Trainable;
struct TrainOptions;

/// Trains a model without writing files (trainers/memory_training.h).
using TrainFunction =
    std::function<MemoryTraining(std::shared_ptr<Trainable>, const TrainOptions&,
                                 const DataLoaders& train, const DataLoaders& validation)>;

/// Scores of some metrics on the same rows, as the value of an input.
struct InputScores {
  std::vector<std::string> lines = {};    ///< ids of the rows; one for metrics of a single row
  std::vector<std::string> metrics = {};  ///< ids of the metrics
  /// [metric][line], with statistics per sentence. The value is NaN for rows without this score.
  /// Ids must only be used in messages: recipes with other ids may reuse the cached results.
  std::vector<std::vector<Score>> scores = {};
};

/// The records of a data set by the names of its splits.
using SplitRecords = std::map<std::string, Records>;

/// Artifacts by the names of inputs. Requesting an undeclared input throws std::logic_error, as it
/// is a bug in the component; an optional input may be missing.
class Inputs {
 public:
  void add(const std::string& input, Text text) { texts_[input].push_back(std::move(text)); }
  /// For a ragged column of texts: the index of the first item of each row, and the total number of
  /// items.
  void add_rows(const std::string& input, std::vector<int64_t> rows) {
    rows_[input] = std::move(rows);
  }
  void add(const std::string& input, LoadedModel model) {
    models_[input].push_back(std::move(model));
  }
  void add(const std::string& input, std::map<std::string, at::Tensor> tensors) {
    tensors_[input] = std::move(tensors);
  }
  void add(const std::string& input, InputScores scores) { scores_[input] = std::move(scores); }
  void add(const std::string& input, SplitRecords records) { records_[input] = std::move(records); }
  /// Reads the texts of a column of a dataset, all items row by row.
  using ColumnReader = std::function<Text(const std::string& column)>;
  /// `of_parents`: see Dataset::join(). `tokenizer`: that of its texts; null if it has no texts.
  /// `texts`: reads its texts; without it, they are decoded from the dataset.
  void add(const std::string& input, Dataset dataset, bool of_parents = false,
           std::shared_ptr<const Tokenizer> tokenizer = nullptr, ColumnReader texts = {}) {
    datasets_[input].push_back(
        {std::move(dataset), of_parents, std::move(tokenizer), std::move(texts)});
  }

  bool has(const std::string& input) const {
    return texts_.contains(input) || models_.contains(input) || tensors_.contains(input) ||
           datasets_.contains(input) || scores_.contains(input) || records_.contains(input);
  }
  /// The text of a single-valued input.
  const Text& text(const std::string& input) const;
  /// The texts of a multi-valued input; may be empty.
  std::vector<Text> texts(const std::string& input) const;
  /// For texts from a ragged column: the index of the first item of each row, and the total number
  /// of items; otherwise empty.
  const std::vector<int64_t>& rows(const std::string& input) const;
  /// The model of a single-valued input.
  const LoadedModel& model(const std::string& input) const;
  /// The models of a multi-valued input; may be empty.
  const std::vector<LoadedModel>& models(const std::string& input) const;
  const std::map<std::string, at::Tensor>& tensors(const std::string& input) const;
  const InputScores& scores(const std::string& input) const;
  const SplitRecords& records(const std::string& input) const;
  /// The datasets of a multi-valued input; may be empty.
  std::vector<Dataset> datasets(const std::string& input) const;
  /// The dataset of an input; the columns of several datasets are joined. Throws DataError for
  /// duplicate column names.
  Dataset dataset(const std::string& input) const;
  /// The texts of a column of dataset(input), with their tokenizer; all items of a ragged column,
  /// row by row. Throws DataError if there is no such column or it is not a text column.
  Text text(const std::string& input, const std::string& column) const;

  /// Returns a capability of the input's model. Throws ConfigError if the model lacks it.
  template <class Capability>
  Capability& serve(const std::string& input) const {
    return capability_of<Capability>(model(input));
  }

  void set_trainer(TrainFunction train) { train_ = std::move(train); }
  /// Trains a model in memory, for evaluators that measure what can be learned from data.
  /// Afterwards the model has the selected weights. Throws ConfigError for options that are invalid
  /// for the model, std::logic_error if the component is not an evaluator.
  MemoryTraining train(std::shared_ptr<Trainable> model, const TrainOptions& options,
                       const DataLoaders& train, const DataLoaders& validation) const;

 private:
  struct GivenDataset {
    Dataset dataset;
    bool of_parents;
    std::shared_ptr<const Tokenizer> tokenizer;  ///< tokenizer of its texts
    ColumnReader texts;                          ///< unset: the texts are decoded
  };

  std::map<std::string, std::vector<Text>> texts_;
  std::map<std::string, std::vector<LoadedModel>> models_;
  std::map<std::string, std::map<std::string, at::Tensor>> tensors_;
  std::map<std::string, InputScores> scores_;
  std::map<std::string, std::vector<GivenDataset>> datasets_;
  std::map<std::string, std::vector<int64_t>> rows_;
  TrainFunction train_;
  std::map<std::string, SplitRecords> records_;
};

/// All items of a text column, row by row. Throws DataError if it is not a text column.
Text text_of(const DatasetColumn& column, std::shared_ptr<const Tokenizer> tokenizer);

/// Returns the token ids of a text for a model: the text's own ids if both have the same tokenizer,
/// otherwise its lines encoded with the model's tokenizer.
std::vector<TokenIds> ids_for(const LoadedModel& model, const Text& text);

}  // namespace lvtext
