#include "framework/cli/commands/schema.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "framework/base/files.h"
#include "framework/base/json.h"
#include "framework/base/strings.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/options/errors.h"
#include "trainers/options.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

Json object_schema(const Schema& schema, const std::string& title) {
  Json json = Json::parse(json_schema(schema, title));
  json.erase("$schema");
  return json;
}

// One alternative per component: its name is fixed, and its options are its own.
template <class Entry>
Json component_schema(const Registry<Entry>& registry, const std::string& kind, bool is_row) {
  Json choices = Json::array();
  for (const auto& name : registry.names()) {
    Json choice = object_schema(registry.get(name).about.schema, name);
    choice["properties"][kind] = {{"const", name}};
    if (is_row) {
      choice["properties"]["label"] = {{"type", "string"}};
      choice["properties"]["train"] = {{"type", "object"}};
      choice["properties"]["generation"] =
          object_schema(describe<GenerationOptions>(), "generation");
      choice["properties"]["seeds"] = {
          {"type", "integer"}, {"minimum", 1}, {"maximum", kMostSeeds}};
    }
    choice["required"].push_back(kind);
    choices.push_back(choice);
  }
  return {{"type", "object"}, {"additionalProperties", {{"oneOf", choices}}}};
}

void print_recipe_schema(Session& session) {
  Json schema = Json::parse(json_schema(describe<RecipeOptions>(), "lvtext recipe"));
  Json& properties = schema["properties"];
  const Registries& registries = session.registries();
  properties["train"] = object_schema(describe<TrainOptions>(), "train");
  properties["models"] = component_schema(registries.models, "model", true);
  properties["evaluate"] = component_schema(registries.evaluators, "evaluator", false);
  print_json(schema);
}

void describe_file(const std::string& file) {
  static const std::map<std::string, std::string> meanings{
      {"lvtext.node/1", "one node of a graph: identity, kind, component, options and inputs"},
      {"lvtext.run-manifest/1",
       "a finished node: what it is, its facts, its files and their SHA-256"},
      {"lvtext.checkpoint-manifest/1", "a checkpoint: step, files, tensors and their SHA-256"},
      {"lvtext.state/1", "the state of a training in a checkpoint"},
      {"lvtext.verified-files/1", "which large files of a run were verified since the last boot"},
      {"lvtext.table/1", "a report's table: columns, and rows with value, deviation and interval"},
      {"lvtext.checks/1", "a report's checks: statement, verdict and interval"},
      {"lvtext.list/1", "`lvtext list`: entries with name and description"},
      {"lvtext.data-list/1", "`lvtext data list`: sets with state, size, fields and licence"},
      {"lvtext.data-verify/1", "`lvtext data verify`: files with their state"},
      {"lvtext.data-pack/1", "`lvtext data pack`: corpora with their counts and folders"},
      {"lvtext.data-splits/1", "`lvtext data build`: options, counts and files with their sums"},
      {"lvtext.data-pin/1", "size and SHA-256 of a file, pinned at its first fetch"},
      {"lvtext.model/1", "`lvtext checkpoint export`: which model the weights belong to"},
      {"lvtext.checkpoint-tensors/1", "`lvtext checkpoint show`: tensors with shape and norm"},
      {"lvtext.checkpoint-diff/1", "`lvtext checkpoint diff`: tensors with their difference"},
      {"lvtext.runs/1", "`lvtext runs ls`: runs with kind, state and size"},
      {"lvtext.run/1", "`lvtext runs show`: one run with its manifest"},
      {"lvtext.runs-compare/1", "`lvtext runs compare`: options that differ, losses and scores"},
      {"lvtext.runs-verify/1", "`lvtext runs verify`: the damaged files of each run"},
      {"lvtext.runs-gc/1", "`lvtext runs gc`: what is not needed any more, with sizes"},
      {"lvtext.runs-rm/1", "`lvtext runs rm`: the folders that were removed"},
      {"lvtext.runs-reindex/1", "`lvtext runs reindex`: the index and the number of runs"},
      {"lvtext.eval/1", "`lvtext eval RUN`: scores with interval, unit, direction and signature"},
      {"lvtext.eval-text/1", "`lvtext eval --outputs`: the same of plain text"},
      {"lvtext.text/1", "`lvtext generate`, `reconstruct`, `interpolate`, `encode`: the results"},
      {"lvtext.rating-export/1", "`lvtext rate export`: where sheets and key were written"},
      {"lvtext.rating-key/1", "which row wrote what raters see: not for raters"},
      {"lvtext.rating-answers/1", "`lvtext rate import`: every answer, of all imports"},
      {"lvtext.ratings/1", "`lvtext rate import`: ratings of each row, agreement of the raters"},
      {"lvtext.doctor/1", "`lvtext doctor`: parts of the machine with their state"}};
  Json json;
  try {
    json = Json::parse(read_file(file));
  } catch (const nlohmann::json::exception& error) {
    throw DataError(file + " is not JSON: " + json_reason(error));
  }
  const auto name = json.is_object() ? json.find("schema") : json.end();
  if (!json.is_object() || name == json.end() || !name->is_string()) {
    throw DataError(file + " has no field \"schema\"; it is no JSON file of lvtext's");
  }
  const auto known = meanings.find(name->get<std::string>());
  if (known == meanings.end()) {
    std::vector<std::string> names;
    for (const auto& each : meanings) names.push_back(each.first);
    throw DataError(file + " has the schema " + shown(name->get<std::string>()) +
                    ", which this lvtext does not know; " +
                    suggestion(name->get<std::string>(), names));
  }
  print_text(known->first + ": " + known->second);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : json.items()) rows.push_back({key, value.type_name()});
  print_table({"field", "type"}, rows);
}

}  // namespace

void add_schema(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "schema", "prints the JSON Schema of recipes, or says what a JSON file is");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "a JSON file that lvtext wrote");
  command->callback([file, &session] {
    if (file->empty()) {
      print_recipe_schema(session);
    } else {
      describe_file(*file);
    }
  });
}

}  // namespace lvtext
