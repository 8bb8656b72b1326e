#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <set>

#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/recipe/reference.h"
#include "framework/pipeline/store/selection_file.h"

namespace lvtext {
namespace {

struct ExplainArguments {
  std::string recipe, cell, profile;
  std::optional<int64_t> seeds;
  std::vector<std::string> overrides;
};

struct FoundCell {
  const CheckedTable* table;
  const TableLine* line;
  const TableColumn* column;
};

template <class Entry>
const Entry& entry_of(const std::vector<Entry>& entries, const std::string& id,
                      const std::string& what) {
  std::vector<std::string> known;
  for (const Entry& entry : entries) {
    if (entry.id == id) return entry;
    known.push_back(entry.id);
  }
  throw UsageError(what + " '" + id + "' does not exist; " + suggestion(id, known));
}

/// `cell` is LINE.COLUMN of the first table, or TABLE:LINE.COLUMN.
FoundCell find_cell(const Experiment& experiment, const std::string& cell) {
  const size_t colon = cell.find(':');
  const CheckedTable& table = colon == std::string::npos
                                  ? experiment.tables.front()
                                  : entry_of(experiment.tables, cell.substr(0, colon), "the table");
  const auto named = parse_reference(colon == std::string::npos ? cell : cell.substr(colon + 1));
  if (!named || named->part.empty()) {
    throw UsageError("'" + cell +
                     "' is not a cell; expected LINE.COLUMN or TABLE:LINE.COLUMN with the ids "
                     "of table.csv");
  }
  return {&table, &entry_of(table.lines, named->entry(), "the line"),
          &entry_of(table.columns, named->part, "the column")};
}

/// A row among which the select of a line chooses.
struct Candidate {
  std::string key, row;
  ExperimentCell cell;  ///< its scores in the column
};

/// The candidates of the select of a cell's line: those that are chosen, or all if the choice is
/// not made yet for some seed. Empty for lines of rows, and for a column whose metric scores the
/// select itself.
std::vector<Candidate> candidates_of(const Experiment& experiment, const GraphStatus& status,
                                     const FoundCell& found, ExperimentCell& cell) {
  const ExperimentSelect* select = experiment.select(row_of(*found.line, *found.column));
  if (!select || !cell.scores.empty()) return {};
  cell.reason = select->reason.empty() ? cell.reason : select->reason;
  cell.selections = select->selections;
  std::set<std::string> chosen;
  bool is_made = !select->selections.empty();
  for (const auto& [seed, node] : select->selections) {
    const NodeStatus& state = status.at(node);
    is_made = is_made && state.state == NodeState::kFinished;
    if (!is_made) break;
    const Selection made = read_selection(state.folder);
    if (made.key) chosen.insert(*made.key);
    if (!made.key) cell.reason = made.reason;
  }
  std::vector<Candidate> candidates;
  for (const auto& [key, row] : select->rows) {
    if (is_made && !chosen.contains(key)) continue;
    const ExperimentRow* of = experiment.row(row);
    const std::string metric = metric_of(*found.line, *found.column);
    candidates.push_back(
        {key, row, of ? of->cell(metric, found.column->choose) : ExperimentCell()});
  }
  return candidates;
}

void run(const ExplainArguments& arguments, Session& session) {
  ExperimentRequest requested;
  requested.seeds = arguments.seeds;
  requested.locations = data_locations();
  const Experiment experiment =
      build_experiment(session.recipe(arguments.recipe, arguments.profile, arguments.overrides),
                       session.registries(), requested);
  const FoundCell found = find_cell(experiment, arguments.cell);
  ExperimentCell cell = experiment.cell(*found.line, *found.column);
  const GraphStatus status = graph_status(experiment.graph, session.runs);
  const std::vector<Candidate> candidates = candidates_of(experiment, status, found, cell);
  std::vector<std::string> scores, requested_nodes;
  for (const auto& [seed, node] : cell.scores) scores.push_back(node);
  for (const auto& [seed, node] : cell.selections) requested_nodes.push_back(node);
  for (const Candidate& each : candidates) {
    for (const auto& [seed, node] : each.cell.scores) scores.push_back(node);
    for (const auto& [seed, node] : each.cell.selections) requested_nodes.push_back(node);
  }
  if (!candidates.empty() && scores.empty() && cell.reason.empty()) {
    cell.reason = candidates.front().cell.reason;
  }
  requested_nodes.insert(requested_nodes.end(), scores.begin(), scores.end());
  const auto nodes = experiment.graph.needed_for(requested_nodes);
  if (session.json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto* node : nodes) {
      const NodeStatus& state = status.at(node->name);
      list.push_back({{"name", node->name},
                      {"kind", enum_name(node->kind)},
                      {"component", node->component},
                      {"state", enum_name(state.state)},
                      {"folder", state.folder.string()}});
    }
    auto rows = nlohmann::ordered_json::array();
    for (const Candidate& each : candidates) rows.push_back({{"key", each.key}, {"row", each.row}});
    return print_json({{"schema", "lvtext.cell/1"},
                       {"table", found.table->id},
                       {"line", found.line->id},
                       {"column", found.column->id},
                       {"row", row_of(*found.line, *found.column)},
                       {"metric", metric_of(*found.line, *found.column)},
                       {"candidates", rows},
                       {"scores", scores},
                       {"reason", cell.reason},
                       {"nodes", list}});
  }
  const std::string row = row_of(*found.line, *found.column);
  print_text("line " + found.line->id +
             (row.empty() || row == found.line->id ? "" : ", row " + row) + "; column " +
             found.column->id + ", metric " + metric_of(*found.line, *found.column));
  for (const Candidate& each : candidates) {
    print_text((candidates.size() > 1 ? "candidate " : "chosen: ") + each.key +
               (each.key == each.row ? "" : ", row " + each.row));
  }
  if (!cell.reason.empty()) print_text("empty: " + cell.reason);
  if (nodes.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const auto* node : nodes) {
    const NodeStatus& state = status.at(node->name);
    rows.push_back({node->name, enum_name(node->kind), node->component, enum_name(state.state),
                    state.folder.string()});
  }
  print_table({"node", "kind", "component", "state", "folder"}, rows);
}

}  // namespace

void add_explain(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "explain", "prints the nodes of a table cell, their folders, and the reason if it is empty");
  auto arguments = std::make_shared<ExplainArguments>();
  add_recipe(*command, arguments->recipe);
  command
      ->add_option("LINE.COLUMN", arguments->cell,
                   "cell, with the ids of table.csv; also TABLE:LINE.COLUMN")
      ->required();
  add_overrides(*command, arguments->overrides);
  add_profile(*command, arguments->profile);
  command->add_option("--seeds", arguments->seeds, "number of trainings per row, as for reproduce");
  add_runs_folder(*command, session);
  add_json(*command, session);
  command->callback([arguments, &session] { run(*arguments, session); });
}

}  // namespace lvtext
