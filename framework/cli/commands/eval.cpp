#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "framework/cli/flags.h"
#include "framework/cli/open_run.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/values.h"
#include "framework/core/base/log.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/evaluate/run_evaluation.h"
#include "framework/pipeline/evaluate/text_evaluation.h"
#include "framework/pipeline/recipe/overrides.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

struct EvalArguments {
  RunArguments run;
  std::string evaluators, split = "test";
  int64_t samples = 0;
  int64_t max_length = RunEvaluationOptions{}.max_length;
  std::optional<int64_t> seed;
  std::string outputs, source;
  std::vector<std::string> references, columns, inputs;
};

std::vector<std::string> row_of(const std::string& evaluator, const Score& score) {
  const std::string interval = score.interval ? "[" + significant(score.interval->lo, 4) + ", " +
                                                    significant(score.interval->hi, 4) + "]"
                                              : "-";
  return {evaluator + "." + score.id,
          significant(score.value, 4),
          interval,
          score.unit.empty() ? "-" : score.unit,
          direction_name(score.direction),
          score.signature};
}

Json json_of(const std::vector<EvaluatorScores::LeftOut>& left_out) {
  auto json = Json::array();
  for (const auto& each : left_out) {
    json.push_back({{"evaluator", each.evaluator}, {"reason", each.reason}});
  }
  return json;
}

Json json_of(const std::vector<Score>& scores) {
  auto json = Json::array();
  for (const auto& score : scores) json.push_back(to_json(score));
  return json;
}

/// `is_compared`: with what each evaluator compared the outputs.
Json json_of(const std::vector<EvaluatorScores::Scored>& scored, bool is_compared) {
  auto json = Json::array();
  for (const auto& each : scored) {
    Json entry = {{"evaluator", each.evaluator}};
    if (is_compared) entry["against"] = each.against.empty() ? Json() : Json(each.against);
    entry["scores"] = json_of(each.scores);
    json.push_back(std::move(entry));
  }
  return json;
}

Json json_of(const TrainedRun& run) {
  return {{"run", run.folder.filename().string()},
          {"identity", run.identity},
          {"model", run.model.component},
          {"step", run.model.step}};
}

std::string run_text(const TrainedRun& run) {
  return run.folder.filename().string() + ", model " + run.model.component + ", step " +
         format_count(run.model.step);
}

/// Prints the scores, below lines about what was scored, and the notes on them and why scores are
/// undefined, each once for an evaluator.
void print_scores(const EvaluatorScores& result, const std::vector<std::string>& lines,
                  bool is_compared) {
  for (const auto& each : result.left_out)
    log_info("without " + each.evaluator + ": " + each.reason);
  for (const std::string& line : lines) print_text(line);
  std::vector<std::string> header = {"score", "value",  "95 % interval",
                                     "unit",  "better", "signature"};
  if (is_compared) header.insert(header.begin() + 1, "against");
  std::vector<std::vector<std::string>> rows;
  for (const auto& each : result.scored) {
    for (const Score& score : each.scores) {
      auto& row = rows.emplace_back(row_of(each.evaluator, score));
      if (is_compared) row.insert(row.begin() + 1, each.against.empty() ? "-" : each.against);
    }
  }
  print_table(header, rows);
  for (const auto& each : result.scored) {
    std::vector<std::string> notes;
    for (const Score& score : each.scores) {
      add_notes(score.notes, notes);
      if (!score.reason.empty()) add_notes({score.id + " is undefined: " + score.reason}, notes);
    }
    for (const std::string& note : notes) print_text("- " + each.evaluator + ": " + note);
  }
}

void evaluate_model(const EvalArguments& arguments, Session& session) {
  const TrainedRun run = open_run(arguments.run, session);
  const PrecisionScope precision = arguments.run.precision_scope();
  const StopSignals signals;
  ProgressLine progress;
  const EvaluatorScores result =
      evaluate_run(run, session.registries(),
                   {name_list("--evaluators", arguments.evaluators), arguments.split,
                    arguments.samples, arguments.seed.value_or(run.seed), arguments.max_length},
                   [&](const std::string& text) { progress.update("eval: " + text); });
  progress.clear();
  for (const auto& each : result.failed) {
    log_error(each.evaluator + ": " + each.reason);
    session.result = Exit::kSomeFailed;
  }
  if (session.json) {
    Json json = {{"schema", "lvtext.eval/1"}};
    json.update(json_of(run));
    json["precision"] = arguments.run.precision;
    json["split"] = arguments.split;
    json["evaluators"] = json_of(result.scored, /*is_compared=*/false);
    json["left_out"] = json_of(result.left_out);
    json["failed"] = json_of(result.failed);
    return print_json(json);
  }
  const std::string& precision_name = arguments.run.precision;
  print_scores(result,
               {run_text(run) + ", " + arguments.split + " set" +
                (precision_name == "fp32" ? "" : ", computed in " + precision_name)},
               /*is_compared=*/false);
}

/// Splits values "NAME=VALUE" of a flag. Throws UsageError, also for a repeated name.
std::map<std::string, std::string> named_values(const std::string& flag,
                                                const std::vector<std::string>& texts) {
  std::map<std::string, std::string> values;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      throw UsageError(flag + " " + text +
                       ": expected NAME=" + (flag == "--input" ? "RUN" : "FILE"));
    }
    const std::string name = text.substr(0, equals);
    if (!values.emplace(name, text.substr(equals + 1)).second) {
      throw UsageError(flag + " " + name + ": given twice");
    }
  }
  return values;
}

/// Opens the runs of --input, by input.
std::map<std::string, TrainedRun> open_inputs(const EvalArguments& arguments, Session& session) {
  std::map<std::string, TrainedRun> runs;
  for (const auto& [name, run] : named_values("--input", arguments.inputs)) {
    RunArguments each = arguments.run;
    each.words = std::filesystem::exists(run) ? std::vector{run} : split(run, ' ');
    runs.emplace(name, open_run(each, session));
  }
  return runs;
}

/// True for an override that follows --references, which takes all words up to the next flag.
bool is_override(const std::string& reference) {
  const size_t equals = reference.find('=');
  std::error_code failed;
  return equals != std::string::npos && reference.find('.') < equals &&
         !std::filesystem::exists(reference, failed);
}

void evaluate_files(const EvalArguments& arguments, Session& session) {
  TextFiles files{.outputs = arguments.outputs,
                  .sources = arguments.source,
                  .references = {arguments.references.begin(), arguments.references.end()}};
  for (const auto& [name, file] : named_values("--column", arguments.columns)) {
    files.columns[name] = file;
  }
  const SystemText text = read_system_text(files);
  const PrecisionScope precision = arguments.run.precision_scope();
  const std::map<std::string, TrainedRun> runs = open_inputs(arguments, session);
  std::map<std::string, LoadedModel> models;
  for (const auto& [name, run] : runs) models[name] = run.model;
  Errors errors;
  const Node options = apply_overrides(Node::mapping({}), arguments.run.words, errors);
  errors.throw_if_any();
  const EvaluatorScores result = evaluate_text(
      text, models, session.registries(), name_list("--evaluators", arguments.evaluators), options);
  if (session.json) {
    auto inputs = Json::object();
    for (const auto& [name, run] : runs) inputs[name] = json_of(run);
    return print_json({{"schema", "lvtext.eval-text/1"},
                       {"outputs", arguments.outputs},
                       {"inputs", inputs},
                       {"evaluators", json_of(result.scored, /*is_compared=*/true)},
                       {"left_out", json_of(result.left_out)}});
  }
  std::vector<std::string> lines;
  for (const auto& [name, run] : runs) lines.push_back(name + ": " + run_text(run));
  print_scores(result, lines, /*is_compared=*/true);
}

void evaluate(const CLI::App& command, const EvalArguments& arguments, Session& session) {
  const bool files = !arguments.outputs.empty();
  const auto& words = arguments.run.words;
  const bool names_run = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.find('=') == std::string::npos;
  });
  if (files ? names_run : words.empty()) {
    throw UsageError("eval takes either a RUN or --outputs FILE, " +
                     std::string(files ? "not both" : "and got neither"));
  }
  const auto given = [&command](std::initializer_list<const char*> names) {
    std::vector<std::string> found;
    for (const char* name : names) {
      if (command.count(name) > 0) found.emplace_back(name);
    }
    return found;
  };
  const auto of_files = given({"--source", "--references", "--column", "--input"});
  if (!files && !of_files.empty()) {
    throw UsageError(join(of_files, " and ") + ": only with --outputs FILE");
  }
  const auto of_a_run = given({"--checkpoint", "--split", "--samples", "--seed", "--max-length"});
  if (files && !of_a_run.empty()) {
    throw UsageError(join(of_a_run, " and ") + ": only for a RUN, not for --outputs");
  }
  const auto of_models = given({"--device", "--precision"});
  if (files && !of_models.empty() && arguments.inputs.empty()) {
    throw UsageError(join(of_models, " and ") + ": only for a RUN or with --input NAME=RUN");
  }
  if (files) return evaluate_files(arguments, session);
  evaluate_model(arguments, session);
}

}  // namespace

void add_eval(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "eval",
      "scores a trained model, or with --outputs the text of any system, in which case "
      "EVALUATOR.key=value sets options");
  const auto arguments = std::make_shared<EvalArguments>();
  add_run_arguments(*command, arguments->run, session, /*required=*/false);
  command
      ->add_option("--evaluators", arguments->evaluators,
                   "evaluators to compute, see lvtext list evaluators (default: all that apply)")
      ->type_name("A,B");
  command
      ->add_option("--split", arguments->split,
                   "split of the run's data: test or valid (default: test)")
      ->check(name_among({"test", "valid"}));
  command->add_option("--samples", arguments->samples, "maximum number of samples of the model")
      ->check(whole_number(1, int64_t{1} << 40));
  add_max_length(*command, arguments->max_length);
  command->add_option("--seed", arguments->seed, "random seed of the samples (default: the run's)")
      ->check(whole_number(0));
  command
      ->add_option("--outputs", arguments->outputs,
                   "sentences of a system, one per line, or lines 'source TAB output'")
      ->type_name("FILE");
  command
      ->add_option("--source", arguments->source, "source sentences of the outputs, one per line")
      ->type_name("FILE");
  command
      ->add_option("--references", arguments->references,
                   "reference sentences of the outputs, one per line")
      ->type_name("FILE");
  command
      ->add_option("--column", arguments->columns,
                   "labels of the outputs' sources for an evaluator, such as style=FILE: the index "
                   "of a class per line, from 0, in the order of the classes of the classifier's "
                   "data set (style: [negative, positive])")
      ->type_name("NAME=FILE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--input", arguments->inputs,
                   "trained model for an evaluator of the outputs, such as classifier=RUN")
      ->type_name("NAME=RUN")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_json(*command, session);
  command->callback([command, arguments, &session] {
    auto& references = arguments->references;
    const auto overrides = std::stable_partition(
        references.begin(), references.end(), [](const auto& word) { return !is_override(word); });
    auto& words = arguments->run.words;
    words.insert(words.end(), overrides, references.end());
    references.erase(overrides, references.end());
    evaluate(*command, *arguments, session);
  });
}

}  // namespace lvtext
