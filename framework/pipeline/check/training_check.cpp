#include "framework/pipeline/check/training_check.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/datasets/pack_columns.h"
#include "framework/core/model/dataset_loader.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "framework/core/options/option_error.h"
#include "framework/core/tensor/shapes_only.h"
#include "framework/pipeline/nodes/field_mistake.h"
#include "trainers/layout.h"

namespace lvtext {
namespace {

/// Returns the location of an option in the recipe, or of the nearest enclosing mapping; none if
/// neither is present.
std::optional<SourceLocation> written_location(const Node& tree, const std::string& option) {
  std::optional<SourceLocation> location;
  const Node* at = &tree;
  for (const auto& key : split(option, '.')) {
    const Node::Entry* entry = at->find_entry(key);
    if (entry == nullptr) break;
    if (entry->key_location.source) location = entry->key_location;
    at = &entry->value;
  }
  return location;
}

/// Placeholder data shapes, with which a model is built to check its options.
StreamShapes stand_in_shapes() {
  const ColumnDecl text{.vocabulary = {.size = 5, .bos = 1, .eos = 2, .pad = 0, .unk = 3}};
  const ColumnDecl label{.name = "label", .kind = ColumnKind::kLabel, .classes = 2};
  return {{"train", {text, label}}};
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

/// The mistakes that check_fields() reports.
std::vector<FieldMistake> field_mistakes(const Configured& model, const TrainOptions& train,
                                         const std::map<std::string, StreamRecords>& streams,
                                         const std::map<std::string, GivenModel>& given) {
  for (const InputDecl& input : model.inputs) {
    if (!given.contains(input.name)) return {};
  }
  const std::string& name = model.component->about.name;
  std::map<std::string, FieldMistake> mistakes;  // mistake of each stream with data
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

}  // namespace

void check_training(const Configured& model, const TrainOptions& train, const WrittenModel& written,
                    Errors& errors) {
  if (!model.inputs.empty()) return;
  const std::string& name = model.component->about.name;
  const Node options = Node::mapping({{"train", written.train, {}}});
  const auto line_of = [&](const std::string& option) {
    const Node& tree = option.starts_with("train.") ? options : written.own;
    return written_location(tree, option).value_or(written.location);
  };
  try {
    const ShapesOnly shapes;
    const auto made = model.model(ModelInputs{.streams = stand_in_shapes()});
    const Layout layout(*made, train);
    if (written.data)
      check_streams(*written.data, made->streams(), written.location, errors, "data");
  } catch (const OptionError& error) {
    for (const OptionMistake& mistake : error.mistakes) {
      errors.add(line_of(mistake.option),
                 "model '" + name + "': " + mistake.option + ": " + mistake.message);
    }
  } catch (const MissingField&) {
    // The fields of the data are not known yet.
  } catch (const ConfigError& error) {
    errors.add(written.location, "model '" + name + "': " + error.what());
  } catch (const std::exception&) {
    // Not caused by options: errors of the model itself are reported when it is trained.
  }
}

void check_fields(const Configured& model, const TrainOptions& train,
                  const std::map<std::string, StreamRecords>& streams,
                  const SourceLocation& location, Errors& errors,
                  const std::map<std::string, GivenModel>& given) {
  for (const auto& [stream, records] : streams) {
    if (records.sides.empty()) return;  // the records are unknown
  }
  for (const FieldMistake& mistake : field_mistakes(model, train, streams, given)) {
    errors.add(location, mistake.message, mistake.hint);
  }
}

}  // namespace lvtext
