#include "framework/pipeline/nodes/field_mistakes.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/data/pack_columns.h"
#include "framework/core/model/dataset_loader.h"
#include "framework/core/options/option_error.h"
#include "framework/core/tensor/shapes_only.h"
#include "framework/pipeline/nodes/training_data.h"
#include "trainers/layout.h"

namespace lvtext {
namespace {

/// The problem of the fields of a stream from `source` for the model that reads it; without a
/// message if there is none.
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

/// The fields of the batches from described records, with a placeholder vocabulary.
std::vector<ColumnDecl> field_shapes(const StreamRecords& records) {
  const Vocabulary stand_in{.size = 5, .bos = 1, .eos = 2, .pad = 0, .unk = 3};
  std::vector<ColumnDecl> fields;
  for (size_t side = 0; side < records.sides.size(); ++side) {
    for (const Records& part : records.sides[side]) {
      for (ColumnDecl field : columns_of(part, stand_in)) {
        field.name = field_name(field.name, side, records.sides.size());
        field.ragged = false;
        fields.push_back(std::move(field));
      }
    }
  }
  return fields;
}

}  // namespace

void check_fields(const Trainable& model, const std::string& name, const StreamData& data) {
  for (const StreamDecl& stream : model.streams()) {
    const auto fields = field_shapes(data_of(stream, data));
    const FieldMistake mistake = field_mistake(name, stream, fields, "its data");
    if (!mistake.message.empty()) throw ConfigError(mistake.message);
  }
}

std::vector<FieldMistake> field_mistakes(const Configured& model, const TrainOptions& train,
                                         const std::map<std::string, StreamRecords>& streams,
                                         const std::map<std::string, GivenModel>& given) {
  for (const InputDecl& input : model.inputs) {
    if (!given.contains(input.name)) return {};
  }
  const std::string& name = model.component->about.name;
  std::map<std::string, FieldMistake> mistakes;  // by stream with data
  ModelInputs inputs;
  for (const auto& [stream, records] : streams) inputs.streams[stream] = field_shapes(records);
  try {
    const ShapesOnly shapes;
    for (const auto& [input, filling] : given) {
      ModelInputs own;
      for (const auto& [stream, records] : filling.streams) {
        own.streams[stream] = field_shapes(records);
      }
      inputs.models[input] = {.component = filling.model.component->about.name,
                              .model = filling.model.model(own)};
    }
    const auto made = model.model(inputs);
    for (const StreamDecl& stream : made->streams()) {
      const std::string& key = stream.rows_of.empty() ? stream.name : stream.rows_of;
      const auto records = streams.find(key);
      if (records == streams.end()) continue;  // reported by check_streams()
      FieldMistake mistake =
          field_mistake(name, stream, inputs.streams.at(key), records->second.source);
      if (!mistake.message.empty()) mistakes.emplace(key, std::move(mistake));
    }
    if (mistakes.empty()) const Layout layout(*made, train);
  } catch (const MissingField& error) {
    return {{"model '" + name + "': " + error.what(), ""}};
  } catch (const OptionError& error) {
    std::vector<FieldMistake> options;
    for (const OptionMistake& each : error.mistakes) {
      options.push_back({"model '" + name + "': " + each.option + ": " + each.message, ""});
    }
    return options;
  } catch (const std::exception&) {
    // Not caused by missing fields: reported by check_training(), or when the model is trained.
  }
  std::vector<FieldMistake> all;
  for (auto& [stream, mistake] : mistakes) all.push_back(std::move(mistake));
  return all;
}

}  // namespace lvtext
