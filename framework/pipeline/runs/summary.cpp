#include "framework/pipeline/runs/summary.h"

#include <algorithm>
#include <map>
#include <utility>

#include "framework/core/base/clock.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/runs/comparison.h"
#include "framework/pipeline/runs/differences.h"
#include "framework/pipeline/runs/run_name.h"

namespace lvtext {
namespace {

constexpr size_t kMaxEvaluators = 7;

using Lines = std::vector<std::pair<std::string, std::string>>;

/// The options of a training that most users look for, as overrides.
std::string training_options(const FoundRun& run) {
  std::vector<std::string> parts;
  for (const char* key : {"train.stop", "train.batch.size", "train.batch.max_tokens",
                          "train.optimizers.default.lr", "train.precision", "train.device"}) {
    const auto found = run.options.find(key);
    if (found == run.options.end() || found->second == "unset" || found->second == "0") continue;
    parts.push_back(std::string(key) + "=" + found->second);
  }
  return join(parts, " ");
}

/// "of the paper/table, row vae": where the run belongs.
std::string origin(const FoundRun& run) {
  std::string text = run.kind + ", " + run.component;
  if (!run.row.empty()) text += ", row " + run.row;
  if (!run.recipe.empty()) text += ", of " + run.recipe;
  return text;
}

std::string state_text(const FoundRun& run) {
  std::string text = enum_name(run.state) + (run.without_weights ? " without weights" : "");
  if (run.changed != 0) text += ", " + local_time(run.changed);
  const std::string reason = run.problem.substr(0, run.problem.find('\n'));
  return text + (reason.empty() ? "" : ": " + reason);
}

/// Of the runs of this one's row, recipe and profile.
std::string differences_of(const FoundRun& run, const std::vector<FoundRun>& all) {
  const auto differ = differences_among(all);
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].folder != run.folder) continue;
    return differences_text(differ[i]);
  }
  return "";
}

void add_training(const std::map<std::string, std::string>& values, Lines& lines) {
  const auto value = [&](const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
  };
  if (!value("steps").empty()) {
    lines.emplace_back("updates", value("steps") + ", stopped by " + value("stopped_by") +
                                      "; weights of update " + value("selected_step"));
  }
  for (const std::string prefix : {"train ", "validation "}) {
    std::vector<std::string> losses;
    for (const auto& [key, text] : values) {
      if (key.starts_with(prefix)) losses.push_back(key.substr(prefix.size()) + " " + text);
    }
    if (!losses.empty()) lines.emplace_back(prefix + "loss", join(losses));
  }
}

/// One line for each evaluator: "bleu: corpus 12.3 [11.9, 12.8]; sentence 14.1".
void add_scores(const std::vector<std::pair<std::string, std::string>>& scores, Lines& lines) {
  Lines evaluators;
  for (const auto& [name, value] : scores) {
    const size_t point = name.find('.');
    const std::string evaluator = name.substr(0, point), score = name.substr(point + 1);
    const bool is_new = evaluators.empty() || evaluators.back().first != evaluator;
    if (is_new) evaluators.emplace_back(evaluator, "");
    evaluators.back().second += (is_new ? ": " : "; ") + score + " " + value;
  }
  std::string label = "scores";
  for (size_t i = 0; i < std::min(evaluators.size(), kMaxEvaluators); ++i) {
    lines.emplace_back(std::exchange(label, ""), evaluators[i].first + evaluators[i].second);
  }
  if (evaluators.size() > kMaxEvaluators) {
    lines.emplace_back("", "and " + std::to_string(evaluators.size() - kMaxEvaluators) +
                               " more evaluators; --json lists their scores");
  }
}

}  // namespace

Lines summarize(const FoundRun& run, const std::vector<FoundRun>& all) {
  Lines lines = {{"run", name_among(run, all)},
                 {"folder", run.folder.string() + ", " + format_bytes(run.bytes())},
                 {"state", state_text(run)},
                 {"kind", origin(run)}};
  if (!run.data.empty()) lines.emplace_back("data", run.data_text());
  if (const std::string text = training_options(run); !text.empty()) {
    lines.emplace_back("options", text);
  }
  if (const std::string text = differences_of(run, all); !text.empty()) {
    lines.emplace_back("differs", text + " (from other runs of this row)");
  }
  RunResults results;
  try {
    results = results_of(run, all);
  } catch (const Error&) {  // reported by damage_of()
    return lines;
  }
  add_training({results.training.begin(), results.training.end()}, lines);
  add_scores(results.scores, lines);
  return lines;
}

std::string name_among(const FoundRun& run, const std::vector<FoundRun>& all) {
  const std::string name = short_name(run.name());
  const auto same = std::count_if(all.begin(), all.end(), [&](const FoundRun& each) {
    return short_name(each.name()) == name;
  });
  return same > 1 ? run.name() : name;
}

}  // namespace lvtext
