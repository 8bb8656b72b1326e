#include "framework/experiment/recipe_schema.h"

#include <string>

#include "framework/experiment/metric_options.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/encoder_nodes.h"
#include "framework/nodes/lm_nodes.h"
#include "framework/options/recipe.h"
#include "trainers/options.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

Json object_schema(const Schema& schema, const std::string& title) {
  Json json = json_schema(schema, title);
  json.erase("$schema");
  return json;
}

template <class Options>
Json object_schema(const std::string& title) {
  return object_schema(describe<Options>(), title);
}

Json reference(const std::string& definition) {
  return {{"$ref", "#/$defs/" + definition}};
}

/// `into` with the properties that only `from` has, and what it requires.
void add_properties(Json& into, const Json& from) {
  for (const auto& [key, property] : from.at("properties").items()) {
    if (!into["properties"].contains(key)) into["properties"][key] = property;
  }
  if (from.contains("required")) {
    for (const auto& key : from.at("required")) into["required"].push_back(key);
  }
}

/// A mapping of ids.
Json by_id(const Json& value, const std::string& help) {
  return {{"description", help},
          {"type", "object"},
          {"propertyNames", {{"pattern", "^[a-z][a-z0-9_]*$"}, {"maxLength", kLongestName}}},
          {"additionalProperties", value}};
}

/// A row of each model that text is generated with, or real data.
Json rows_schema(const Registries& registries) {
  Json rows = Json::array();
  for (const std::string& name : registries.models.names()) {
    const ModelEntry& model = registries.models.get(name);
    if (model.capabilities == std::vector<std::string>{"embeds_sentences"}) continue;
    Json row = object_schema(model.about.schema, name);
    row["properties"]["model"] = {{"const", name}};
    row["properties"]["label"] = {{"type", Json::array({"string", "number", "boolean"})}};
    row["properties"]["seeds"] = {{"type", "integer"}, {"minimum", 1}, {"maximum", kMostSeeds}};
    row["properties"]["train"] = reference("train");
    row["properties"]["generation"] = reference("generation");
    row["required"].push_back("model");
    rows.push_back(std::move(row));
  }
  rows.push_back({{"title", "real data"},
                  {"type", "object"},
                  {"properties", {{"label", {{"type", Json::array({"string", "number"})}}}}},
                  {"required", Json::array({"label"})},
                  {"additionalProperties", false}});
  return {{"oneOf", rows}};
}

/// A block that names a model beside keys of its own, once for each model that `fits`; the name may
/// be left out for the one that the block has by default.
template <class Block, class Fits>
Json model_block(const Registries& registries, const std::string& title, const Fits& fits) {
  Json blocks = Json::array();
  for (const std::string& name : registries.models.names()) {
    const ModelEntry& model = registries.models.get(name);
    if (!fits(model)) continue;
    Json block = object_schema<Block>(title + ": " + name);
    add_properties(block, object_schema(model.about.schema, name));
    block["properties"]["model"] = {{"const", name}};
    block["properties"]["train"] = reference("train");
    if (name != Block().model) block["required"].push_back("model");
    blocks.push_back(std::move(block));
  }
  return {{"oneOf", blocks}};
}

Json metrics_schema(const Registries& registries) {
  Json metrics = Json::array();
  for (const std::string& name : registries.evaluators.names()) {
    const EvaluatorEntry& evaluator = registries.evaluators.get(name);
    Json metric = object_schema<MetricOptions>(name);
    add_properties(metric, object_schema(evaluator.about.schema, name));
    metric["properties"]["evaluator"] = {{"const", name}};
    metric["properties"]["score"]["enum"] = evaluator.scores;
    metric["properties"]["score"]["enum"].push_back("");
    metric["properties"]["lm"] = reference("lm");
    metric["properties"]["encoder"] = reference("encoder");
    metrics.push_back(std::move(metric));
  }
  return {{"oneOf", metrics}};
}

/// The same schema for a layer that is merged over a recipe: nothing is required, `null` removes,
/// and what names a component may stand in the layer below.
Json layer_of(const Json& schema) {
  Json layer = schema;
  layer.erase("required");
  layer.erase("minItems");
  if (layer.contains("$ref")) {
    layer["$ref"] = layer["$ref"].get<std::string>() + "_layer";
  }
  for (const char* key : {"anyOf", "oneOf"}) {
    if (!schema.contains(key)) continue;
    layer.erase(key);
    for (const Json& choice : schema.at(key)) layer["anyOf"].push_back(layer_of(choice));
  }
  const auto or_null = [](const Json& value) {
    return Json{{"anyOf", Json::array({layer_of(value), Json{{"type", "null"}}})}};
  };
  if (schema.contains("properties")) {
    for (auto& [key, property] : layer["properties"].items()) property = or_null(property);
  }
  if (schema.contains("additionalProperties") && schema.at("additionalProperties").is_object()) {
    layer["additionalProperties"] = or_null(schema.at("additionalProperties"));
  }
  return layer;
}

}  // namespace

Json recipe_schema(const Registries& registries) {
  Json schema = json_schema(describe<RecipeOptions>(), "lvtext recipe");
  Json& properties = schema["properties"];
  const auto help = [&properties](const char* key) {
    return properties.at(key).at("description").template get<std::string>();
  };
  properties["lvtext"]["maximum"] = kRecipeVersion;
  const std::string half = "[A-Za-z0-9][A-Za-z0-9_-]{0," + std::to_string(kLongestName - 1) + "}";
  properties["recipe"]["pattern"] = "^" + half + "/" + half + "$";
  properties["data"] = reference("data");
  properties["train"] = reference("train");
  properties["generation"] = reference("generation");
  properties["models"] = by_id(reference("row"), help("models"));
  properties["evaluate"] = by_id(reference("metric"), help("evaluate"));
  for (const char* key : {"figures", "not_run"}) {
    properties[key] = by_id(properties[key].at("additionalProperties"), help(key));
  }
  properties["table"]["properties"]["columns"]["anyOf"][0]["uniqueItems"] = true;
  Json definitions = {
      {"data", object_schema<DataBlock>("data")},
      {"train", object_schema<TrainOptions>("train")},
      {"generation", object_schema<GenerationOptions>("generation")},
      {"row", rows_schema(registries)},
      {"metric", metrics_schema(registries)},
      {"lm", model_block<LmBlock>(registries, "language model",
                                  [](const ModelEntry& model) {
                                    return model.can("scores_text") && !model.can("encodes");
                                  })},
      {"encoder",
       model_block<EncoderBlock>(registries, "sentence encoder", [](const ModelEntry& model) {
         return model.can("embeds_sentences");
       })}};
  Json profile = schema;
  for (const char* key : {"lvtext", "base", "profiles", "default_profile"}) {
    profile["properties"].erase(key);
  }
  profile.erase("$schema");
  profile["title"] = "profile";
  properties["profiles"] = {
      {"description", help("profiles")},
      {"type", "object"},
      {"propertyNames", {{"pattern", "^" + half + "$"}}},
      {"additionalProperties",
       {{"anyOf", Json::array({layer_of(profile), Json{{"type", "null"}}})}}}};
  // What a recipe leaves out may stand in the one that it is laid on.
  schema.erase("required");
  schema["anyOf"] = Json::array({Json{{"required", Json::array({"lvtext", "recipe"})}},
                                 Json{{"required", Json::array({"base"})}}});
  for (const auto& [name, definition] : definitions.items()) {
    schema["$defs"][name] = definition;
    schema["$defs"][name + "_layer"] = layer_of(definition);
  }
  return schema;
}

}  // namespace lvtext
