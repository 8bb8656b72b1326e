#include "framework/core/model/model_inputs.h"

#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/core/model/required_field.h"

namespace lvtext {

nlohmann::ordered_json to_json(const StreamShapes& streams) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [stream, fields] : streams) {
    auto& list = json[stream] = nlohmann::ordered_json::array();
    for (const ColumnDecl& field : fields) list.push_back(to_json(field));
  }
  return json;
}

StreamShapes stream_shapes_from_json(const nlohmann::json& json) {
  StreamShapes streams;
  for (const auto& [stream, fields] : json.items()) {
    for (const auto& field : fields) streams[stream].push_back(column_from_json(field));
  }
  return streams;
}

const ColumnDecl* ModelInputs::find(const std::string& stream, const std::string& field) const {
  const auto fields = streams.find(stream);
  if (fields == streams.end()) return nullptr;
  const auto found = std::find_if(fields->second.begin(), fields->second.end(),
                                  [&](const ColumnDecl& each) { return each.name == field; });
  return found == fields->second.end() ? nullptr : &*found;
}

const ColumnDecl& ModelInputs::field(const std::string& stream, const std::string& name,
                                     ColumnKind kind) const {
  return required_field(*this, stream, name, kind);
}

const Vocabulary& ModelInputs::vocabulary() const {
  const ColumnDecl* first = nullptr;
  if (const auto fields = streams.find("train"); fields != streams.end()) {
    for (const ColumnDecl& each : fields->second) {
      if (each.kind != ColumnKind::kText) continue;
      if (!first) first = &each;
      if (each.vocabulary == first->vocabulary) continue;
      throw ConfigError("the texts '" + first->name + "' and '" + each.name +
                        "' have different vocabularies, but the model has a single vocabulary; " +
                        "encode them with the same tokenizer");
    }
  }
  return first ? first->vocabulary : vocabulary("train", "text");
}

const Vocabulary& ModelInputs::vocabulary(const std::string& stream,
                                          const std::string& field_name) const {
  return field(stream, field_name, ColumnKind::kText).vocabulary;
}

int64_t ModelInputs::classes(const std::string& stream, const std::string& field_name) const {
  return field(stream, field_name, ColumnKind::kLabel).classes;
}

}  // namespace lvtext
