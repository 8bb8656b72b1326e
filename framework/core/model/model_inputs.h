// Construction-time inputs of a model: seed, data fields and other models.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/datasets/column.h"
#include "framework/core/model/model.h"

namespace lvtext {

/// Fields of the batches of each stream, by stream name. A field is described like the column that
/// it comes from, but has one item: `ragged` is false.
using StreamShapes = std::map<std::string, std::vector<ColumnDecl>>;

nlohmann::ordered_json to_json(const StreamShapes& streams);
/// Throws DataError for invalid fields.
StreamShapes stream_shapes_from_json(const nlohmann::json& json);

/// Thrown by ModelInputs for a missing field. This is an error in training, but not when options
/// are checked before the data is known.
struct MissingField : ConfigError {
  using ConfigError::ConfigError;
};

/// What a model is constructed from in addition to its options: for a training, when its checkpoint
/// is loaded, and for checks before the data is known, where `streams` may lack fields.
struct ModelInputs {
  uint64_t seed = 0;  ///< seed of the initial parameters
  StreamShapes streams = {};
  /// Trained models for the declared inputs, by input name. A model that keeps one must return it
  /// from frozen(), so that the trainer moves it to the device and does not train it.
  std::map<std::string, LoadedModel> models = {};

  /// Returns the field, or null.
  const ColumnDecl* find(const std::string& stream, const std::string& field) const;
  /// Returns the field. Throws MissingField, with the nearest name, if the stream has no such field
  /// of this kind.
  const ColumnDecl& field(const std::string& stream, const std::string& name,
                          ColumnKind kind) const;
  /// Returns the vocabulary shared by all texts of the stream "train". Throws MissingField if there
  /// is no text, ConfigError if two texts have different vocabularies.
  const Vocabulary& vocabulary() const;
  /// Returns the vocabulary of a text. Throws MissingField if the stream has no such text.
  const Vocabulary& vocabulary(const std::string& stream, const std::string& field) const;
  /// Returns the number of classes of a label. Throws MissingField if the stream has no such label.
  int64_t classes(const std::string& stream, const std::string& field) const;

  /// Returns a capability of an input's model. Throws ConfigError if the model lacks it.
  template <class Capability>
  Capability& serve(const std::string& input) const {
    const auto found = models.find(input);
    LVT_ASSERT(found != models.end(), "no model fills the input '" + input + "'");
    return capability_of<Capability>(found->second);
  }
};

}  // namespace lvtext
