#include "framework/experiment/recipe_schema.h"

#include <string>

#include "framework/experiment/checked_recipe.h"
#include "framework/experiment/reference.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/inline_model.h"
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

Json definition_of(const std::string& definition) {
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

/// What may fill an input: a reference, or one of the models that fit, written in its place.
Json input_schema(const Registries& registries, const InputDecl& input) {
  // A text, or the model of a row: of the one that is scored, or of one by its id.
  const bool is_model = input.type == ArtifactType::kModel;
  const Json text = {{"type", "string"}, {"pattern", "^(data|row)\\."}};
  const Json trained = {{"type", "string"}, {"pattern", "^(row\\.model|[a-z][a-z0-9_]*)$"}};
  Json choices = Json::array();
  if (is_model) choices.push_back(trained);
  if (input.type == ArtifactType::kText) choices.push_back(text);
  const Json metric = {{"type", "string"},
                       {"pattern", "^[a-z][a-z0-9_]*(\\[.*\\])?(\\.[a-z0-9_]+)?$"}};
  const bool is_scores = input.type == ArtifactType::kScores;
  if (is_scores) choices.push_back(metric);
  const auto add_inline = [&](const char* key, const Component& component) {
    const std::string& name = component.about.name;
    Json inlined = object_schema(component.about.schema, input.name + ": " + name);
    inlined["properties"][key] = {{"const", name}};
    inlined["properties"]["inputs"] = {{"type", "object"}};
    inlined["properties"]["data"] = text;
    // A component of the input's default need not be named again.
    const Node* usual = input.by_default.find(key);
    if (!usual || usual->text() != name) inlined["required"].push_back(key);
    choices.push_back(std::move(inlined));
  };
  for (const std::string& name : registries.inference.names()) {
    const Component& component = registries.inference.get(name);
    if (component.gives == input.type) add_inline("infer", component);
  }
  if (input.arity == InputDecl::Arity::kMany) {
    choices.push_back({{"type", "array"}, {"items", is_scores ? metric : text}});
  }
  for (const std::string& name : registries.models.names()) {
    const Component& model = registries.models.get(name);
    if (!is_model || !misfit(input, model).empty()) continue;
    if (model.is_fitted) {
      add_inline("fit", model);
      continue;
    }
    Json inlined = object_schema<InlineOptions>(input.name + ": " + name);
    add_properties(inlined, object_schema(model.about.schema, name));
    inlined["properties"]["model"] = {{"enum", Json::array({name, ""})}};
    inlined["properties"]["import"] = {{"enum", Json::array({name, ""})}};
    inlined["anyOf"] = Json::array({Json{{"required", Json::array({"model"})}},
                                    Json{{"required", Json::array({"import", "weights"})}}});
    inlined["properties"]["train"] = definition_of("train");
    inlined["properties"]["data"] = {
        {"anyOf", Json::array({text, object_schema<InlineText>("sentences of a text"),
                               definition_of("data")})}};
    // The model that the input has by default need not be named.
    const Node* usual = input.by_default.find("model");
    if (usual && usual->text() == name) inlined.erase("anyOf");
    choices.push_back(std::move(inlined));
  }
  return {{"description", input.help}, {"anyOf", choices}};
}

/// The inputs of a component by their names.
Json inputs_schema(const Registries& registries, const Component& component, const Json& help) {
  Json inputs = {{"description", help},
                 {"type", "object"},
                 {"properties", Json::object()},
                 {"additionalProperties", false}};
  for (const InputDecl& input : usual_inputs(component)) {
    inputs["properties"][input.name] = input_schema(registries, input);
  }
  return inputs;
}

/// A row of each model that text is generated with, or real data.
Json rows_schema(const Registries& registries) {
  Json rows = Json::array();
  for (const std::string& name : registries.models.names()) {
    const Component& model = registries.models.get(name);
    if (model.capabilities == std::vector<std::string>{"embeds_sentences"}) continue;
    Json row = object_schema(model.about.schema, name);
    const char* key = model.is_fitted ? "fit" : "model";
    row["properties"][key] = {{"const", name}};
    row["properties"]["label"] = {{"type", Json::array({"string", "number", "boolean"})}};
    row["properties"]["seeds"] = {{"type", "integer"}, {"minimum", 1}, {"maximum", kMostSeeds}};
    if (!model.is_fitted) {
      const Json source = {{"type", Json::array({"string", "array", "object"})}};
      row["properties"]["train"] = definition_of("train");
      row["properties"]["data"] = source;
      row["properties"]["validate_on"] = source;
      row["properties"]["init"] = object_schema<InitOptions>("where training begins");
    }
    row["properties"]["generation"] = definition_of("generation");
    if (!usual_inputs(model).empty()) {
      row["properties"]["inputs"] =
          inputs_schema(registries, model, "what the model is given: ids of rows above, texts");
    }
    if (model.is_fitted) row["properties"]["data"] = {{"type", "string"}};
    row["required"].push_back(key);
    rows.push_back(std::move(row));
  }
  rows.push_back({{"title", "texts without a model"},
                  {"type", "object"},
                  {"properties", {{"label", {{"type", Json::array({"string", "number"})}}}}},
                  {"minProperties", 1},
                  {"not",
                   {{"anyOf", Json::array({Json{{"required", Json::array({"model"})}},
                                           Json{{"required", Json::array({"fit"})}}})}}},
                  {"additionalProperties", {{"type", "string"}, {"pattern", "^data\\."}}}});
  return {{"oneOf", rows}};
}

Json metrics_schema(const Registries& registries) {
  Json metrics = Json::array();
  for (const std::string& name : registries.evaluators.names()) {
    const Component& evaluator = registries.evaluators.get(name);
    Json metric = object_schema<MetricOptions>(name);
    add_properties(metric, object_schema(evaluator.about.schema, name));
    metric["properties"]["evaluator"] = {{"const", name}};
    metric["properties"]["score"]["enum"] = evaluator.scores;
    metric["properties"]["score"]["enum"].push_back("");
    const Json help = metric["properties"]["inputs"]["description"];
    metric["properties"]["inputs"] = inputs_schema(registries, evaluator, help);
    metrics.push_back(std::move(metric));
  }
  return {{"oneOf", metrics}};
}

Json figures_schema(const Registries& registries) {
  Json figures = Json::array();
  for (const std::string& name : registries.figures.names()) {
    const Component& kind = registries.figures.get(name);
    Json figure = object_schema<FigureOptions>(name);
    add_properties(figure, object_schema(kind.about.schema, name));
    figure["properties"]["figure"] = {{"const", name}};
    const Json help = figure["properties"]["inputs"]["description"];
    figure["properties"]["inputs"] = inputs_schema(registries, kind, help);
    figures.push_back(std::move(figure));
  }
  return {{"oneOf", figures}};
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
  properties["data"] = definition_of("data");
  properties["train"] = definition_of("train");
  properties["generation"] = definition_of("generation");
  properties["models"] = by_id(definition_of("row"), help("models"));
  properties["evaluate"] = by_id(definition_of("metric"), help("evaluate"));
  properties["figures"] = by_id(definition_of("figure"), help("figures"));
  properties["not_run"] = by_id(properties["not_run"].at("additionalProperties"), help("not_run"));
  properties["table"]["properties"]["columns"]["anyOf"][0]["uniqueItems"] = true;
  Json definitions = {{"data", object_schema<DataBlock>("data")},
                      {"train", object_schema<TrainOptions>("train")},
                      {"generation", object_schema<GenerationOptions>("generation")},
                      {"row", rows_schema(registries)},
                      {"metric", metrics_schema(registries)},
                      {"figure", figures_schema(registries)}};
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
