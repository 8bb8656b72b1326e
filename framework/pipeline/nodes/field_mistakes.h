// Do the fields of its data fit a model?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/core/data/records.h"
#include "framework/core/model/registries.h"
#include "trainers/options.h"

namespace lvtext {

class Dataset;
class Trainable;

/// The records of a training's stream, described before they are packed.
struct StreamRecords {
  std::string source;                       ///< name in messages: "the data set 'nli'"
  std::vector<std::vector<Records>> sides;  ///< [side][part], without rows (StreamSource)
};

/// A field that a model reads and its data lack, or an option that does not match them.
struct FieldMistake {
  std::string message, hint;
};

/// A model that will fill an input, and the records that it is trained on, by stream.
struct GivenModel {
  Configured model;
  std::map<std::string, StreamRecords> streams;
};

/// Checks that a model can be built from records with these fields, by stream, reads no others, and
/// can be trained with `train`, without allocating its parameters. `given`: by input; a model with
/// other inputs is checked when it is trained.
std::vector<FieldMistake> field_mistakes(const Configured& model, const TrainOptions& train,
                                         const std::map<std::string, StreamRecords>& streams,
                                         const std::map<std::string, GivenModel>& given = {});

/// Throws ConfigError unless the data of every stream (the joined dataset of each side) have the
/// fields that the model reads, with the same kinds.
void check_fields(const Trainable& model, const std::string& name,
                  const std::map<std::string, std::vector<Dataset>>& data);

}  // namespace lvtext
