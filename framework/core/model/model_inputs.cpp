#include "framework/core/model/model_inputs.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "framework/core/base/strings.h"

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
  const ColumnDecl* found = find(stream, name);
  if (found && found->kind == kind) return *found;
  std::vector<std::string> have, fitting;
  if (const auto fields = streams.find(stream); fields != streams.end()) {
    for (const auto& each : fields->second) {
      have.push_back(each.name + " (" + enum_name(each.kind) + ")");
      if (each.kind == kind) fitting.push_back(each.name);
    }
  }
  const auto near = nearest(name.substr(0, 100), fitting);
  throw MissingField("the data of the stream '" + stream + "' has no " + enum_name(kind) + " '" +
                     name + (near ? "'; did you mean '" + *near + "'? It has " : "'; it has ") +
                     (have.empty() ? "no fields" : join(have)));
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
