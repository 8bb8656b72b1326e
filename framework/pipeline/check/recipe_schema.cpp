#include "framework/pipeline/check/recipe_schema.h"

#include <string>

#include "framework/pipeline/check/checked_data.h"
#include "framework/pipeline/check/checked_entries.h"
#include "framework/pipeline/check/inline_models.h"
#include "framework/pipeline/check/usual_inputs.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/recipe/metric_options.h"
#include "framework/pipeline/recipe/recipe.h"
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

/// `into` with the properties that only `from` has, and the keys that `from` requires.
void add_properties(Json& into, const Json& from) {
  for (const auto& [key, property] : from.at("properties").items()) {
    if (!into["properties"].contains(key)) into["properties"][key] = property;
  }
  if (from.contains("required")) {
    for (const auto& key : from.at("required")) into["required"].push_back(key);
  }
}

constexpr const char* kReference = "^[a-z][a-z0-9_]*(\\[[^\\[\\]]+\\])?(\\.\\S+)?(@\\S+)?$";

/// A mapping by ids, which may be ids of members.
Json by_id(const Json& value, const std::string& help) {
  const std::string longest = std::to_string(kMaxNameLength - 1);
  return {
      {"description", help},
      {"type", "object"},
      {"propertyNames", {{"pattern", "^[a-z][a-z0-9_]{0," + longest + "}(\\[[^\\[\\]]+\\])?$"}}},
      {"additionalProperties", value}};
}

/// An entry, or a loop in which `$axis` may replace any value.
Json or_loop(const Json& entry) {
  const Json over = {{"type", Json::array({"string", "array"})}};
  const Json loop = {
      {"type", "object"}, {"properties", {{"over", over}}}, {"required", Json::array({"over"})}};
  return {{"anyOf", Json::array({entry, loop})}};
}

/// An entry with the keys of its component, which one of `keys` names.
Json entry_of(const std::vector<std::string>& keys) {
  Json named = Json::array();
  for (const auto& key : keys) named.push_back({{"required", Json::array({key})}});
  Json entry = {{"type", "object"}};
  if (!keys.empty()) entry["anyOf"] = named;
  return entry;
}

/// A source of data or of a text: a reference, an inline component or data set, or a list of them.
Json source_schema() {
  return {{"anyOf", Json::array({Json{{"type", "string"}, {"pattern", kReference}},
                                 Json{{"type", Json::array({"array", "object"})}}})}};
}

/// Valid values of an input: a reference, or an inline model with the required capabilities.
Json input_schema(const Registries& registries, const InputDecl& input) {
  // A text, or the model of a row: of the scored row, or of a row named by its id.
  const bool is_model = input.type == ArtifactType::kModel;
  const Json text = {{"type", "string"}, {"pattern", kReference}};
  Json choices = Json::array();
  choices.push_back(text);
  const auto add_inline = [&](const char* key, const Component& component) {
    const std::string& name = component.about.name;
    Json inlined = object_schema(component.about.schema, input.name + ": " + name);
    inlined["properties"][key] = {{"const", name}};
    inlined["properties"]["inputs"] = {{"type", "object"}};
    inlined["properties"]["data"] = source_schema();
    // The component of the input's default may be omitted.
    const Node* usual = input.by_default.find(key);
    if (!usual || usual->text() != name) inlined["required"].push_back(key);
    choices.push_back(std::move(inlined));
  };
  for (const std::string& name : registries.inference.names()) {
    const Component& component = registries.inference.get(name);
    if (component.gives == input.type) add_inline("infer", component);
  }
  if (input.takes_list()) {
    choices.push_back({{"type", "array"}, {"items", text}});
  }
  if (is_model) {
    choices.push_back({{"type", "object"},
                       {"properties", {{"run", {{"type", "string"}}}}},
                       {"required", Json::array({"run"})},
                       {"additionalProperties", false}});
  }
  for (const std::string& name : registries.models.names()) {
    const Component& model = registries.models.get(name);
    if (!is_model || !capability_mismatch(input, model).empty()) continue;
    if (model.is_fitted) {
      add_inline("fit", model);
      continue;
    }
    Json inlined = object_schema<InlineOptions>(input.name + ": " + name);
    add_properties(inlined, object_schema(model.about.schema, name));
    inlined["properties"]["run"] = {{"enum", Json::array({""})}};
    inlined["properties"]["model"] = {{"enum", Json::array({name, ""})}};
    inlined["properties"]["import"] = {{"enum", Json::array({name, ""})}};
    inlined["anyOf"] = Json::array({Json{{"required", Json::array({"model"})}},
                                    Json{{"required", Json::array({"import", "weights"})}}});
    inlined["properties"]["train"] = definition_of("train");
    inlined["properties"]["data"] = {
        {"anyOf", Json::array({text, object_schema<InlineText>("sentences of a text"),
                               definition_of("data")})}};
    // The default model of the input may be omitted.
    const Node* usual = input.by_default.find("model");
    if (usual && usual->text() == name) inlined.erase("anyOf");
    choices.push_back(std::move(inlined));
  }
  return {{"description", input.help}, {"anyOf", choices}};
}

/// The inputs of a component by name.
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

/// The generation of a row: inference by its own name, or under another id with `infer`.
Json generation_schema(const Registries& registries, const std::string& help) {
  Json schema = by_id(or_loop(entry_of({"infer"})), help);
  for (const std::string& name : registries.inference.names()) {
    Json entry = object_schema(registries.inference.get(name).about.schema, name);
    entry.erase("required");
    entry["properties"]["infer"] = {{"const", name}};
    entry["properties"]["inputs"] = {{"type", "object"}};
    for (const char* key : {"data", "model"}) entry["properties"][key] = source_schema();
    schema["properties"][name] = {{"anyOf", Json::array({entry, entry_of({"infer"})})}};
  }
  return schema;
}

/// A row: a model that generates text, or real data.
Json rows_schema(const Registries& registries) {
  Json rows = Json::array();
  for (const std::string& name : registries.models.names()) {
    const Component& model = registries.models.get(name);
    if (model.capabilities == std::vector<std::string>{"sentence_embedder"}) continue;
    Json row = object_schema(model.about.schema, name);
    const char* key = model.is_fitted ? "fit" : "model";
    row["properties"][key] = {{"const", name}};
    row["properties"]["label"] = {{"type", Json::array({"string", "number", "boolean"})}};
    row["properties"]["data"] = source_schema();
    if (!model.is_fitted) {
      row["properties"]["train"] = definition_of("trainings");
      row["properties"]["validate_on"] = source_schema();
      row["properties"]["init"] = object_schema<InitOptions>("initial weights of the training");
    }
    row["properties"]["generation"] = definition_of("generation");
    row["properties"]["inputs"] =
        inputs_schema(registries, model, "inputs of the model: ids of other rows, or texts");
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
                  {"additionalProperties",
                   {{"anyOf", Json::array({Json{{"type", "string"}, {"pattern", kReference}},
                                           Json{{"type", "array"}}, entry_of({"infer"})})}}}});
  return {{"oneOf", rows}};
}

Json metrics_schema(const Registries& registries) {
  Json metrics = Json::array();
  for (const std::string& name : registries.evaluators.names()) {
    const Component& evaluator = registries.evaluators.get(name);
    Json metric = object_schema<MetricOptions>(name);
    add_properties(metric, object_schema(evaluator.about.schema, name));
    metric["properties"]["evaluator"] = {{"const", name}};
    metric["properties"]["score"]["enum"] = evaluator.score_ids();
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
    // The names of the inputs may depend on the kind's options.
    figure["properties"]["inputs"]["additionalProperties"] = true;
    figures.push_back(std::move(figure));
  }
  return {{"oneOf", figures}};
}

Json sheets_schema(const Registries& registries) {
  Json sheets = Json::array();
  for (const std::string& name : registries.sheets.names()) {
    Json sheet = object_schema<SheetOptions>(name);
    add_properties(sheet, object_schema(registries.sheets.get(name).about.schema, name));
    sheet["properties"]["kind"] = {{"const", name}};
    sheet["properties"]["inputs"] = {
        {"type", "object"}};  // those of `show`, or the defaults of the kind
    sheets.push_back(std::move(sheet));
  }
  return {{"oneOf", sheets}};
}

/// Lines and columns of a table: ids, and blocks of columns.
void refine_rows_and_columns(Json& table) {
  const Json text = {{"type", "string"}};
  const Json by_name = {{"type", "object"}, {"additionalProperties", text}};
  const Json of = {{"anyOf", Json::array({Json{{"type", "array"}, {"items", text}}, by_name})}};
  const Json block = {
      {"type", "object"},
      {"properties",
       {{"each", {{"type", Json::array({"string", "array"})}}}, {"of", of}, {"not_run", text}}},
      {"required", Json::array({"each", "of"})},
      {"additionalProperties", false}};
  const Json chosen = {{"type", "object"},
                       {"properties", {{"choose", text}, {"of", of}}},
                       {"required", Json::array({"choose", "of"})},
                       {"additionalProperties", false}};
  const auto list_of = [](const Json& item) {
    return Json{{"type", "array"}, {"items", item}, {"uniqueItems", true}};
  };
  const auto set = [&table](const char* key, Json choices) {
    const Json help = table["properties"][key]["description"];
    choices.push_back({{"type", "null"}});  // as `lvtext config` prints an unset key
    table["properties"][key] = {{"description", help}, {"anyOf", choices}};
  };
  set("columns", Json::array({list_of({{"anyOf", Json::array({text, block, chosen})}}), by_name}));
  const Json line = {{"anyOf", Json::array({text, by_name})}};
  set("rows",
      Json::array({text, list_of(text), Json{{"type", "object"}, {"additionalProperties", line}}}));
}

/// The same schema for a layer that is merged over a recipe: nothing is required, `null` removes,
/// and the name of a component may be in the layer below.
Json layer_of(const Json& schema) {
  Json layer = schema;
  layer.erase("required");
  layer.erase("minItems");
  if (layer.contains("$ref")) {
    const auto of = layer["$ref"].get<std::string>();
    if (!of.ends_with("_layer")) layer["$ref"] = of + "_layer";
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

/// The schema of a data block, whose tokenizer may be the id of an artifact.
Json data_schema() {
  Json data = object_schema<DataBlock>("data");
  Json& tokenizer = data["properties"]["tokenizer"];
  tokenizer = {{"description", tokenizer.value("description", "")},
               {"anyOf", Json::array({tokenizer, Json{{"type", "string"}}})}};
  return data;
}

Json trainings_schema() {
  Json trainings = object_schema<TrainOptions>("train");
  trainings["properties"]["seeds"] = {{"type", "integer"}, {"minimum", 1}, {"maximum", kMaxSeeds}};
  return trainings;
}

/// The schema of profiles: layers over a recipe, without the keys that profiles cannot have.
Json profiles_schema(const Json& recipe, const std::string& name_pattern, const std::string& help) {
  Json profile = recipe;
  for (const char* key : {"lvtext", "base", "profiles", "default_profile"}) {
    profile["properties"].erase(key);
  }
  profile.erase("$schema");
  profile["title"] = "profile";
  return {{"description", help},
          {"type", "object"},
          {"propertyNames", {{"pattern", name_pattern}}},
          {"additionalProperties",
           {{"anyOf", Json::array({layer_of(profile), Json{{"type", "null"}}})}}}};
}

}  // namespace

Json recipe_schema(const Registries& registries) {
  Json schema = json_schema(describe<RecipeOptions>(), "lvtext recipe");
  Json& properties = schema["properties"];
  const auto help = [&properties](const char* key) {
    return properties.at(key).at("description").template get<std::string>();
  };
  properties["lvtext"]["maximum"] = kRecipeVersion;
  const std::string half = "[A-Za-z0-9][A-Za-z0-9_-]{0," + std::to_string(kMaxNameLength - 1) + "}";
  properties["recipe"]["pattern"] = "^" + half + "/" + half + "$";
  properties["axes"] = by_id({{"type", Json::array({"array", "object"})}}, help("axes"));
  properties["data"] = {
      {"description", help("data")},
      {"anyOf",
       Json::array({definition_of("data"),
                    by_id(or_loop({{"anyOf", Json::array({definition_of("data"),
                                                          object_schema<DerivedBlock>(
                                                              "records of another set")})}}),
                          "several sets")})}};
  properties["train"] = definition_of("trainings");
  const Json generation = generation_schema(registries, help("generation"));
  properties["generation"] = definition_of("generation");
  properties["artifacts"] =
      by_id(or_loop(entry_of({"fit", "model", "infer", "import", "run"})), help("artifacts"));
  properties["rows"] = by_id(or_loop(entry_of({})), help("rows"));
  properties["models"] = by_id(or_loop(definition_of("row")), help("models"));
  properties["evaluate"] = by_id(or_loop(definition_of("metric")), help("evaluate"));
  properties["figures"] = by_id(or_loop(definition_of("figure")), help("figures"));
  properties["sheets"] = by_id(or_loop(definition_of("sheet")), help("sheets"));
  properties["not_run"] = by_id(properties["not_run"].at("additionalProperties"), help("not_run"));
  refine_rows_and_columns(properties["table"]);
  properties["tables"] = by_id(or_loop(properties["table"]), help("tables"));
  Json definitions = {{"data", data_schema()},
                      {"train", object_schema<TrainOptions>("train")},
                      {"trainings", trainings_schema()},
                      {"generation", generation},
                      {"row", rows_schema(registries)},
                      {"metric", metrics_schema(registries)},
                      {"figure", figures_schema(registries)},
                      {"sheet", sheets_schema(registries)}};
  properties["profiles"] = profiles_schema(schema, "^" + half + "$", help("profiles"));
  // A recipe with a base is merged over it, so that its keys are those of a layer.
  Json merged = layer_of(schema);
  merged.erase("$schema");
  schema = {{"$schema", schema.at("$schema")},
            {"title", schema.at("title")},
            {"type", "object"},
            {"if", {{"required", Json::array({"base"})}}},
            {"then", std::move(merged)},
            {"else", std::move(schema)}};
  schema["else"].erase("$schema");
  for (const auto& [name, definition] : definitions.items()) {
    schema["$defs"][name] = definition;
    schema["$defs"][name + "_layer"] = layer_of(definition);
  }
  return schema;
}

}  // namespace lvtext
