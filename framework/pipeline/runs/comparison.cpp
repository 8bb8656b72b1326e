#include "framework/pipeline/runs/comparison.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/runs/run_relations.h"
#include "framework/pipeline/store/score_file.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;
using Values = std::map<std::string, std::string>;

Values options_of(const FoundRun& run) {
  Values values = run.options;
  values["component"] = run.component;
  values["revision"] = std::to_string(run.revision);
  for (const auto& [name, folder] : run.inputs) values["inputs." + name] = folder;
  return values;
}

/// A loss with four decimals.
std::string loss_text(const Json& value) {
  if (!value.is_number()) return "nan";
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value.get<double>());
  return text;
}

/// The lines of a training's log; for unfinished trainings, those written so far.
std::vector<std::string> log_lines(const FoundRun& run) {
  std::error_code failed;
  if (run.finished()) return split(FinishedRun(run.folder).read(kLogFile), '\n');
  if (!std::filesystem::exists(run.folder / kLogFile, failed)) return {};
  return split(read_file(run.folder / kLogFile), '\n');
}

void add_log(const FoundRun& run, int64_t selected, Values& values) {
  Json last_train, validation;
  for (const auto& line : log_lines(run)) {
    const Json entry = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!entry.is_object()) continue;  // an incomplete line
    if (entry.contains("train")) last_train = entry["train"];
    if (!entry.contains("validation")) continue;
    const int64_t step = entry.value("step", int64_t{0});
    if (selected == 0 || step <= selected) validation = entry["validation"];
  }
  if (last_train.is_object()) {
    for (const auto& [term, value] : last_train.items()) {
      values["train " + term] = loss_text(value);
    }
  }
  if (!validation.is_object()) return;
  values["validation objective"] = loss_text(validation.value("objective", Json()));
  const Json terms = validation.value("terms", Json::object());
  for (const auto& [term, value] : terms.items()) {
    values["validation " + term] = loss_text(value);
  }
}

/// Steps, stop reason and final losses of a training.
Values training_of(const FoundRun& run) {
  Values values;
  int64_t selected = 0;
  if (const auto manifest = read_run_manifest(run.folder)) {
    const Json metadata = manifest->value("metadata", Json::object());
    for (const char* key : {"steps", "stopped_by", "selected_step"}) {
      if (!metadata.contains(key)) continue;
      values[key] =
          metadata[key].is_string() ? metadata[key].get<std::string>() : metadata[key].dump();
    }
    selected = metadata.value("selected_step", int64_t{0});
  }
  add_log(run, selected, values);
  return values;
}

struct ScoreCell {
  std::string name;       ///< "bleu.corpus"
  std::string signature;  ///< only equal signatures are comparable
  std::string value;
};

std::string score_text(const Score& score) {
  std::string text = significant(score.value, 4);
  if (score.interval) {
    text +=
        " [" + significant(score.interval->lo, 4) + ", " + significant(score.interval->hi, 4) + "]";
  }
  return text;
}

std::vector<ScoreCell> scores_of(const FoundRun& run, const std::vector<FoundRun>& all) {
  std::vector<ScoreCell> cells;
  for (const FoundRun& node : all) {
    if (node.kind != "score" || !node.finished()) continue;
    if (node.identity != run.identity && !scores_run(node, run, all)) continue;
    const auto add = [&](std::optional<int64_t> step) {
      const std::string at = step ? " at step " + std::to_string(*step) : "";
      for (const Score& score : read_scores(node.folder, step)) {
        cells.push_back({node.component + "." + score.id + at, score.signature, score_text(score)});
      }
    };
    const auto parts = list_checkpoints(node.folder);
    if (parts.empty()) add(std::nullopt);
    for (const auto& [step, folder] : parts) add(step);
  }
  return cells;
}

/// `absent` is the text for values that a column lacks.
std::vector<ComparedLine> lines_of(const std::vector<Values>& columns, const std::string& absent) {
  std::set<std::string> keys;
  for (const auto& column : columns) {
    for (const auto& [key, value] : column) keys.insert(key);
  }
  std::vector<ComparedLine> lines;
  for (const auto& key : keys) {
    ComparedLine line{key, {}};
    for (const auto& column : columns) {
      const auto found = column.find(key);
      line.values.push_back(found == column.end() ? absent : found->second);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ComparedLine> score_lines(const std::vector<FoundRun>& runs,
                                      const std::vector<FoundRun>& all) {
  std::vector<std::vector<ScoreCell>> cells;
  std::map<std::string, std::set<std::string>> signatures;
  for (const FoundRun& run : runs) {
    cells.push_back(scores_of(run, all));
    for (const auto& cell : cells.back()) signatures[cell.name].insert(cell.signature);
  }
  std::vector<Values> columns;
  for (const auto& row : cells) {
    Values& column = columns.emplace_back();
    for (const auto& cell : row) {
      const bool alone = signatures[cell.name].size() == 1;
      column[alone ? cell.name : cell.name + " (" + cell.signature + ")"] = cell.value;
    }
  }
  return lines_of(columns, "");
}

}  // namespace

RunResults results_of(const FoundRun& run, const std::vector<FoundRun>& all) {
  RunResults results;
  for (const auto& [key, value] : training_of(run)) results.training.emplace_back(key, value);
  for (const ScoreCell& cell : scores_of(run, all)) {
    results.scores.emplace_back(cell.name, cell.value);
  }
  return results;
}

RunComparison compare_runs(const std::vector<FoundRun>& runs, const std::vector<FoundRun>& all) {
  RunComparison comparison;
  std::vector<Values> options, trainings;
  for (const FoundRun& run : runs) {
    options.push_back(options_of(run));
    trainings.push_back(training_of(run));
  }
  comparison.options = lines_of(options, "unset");
  std::erase_if(comparison.options, [](const ComparedLine& line) {
    return std::all_of(line.values.begin(), line.values.end(),
                       [&](const std::string& value) { return value == line.values[0]; });
  });
  comparison.results = lines_of(trainings, "");
  for (auto& line : score_lines(runs, all)) comparison.results.push_back(std::move(line));
  return comparison;
}

}  // namespace lvtext
