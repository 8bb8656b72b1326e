// The inference that computed a model's training data from texts, applied to other texts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/datasets/dataset.h"
#include "framework/core/model/registries.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/store/trained_run.h"

namespace lvtext {

/// The data set of results of inference, without a node.
Dataset dataset_of(const Inferred& inferred);

/// Computes from texts the vectors that a model was trained with, such as embeddings of captions,
/// by the recorded inference (`encode`, and what followed it): with its options, models and other
/// inputs, and other texts. The models compute on the CPU.
class RecordedEncoder {
 public:
  /// Finds the vectors of width `width` among the training data of `run`. `registries` must outlive
  /// it. Throws MissingError if there are none, if they were not computed from texts, or if a node
  /// no longer exists.
  RecordedEncoder(const TrainedRun& run, int64_t width, const Registries& registries);

  /// A row of vectors for each line.
  Dataset encode(const std::vector<std::string>& lines) const;
  /// The column of the vectors.
  const std::string& column() const { return column_; }

 private:
  /// An inference component, its inputs other than `rows`, and how to compute that one.
  struct Stage {
    Configured component;
    Inputs inputs;
    std::string rows;               ///< the input that has the rows
    std::shared_ptr<Stage> source;  ///< null: `rows` are texts
  };
  static std::shared_ptr<Stage> stage_of(const std::filesystem::path& node,
                                         const Registries& registries);
  static Inferred run(const Stage& stage, const std::vector<std::string>& lines);

  std::shared_ptr<Stage> last_;
  std::string column_;
};

}  // namespace lvtext
