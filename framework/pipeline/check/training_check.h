// Checks that a model can be built and trained with its options and the fields of its data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/core/datasets/records.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/check/stream_references.h"
#include "trainers/options.h"

namespace lvtext {

/// Source of a model in the recipe, for the locations of mistakes in its training.
struct WrittenModel {
  Node own;                                ///< the model's own options
  Node train;                              ///< training options
  SourceLocation location;                 ///< location used if neither is written
  const StreamReferences* data = nullptr;  ///< references by stream; null: not written
};

/// Checks that a model can be built and trained with `train`, without allocating its parameters:
/// mismatched widths, unknown optimizers, too small batches. Adds mistakes to `errors` at the line
/// of the option. Models with other models as inputs are not checked.
void check_training(const Configured& model, const TrainOptions& train, const WrittenModel& written,
                    Errors& errors);

/// The records of a training's stream, described before they are packed.
struct StreamRecords {
  std::string source;                       ///< name in messages: "the data set 'nli'"
  std::vector<std::vector<Records>> sides;  ///< [side][part], without rows (StreamSource)
};

/// A model that will fill an input, and the records that it is trained on, by stream.
struct GivenModel {
  Configured model;
  std::map<std::string, StreamRecords> streams;
};

/// Checks that a model can be built from records with these fields, by stream, reads no others, and
/// can be trained with `train`, without allocating its parameters. `given`: by input; a model with
/// other inputs is checked when it is trained, and so is one with a stream of unknown records. Adds
/// mistakes to `errors` at `location`.
void check_fields(const Configured& model, const TrainOptions& train,
                  const std::map<std::string, StreamRecords>& streams,
                  const SourceLocation& location, Errors& errors,
                  const std::map<std::string, GivenModel>& given = {});

}  // namespace lvtext
