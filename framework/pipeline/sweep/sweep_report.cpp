#include "framework/pipeline/sweep/sweep_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "framework/core/base/counts.h"
#include "framework/core/base/program.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"
#include "framework/core/statistics/statistics.h"
#include "framework/pipeline/figures/figure_data.h"

namespace lvtext {
namespace {

constexpr const char* kObjective = "objective";

std::string objective_name(const Sweep& sweep) {
  return sweep.objective.validation ? "validation objective" : sweep.objective.metric;
}

/// The order of the table: ranked trials, then those that are left, then those that ended at a
/// rung: later ones, and lower validation objectives at the same one, first.
std::vector<size_t> table_order(const SweepPlan& plan, const SweepStage& stage,
                                const std::vector<size_t>& ranked) {
  std::vector<size_t> order = ranked;
  for (size_t i = 0; i < plan.trials.size(); ++i) {
    if (std::find(ranked.begin(), ranked.end(), i) == ranked.end()) order.push_back(i);
  }
  const auto rank_of = [&](size_t trial) {
    const auto ended = stage.ended.find(trial);
    if (ended == stage.ended.end()) return std::pair(std::numeric_limits<int64_t>::max(), 0.0);
    const auto& [step, value] = ended->second;
    return std::pair(step, value ? -*value : -std::numeric_limits<double>::infinity());
  };
  std::stable_sort(order.begin() + std::ssize(ranked), order.end(),
                   [&](size_t a, size_t b) { return rank_of(a) > rank_of(b); });
  return order;
}

std::string rung_name(int64_t step) {
  return "validation objective at update " + std::to_string(step);
}

/// True if the 95 % interval of the paired differences over common seeds excludes 0.
bool differ(const TrialResult& one, const TrialResult& other) {
  std::vector<double> differences;
  for (const auto& [seed, value] : one.by_seed) {
    const auto found = other.by_seed.find(seed);
    if (found != other.by_seed.end()) differences.push_back(value - found->second);
  }
  const auto interval = t_interval(differences);
  return interval && (interval->lo > 0 || interval->hi < 0);
}

std::string reason_of(const TrialResult& result, const SweepStage& stage, size_t trial) {
  const auto ended = stage.ended.find(trial);
  if (ended == stage.ended.end() || result.state == NodeState::kFailed) return result.reason;
  const auto& [step, value] = ended->second;
  return "ended at update " + std::to_string(step) +
         (value ? ", not among the best" : ": it has no validation objective up to there");
}

Table table_of(const SweepPlan& plan, const std::vector<TrialResult>& results,
               const SweepStage& stage, const std::vector<size_t>& order, bool has_best) {
  Table table;
  for (const Dimension& dimension : plan.sweep.dimensions) {
    table.columns.push_back({.id = dimension.path, .title = dimension.path});
  }
  const auto add_objective = [&](const std::string& id, const std::string& title, bool is_min) {
    table.columns.push_back({.id = id,
                             .title = title,
                             .direction = is_min ? Direction::kLower : Direction::kHigher,
                             .decimals = 4});
  };
  for (const auto& [step, values] : stage.rungs) {
    const std::string at = std::to_string(step);
    add_objective(kObjective + ("_at_" + at), "validation objective at update " + at,
                  /*is_min=*/true);
  }
  add_objective(kObjective, objective_name(plan.sweep), plan.sweep.objective.is_min());
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t trial = order[i];
    const std::string number = std::to_string(trial + 1);
    table.rows.push_back({.id = "trial_" + number,
                          .label = "trial " + number,
                          .note = i == 0 && has_best ? "best" : ""});
  }
  table.resize();
  for (size_t i = 0; i < order.size(); ++i) {
    const Setting& setting = plan.trials[order[i]].setting;
    std::vector<Cell>& cells = table.cells[i];
    for (size_t c = 0; c < plan.sweep.dimensions.size(); ++c) {
      const std::string* value = value_of(setting, plan.sweep.dimensions[c].path);
      cells[c].text = value ? *value : "-";
    }
    size_t column = plan.sweep.dimensions.size();
    for (const auto& [step, values] : stage.rungs) {
      const auto found = values.find(order[i]);
      if (found != values.end()) cells[column].value = found->second;
      ++column;
    }
    const TrialResult& result = results[order[i]];
    Cell& cell = cells.back();
    cell.value = result.mean;
    cell.n_seeds = std::ssize(result.by_seed);
    cell.lo = result.lo;
    cell.hi = result.hi;
    std::vector<double> values;
    for (const auto& [seed, value] : result.by_seed) values.push_back(value);
    cell.sd = sample_deviation(values);
    cell.reason = reason_of(result, stage, order[i]);
  }
  return table;
}

/// The values of a path as numbers: themselves, or the index in the order of the space with a name
/// of the axis that explains it.
struct AxisValues {
  std::string name;
  std::vector<std::string> names;  ///< names of the indices; empty: numbers
  bool is_log = false;             ///< the logarithm to base 10 is drawn
};

AxisValues axis_of(const Dimension& dimension) {
  AxisValues axis{dimension.path, {}};
  if (dimension.log) {
    axis.name = "log10 of " + axis.name;
    axis.is_log = true;
  }
  const bool are_numbers =
      std::all_of(dimension.values.begin(), dimension.values.end(), [](const Node& value) {
        return value.is_scalar() && parse_number(value.text()).has_value();
      });
  if (are_numbers) return axis;
  std::vector<std::string> explained;
  for (const Node& value : dimension.values) {
    explained.push_back(std::to_string(axis.names.size()) + ": " + override_text(value));
    axis.names.push_back(override_text(value));
  }
  axis.name += " (" + join(explained) + ")";
  return axis;
}

FigureValue value_on(const AxisValues& axis, const std::string* value) {
  if (!value) return {std::nullopt, "not set"};
  if (axis.names.empty()) {
    const auto number = parse_number(*value);
    return {axis.is_log && number ? std::log10(*number) : number, ""};
  }
  const auto found = std::find(axis.names.begin(), axis.names.end(), *value);
  if (found == axis.names.end()) return {std::nullopt, "a value outside the space"};
  return {static_cast<double>(found - axis.names.begin()), ""};
}

Node list_of(const std::vector<std::string>& texts) {
  std::vector<Node> items;
  for (const auto& text : texts) items.push_back(Node::scalar(text, /*quoted=*/true));
  return Node::sequence(std::move(items));
}

/// A row for each trial with its values of the options that vary.
std::vector<FigureRow> rows_of_trials(const SweepPlan& plan, const std::vector<size_t>& order,
                                      const std::vector<const Dimension*>& dimensions,
                                      const std::vector<AxisValues>& axes) {
  std::vector<FigureRow> rows;
  for (const size_t trial : order) {
    const std::string number = std::to_string(trial + 1);
    FigureRow row{.id = "trial_" + number, .label = "trial " + number, .matched = ""};
    for (size_t i = 0; i < axes.size(); ++i) {
      row.values.push_back(
          value_on(axes[i], value_of(plan.trials[trial].setting, dimensions[i]->path)));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The figures of trials in this order; with halving, the first rung is compared, which all trials
/// have reached.
std::vector<Figure> figures_of(const SweepPlan& plan, const SweepStage& stage,
                               const std::vector<TrialResult>& results,
                               const std::vector<size_t>& order, const Registries& registries) {
  std::vector<const Dimension*> dimensions;  // those that vary
  std::vector<AxisValues> axes;
  std::vector<std::string> names;
  for (const Dimension& dimension : plan.sweep.dimensions) {
    if (dimension.range.empty() && dimension.values.size() < 2) continue;
    dimensions.push_back(&dimension);
    axes.push_back(axis_of(dimension));
    names.push_back(axes.back().name);
  }
  if (order.empty() || dimensions.empty()) return {};
  FigureData data;
  FigureRows& group = data.groups.emplace_back();
  group = {.name = "trials", .rows = rows_of_trials(plan, order, dimensions, axes)};
  std::vector<Figure> figures;
  const auto draw = [&](const std::string& kind, const std::string& title, const Node& options) {
    data.title = title;
    data.file = kind;
    figures.push_back(registries.figures.get(kind).configure(options).figure->draw(data));
  };
  std::vector<std::string> with_objective = names;
  const auto add_values = [&](const std::string& name, const auto& value_of_trial) {
    with_objective.push_back(name);
    for (size_t i = 0; i < order.size(); ++i) {
      group.rows[i].values.push_back(value_of_trial(order[i]));
    }
  };
  const auto draw_slices = [&] {
    const Node y = Node::scalar(with_objective.back(), /*quoted=*/true);
    draw("slices", "Objective over each option",
         Node::mapping({{"x", list_of(names), {}}, {"y", y, {}}}));
  };
  for (const auto& rung : stage.rungs) {
    add_values(rung_name(rung.first), [&](size_t trial) {
      const auto found = rung.second.find(trial);
      const bool is_known = found != rung.second.end() && found->second;
      return FigureValue{is_known ? found->second : std::nullopt, ""};
    });
    if (figures.empty()) draw_slices();
  }
  add_values(objective_name(plan.sweep), [&](size_t trial) {
    return FigureValue{results[trial].mean,
                       stage.ended.contains(trial) ? "" : results[trial].reason};
  });
  if (figures.empty()) draw_slices();
  draw("parallel_coordinates", "Settings and objective of the trials",
       Node::mapping({{"axes", list_of(with_objective), {}}}));
  std::reverse(figures.begin(), figures.end());
  return figures;
}

/// "halving, seed 1; at updates 100, 200, the best 50 % were continued".
std::string described(const SearchOptions& search) {
  std::string text = enum_name(search.type);
  if (search.type != SearchType::kGrid) text += ", seed " + std::to_string(search.seed);
  if (search.type != SearchType::kHalving) return text;
  std::vector<std::string> rungs;
  for (const int64_t rung : search.rungs) rungs.push_back(std::to_string(rung));
  return text + "; at updates " + join(rungs) + ", the best " + format_number(100 * search.keep) +
         " % were continued";
}

}  // namespace

std::string training_command(const SweepPlan& plan, size_t trial) {
  std::vector<std::string> words = {"train", plan.sweep.recipe, "--profile", plan.profile};
  if (plan.profile == "default") words.resize(2);
  if (!plan.sweep.rows.empty()) {
    words.insert(words.end(), {"--rows", join(plan.sweep.rows, ",")});
  }
  if (plan.sweep.seeds) words.insert(words.end(), {"--seeds", std::to_string(*plan.sweep.seeds)});
  for (auto& text : overrides_of(plan.trials[trial].setting)) words.push_back(std::move(text));
  return "lvtext" + quoted_words(words);
}

ReportData sweep_report(const SweepPlan& plan, const GraphStatus& status,
                        const Registries& registries, const std::string& version) {
  std::vector<TrialResult> results;
  for (size_t i = 0; i < plan.trials.size(); ++i) results.push_back(result_of(plan, i, status));
  const SweepStage stage = stage_of(plan, status);
  const std::vector<size_t> best_first = ranked(plan, results);
  const bool has_best =
      best_first.size() > 1 && differ(results[best_first[0]], results[best_first[1]]);

  const Sweep& sweep = plan.sweep;
  ReportData report;
  report.recipe = "sweep " + sweep.sweep;
  report.profile = plan.profile;
  report.version = version;
  const auto add = [&report](const std::string& name, const std::string& value) {
    report.metadata.push_back({name, value});
  };
  add("recipe", sweep.recipe);
  add("rows", sweep.rows.empty() ? "all" : join(sweep.rows));
  add("search", described(sweep.search));
  add("objective", objective_name(sweep) + ", " + (sweep.objective.is_min() ? "lower" : "higher") +
                       " is better");
  const auto failed = std::count_if(results.begin(), results.end(), [](const TrialResult& each) {
    return each.state == NodeState::kFailed;
  });
  add("trials",
      std::to_string(plan.trials.size()) + ", of which " + std::to_string(best_first.size()) +
          " have a result, " +
          (stage.ended.empty() ? "" : std::to_string(stage.ended.size()) + " ended at a rung, ") +
          std::to_string(failed) + " failed");
  const auto looks = std::count_if(plan.runs.begin(), plan.runs.end(), [&](const TrialRun& run) {
    return run.reads_test && status.at(run.score).state == NodeState::kFinished;
  });
  if (looks > 0) {
    report.warnings.push_back("settings were compared by '" + sweep.objective.metric +
                              "', which reads the split `test`: " + format_count(looks, "time") +
                              "; its value for the best one is too good");
  }
  if (!best_first.empty()) {
    add(has_best ? "training of the best setting" : "training of the setting with the best mean",
        training_command(plan, best_first.front()));
  }
  ReportTable& table = report.tables.front();
  table.item = "Trials";
  const std::vector<size_t> order = table_order(plan, stage, best_first);
  table.table = table_of(plan, results, stage, order, has_best);
  if (best_first.size() > 1 && !has_best) {
    table.notes.push_back(
        "no trial is marked as best: the interval of the difference between the first two over "
        "seeds contains 0, or there are fewer than two seeds");
  }
  report.figures =
      figures_of(plan, stage, results, stage.rungs.empty() ? best_first : order, registries);
  return report;
}

}  // namespace lvtext
