// What surrounds a model when it is built.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/data/column.h"
#include "framework/core/model/model.h"

namespace lvtext {

/// The fields of the batches of each stream, by the streams' names. A field is described as the
/// column that it comes from, but has one item: `ragged` is false.
using StreamShapes = std::map<std::string, std::vector<ColumnDecl>>;

nlohmann::ordered_json to_json(const StreamShapes& streams);
/// Throws DataError for what no fields can be.
StreamShapes stream_shapes_from_json(const nlohmann::json& json);

/// Thrown by ModelInputs for a field that is not there: a mistake where a model is trained, none
/// where its options are checked and its data are not known yet.
struct MissingField : ConfigError {
  using ConfigError::ConfigError;
};

struct ModelInputs {
  uint64_t seed = 0;  ///< of the initial parameters
  StreamShapes streams = {};
  /// Finished models that fill the inputs that it declares, by their names. A model that keeps one
  /// returns it from frozen(), so that it is moved along and never trained.
  std::map<std::string, LoadedModel> models = {};

  /// The field, or null.
  const ColumnDecl* find(const std::string& stream, const std::string& field) const;
  /// The vocabulary that all texts of the stream "train" share. Throws MissingField without a text,
  /// ConfigError if two texts have different vocabularies.
  const Vocabulary& vocabulary() const;
  /// The vocabulary of a text. Throws MissingField if the stream has no such text.
  const Vocabulary& vocabulary(const std::string& stream, const std::string& field) const;
  /// The classes of a label. Throws MissingField if the stream has no such label.
  int64_t classes(const std::string& stream, const std::string& field) const;

  /// A capability of an input's model. Throws ConfigError if the model lacks it.
  template <class Capability>
  Capability& serve(const std::string& input) const {
    const auto found = models.find(input);
    LVT_ASSERT(found != models.end(), "no model fills the input '" + input + "'");
    auto* capability = dynamic_cast<Capability*>(found->second.model.get());
    if (capability) return *capability;
    throw ConfigError("the model '" + found->second.component + "' lacks the capability " +
                      Capability::kName);
  }

 private:
  const ColumnDecl& field(const std::string& stream, const std::string& name,
                          ColumnKind kind) const;
};

}  // namespace lvtext
