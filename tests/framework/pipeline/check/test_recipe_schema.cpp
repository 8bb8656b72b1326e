// The JSON Schema of recipes.
#include "framework/pipeline/check/recipe_schema.h"

#include <algorithm>
#include <stdexcept>

#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;

namespace {

using Json = nlohmann::ordered_json;

/// The choice of a definition whose property `key` has this constant value.
const Json& choice_of(const Json& schema, const std::string& definition, const std::string& key,
                      const std::string& name) {
  for (const Json& choice : schema.at("$defs").at(definition).at("oneOf")) {
    const Json& properties = choice.at("properties");
    if (properties.contains(key) && properties.at(key) == Json{{"const", name}}) return choice;
  }
  FAIL(definition + " has no " + name);
  throw std::logic_error("unreachable");
}

}  // namespace

TEST_CASE("recipe schema: sections, components and their values", "[check]") {
  const Json schema = recipe_schema(registries());
  CHECK(schema.at("type") == "object");
  const Json& recipe = schema.at("else");
  CHECK(recipe.at("required") == Json::array({"lvtext", "recipe"}));
  CHECK(recipe.at("additionalProperties") == false);
  for (const char* section : {"data", "train", "artifacts", "models", "rows", "evaluate", "select",
                              "tables", "figures", "sheets", "profiles"}) {
    INFO(section);
    CHECK(recipe.at("properties").contains(section));
  }
  CHECK(recipe.at("properties").at("lvtext").at("maximum") == kRecipeVersion);
  const Json& definitions = schema.at("$defs");
  CHECK(definitions.at("trainings").at("properties").at("seeds").at("maximum") == kMaxSeeds);
  CHECK_FALSE(definitions.at("train").at("properties").contains("seeds"));
  CHECK(definitions.at("train").at("properties").at("precision").at("enum") ==
        Json::array({"fp32", "tf32", "bf16"}));
  const Json& bleu = choice_of(schema, "metric", "evaluator", "bleu");
  CHECK(bleu.at("properties").at("score").at("enum") ==
        Json::array({"corpus", "sentence", "document", "fused", ""}));
  CHECK(bleu.at("properties").at("inputs").at("additionalProperties") == false);
  // Inline models with the capabilities of the input only.
  const Json& frechet = choice_of(schema, "metric", "evaluator", "frechet");
  const Json& encoder = frechet.at("properties").at("inputs").at("properties").at("encoder");
  std::vector<std::string> titles;
  for (const Json& choice : encoder.at("anyOf")) titles.push_back(choice.value("title", ""));
  CHECK(std::count(titles.begin(), titles.end(), "encoder: infersent") == 1);
  CHECK(std::count(titles.begin(), titles.end(), "encoder: rnn_lm") == 0);
}

TEST_CASE("recipe schema: profiles and recipes with a base are layers", "[check]") {
  const Json schema = recipe_schema(registries());
  const Json& profile = schema.at("else")
                            .at("properties")
                            .at("profiles")
                            .at("additionalProperties")
                            .at("anyOf")
                            .at(0);
  CHECK_FALSE(profile.contains("required"));
  CHECK(profile.at("properties").contains("models"));
  for (const char* key : {"lvtext", "base", "profiles", "default_profile"}) {
    INFO(key);
    CHECK_FALSE(profile.at("properties").contains(key));
  }
  CHECK(schema.at("if").at("required") == Json::array({"base"}));
  const Json& merged = schema.at("then");
  CHECK_FALSE(merged.contains("required"));
  // A layer may remove an entry, and what it refers to are layers, too.
  const Json null = {{"type", "null"}};
  const Json layer = {{"$ref", "#/$defs/trainings_layer"}};
  for (const Json* each : {&profile, &merged}) {
    CHECK(each->at("properties").at("train").at("anyOf") == Json::array({layer, null}));
  }
  CHECK(schema.at("else").at("properties").at("train").at("$ref") == "#/$defs/trainings");
  const Json& row = schema.at("$defs").at("row_layer");
  CHECK_FALSE(row.contains("oneOf"));
  CHECK(row.at("anyOf").size() == schema.at("$defs").at("row").at("oneOf").size());
}
