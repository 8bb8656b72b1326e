#include "framework/pipeline/nodes/field_mistake.h"

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/dataset_loader.h"

namespace lvtext {

FieldMistake field_mistake(const std::string& model, const StreamDecl& stream,
                           const std::vector<ColumnDecl>& fields, const std::string& source) {
  std::map<std::string, ColumnKind> have;
  std::vector<std::string> names, lacking, texts;
  for (const ColumnDecl& field : fields) {
    have[field.name] = field.kind;
    if (field.kind == ColumnKind::kText) texts.push_back(field.name);
  }
  for (const auto& [field, kind] : have) names.push_back(field);
  const std::string reads = "model '" + model + "' reads the field";
  for (const FieldDecl& field : stream.fields) {
    const auto found = have.find(field.name);
    if (found == have.end()) {
      lacking.push_back("'" + field.name + "'");
    } else if (found->second != field.kind) {
      return {reads + " '" + field.name + "' as " + enum_name(field.kind) + "; its kind in " +
                  source + " is " + enum_name(found->second),
              ""};
    }
  }
  if (lacking.empty()) return {};
  const bool is_choice = lacking == std::vector<std::string>{"'text'"} && !texts.empty();
  return {reads + (lacking.size() > 1 ? "s " : " ") + join(lacking) + "; " + source + " has " +
              join(names),
          is_choice
              ? "select one text, such as `columns: [" + texts.front() + "]` of a derived data set"
              : ""};
}

void check_fields(const Trainable& model, const std::string& name, const StreamData& data) {
  for (const StreamDecl& stream : model.streams()) {
    const auto fields = field_shapes(data_of(stream, data));
    const FieldMistake mistake = field_mistake(name, stream, fields, "its data");
    if (!mistake.message.empty()) throw ConfigError(mistake.message);
  }
}

}  // namespace lvtext
