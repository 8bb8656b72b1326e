#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/check/recipe_schema.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

/// The document in a JSON file, or in the first line of JSON lines.
Json first_document(const std::string& file) {
  const std::string text = read_file(file);
  Json json = parse_json(text);
  if (json.is_discarded()) json = parse_json(std::string_view(text).substr(0, text.find('\n')));
  if (!json.is_discarded()) return json;
  try {
    json = Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw DataError(file + " is not JSON: " + json_reason(error));
  }
  throw DataError(file + " is nested too deeply");
}

void describe_file(const std::string& file, bool as_json) {
  static const std::map<std::string, std::string> meanings{
      {"lvtext.node/1",
       "a node of a graph: identity, kind, component, options, inputs, recipe and data"},
      {"lvtext.failure/1", "when and why a node failed"},
      {"lvtext.training-model/1", "the model of a training: options, streams and seed"},
      {"lvtext.run-manifest/1", "a finished node: description, metadata, files and their SHA-256"},
      {"lvtext.checkpoint-manifest/1", "a checkpoint: step, files, tensors and their SHA-256"},
      {"lvtext.state/1", "the state of a training in a checkpoint"},
      {"lvtext.verified-files/2",
       "which large files of a run were verified since the last boot, by machine"},
      {"lvtext.table/1", "a report's table: columns, and rows with value, deviation and interval"},
      {"lvtext.checks/1", "a report's checks: statement, verdict and interval"},
      {"lvtext.report/1",
       "a report: profile, overrides, rows and seeds, in addition to its recipe.yaml"},
      {"lvtext.cell/1", "`lvtext explain`: a cell's metric, its nodes and why it is empty"},
      {"lvtext.plan/1", "`lvtext reproduce --dry-run`: nodes with state, time, memory and disk"},
      {"lvtext.tasks/1",
       "tasks of Slurm jobs, one per line after the first: stage, row, seed and nodes"},
      {"lvtext.submitted/1", "submitted job arrays of Slurm, one per line, with their tasks"},
      {"lvtext.slurm/1", "`lvtext reproduce --executor slurm`: stages and tasks with their state"},
      {"lvtext.doctor-slurm/1", "`lvtext doctor --slurm`: checks of a cluster with their state"},
      {"lvtext.sweep-add/1", "`lvtext sweep add`: number of the added trial"},
      {"lvtext.sweep/1",
       "`lvtext sweep status`: space, search, objective and trials with their values"},
      {"lvtext.trials/1", "trials of a sweep, one per line after the first: settings"},
      {"lvtext.train/1", "`lvtext train`: trainings of each row with their state and folder"},
      {"lvtext.help/1", "`lvtext help`: a command or a component with its options"},
      {"lvtext.log/1",
       "log of a training, one JSON object per line: losses, learning rates, validation"},
      {"lvtext.timing/1", "rates, memory and clock of a training, one JSON object per line"},
      {"lvtext.scores/1", "scores of an evaluator, one per line, with a number for each sentence"},
      {"lvtext.choice/1", "result of a choice: key, score or reason, and the candidates"},
      {"lvtext.neighbors/1", "nearest sentences of each chosen test sentence"},
      {"lvtext.words/1", "a vocabulary of words"},
      {"lvtext.fields/1", "fields of packed records with their types"},
      {"lvtext.nonfinite/1", "losses and gradients of a step with non-finite values"},
      {"lvtext.measures/1",
       "time and memory of nodes on this machine, one per line, for estimates"},
      {"lvtext.list/1", "`lvtext list`: entries with name and description"},
      {"lvtext.data-list/1", "`lvtext data list`: sets with state, size, fields and license"},
      {"lvtext.data-verify/1", "`lvtext data verify`: files with their state"},
      {"lvtext.data-pack/1", "`lvtext data pack`: corpora with their counts and folders"},
      {"lvtext.data-splits/1", "`lvtext data build`: options, counts and files with their sums"},
      {"lvtext.data-pin/1", "size and SHA-256 of a file, pinned at its first download"},
      {"lvtext.model/1", "`lvtext checkpoint export`: model of the weights"},
      {"lvtext.checkpoint-tensors/1", "`lvtext checkpoint show`: tensors with shape and norm"},
      {"lvtext.checkpoint-diff/1", "`lvtext checkpoint diff`: tensors with their difference"},
      {"lvtext.runs/1", "`lvtext runs ls`: runs with date, state, score and differing options"},
      {"lvtext.run/1", "`lvtext runs show`: one run with its losses, scores and manifest"},
      {"lvtext.runs-compare/1", "`lvtext runs compare`: options that differ, losses and scores"},
      {"lvtext.runs-verify/1", "`lvtext runs verify`: the damaged files of each run"},
      {"lvtext.runs-gc/1",
       "`lvtext runs gc`: runs and files that are no longer needed, with sizes"},
      {"lvtext.runs-rm/1", "`lvtext runs rm`: the folders that were removed"},
      {"lvtext.runs-export/1", "`lvtext runs export`: result for each run"},
      {"lvtext.runs-import/1", "`lvtext runs import`: result for each run"},
      {"lvtext.eval/1", "`lvtext eval RUN`: scores with interval, unit, direction and signature"},
      {"lvtext.eval-text/1", "`lvtext eval --outputs`: scores of text files"},
      {"lvtext.text/1",
       "`lvtext generate`, `reconstruct`, `interpolate`, `encode`, `draw`: the results"},
      {"lvtext.answers/1", "`lvtext prompt --json`: answers of a model, one per line"},
      {"lvtext.rating-export/1", "`lvtext rate export`: locations of sheets and key"},
      {"lvtext.rating-key/1", "the row of each rated text; not for raters"},
      {"lvtext.rating-answers/1", "`lvtext rate import`: answers of all imports"},
      {"lvtext.ratings/1", "`lvtext rate import`: ratings of each row, inter-rater agreement"},
      {"lvtext.description/1", "`lvtext schema FILE`: the meaning and the fields of a file"},
      {"lvtext.doctor/1", "`lvtext doctor`: parts of the machine with their state"}};
  const Json json = first_document(file);
  const auto name = json.is_object() ? json.find("schema") : json.end();
  if (json.is_object() && name == json.end() && json.contains("lvtext")) {
    return print_text("a recipe: `lvtext schema` without FILE prints the schema of recipes");
  }
  if (!json.is_object() || name == json.end() || !name->is_string()) {
    throw DataError(file + " has no field \"schema\"; it is not a JSON file of lvtext");
  }
  const auto known = meanings.find(name->get<std::string>());
  if (known == meanings.end()) {
    std::vector<std::string> names;
    for (const auto& each : meanings) names.push_back(each.first);
    throw DataError(file + " has the schema " + shown(name->get<std::string>()) +
                    ", which is unknown to this version of lvtext; " +
                    suggestion(name->get<std::string>(), names));
  }
  if (as_json) {
    auto fields = Json::object();
    for (const auto& [key, value] : json.items()) fields[key] = value.type_name();
    return print_json({{"schema", "lvtext.description/1"},
                       {"describes", known->first},
                       {"meaning", known->second},
                       {"fields", fields}});
  }
  print_text(known->first + ": " + known->second);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : json.items()) rows.push_back({key, value.type_name()});
  print_table({"field", "type"}, rows);
}

}  // namespace

void add_schema(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "schema", "prints the JSON Schema of recipes, or describes a JSON file of lvtext");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "a JSON file written by lvtext");
  add_json(*command, session);
  command->callback([file, &session] {
    if (file->empty()) {
      print_json(recipe_schema(session.registries()));
    } else {
      describe_file(*file, session.json);
    }
  });
}

}  // namespace lvtext
