// A recipe as a graph: which nodes its table needs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/experiment/checked_recipe.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/rating/sheet_kind.h"

namespace lvtext {

/// Nodes by the seed of the training that they come from; none where no training plays a part (real
/// data).
using SeedNodes = std::map<std::optional<int64_t>, std::string>;

/// One cell's nodes: a score per seed, or the reason why there is none.
struct ExperimentCell {
  SeedNodes scores;
  std::string reason;
  std::optional<int64_t> line = {};  ///< of nodes that have a score for each of several rows
  /// Of scores at each kept checkpoint: what chose the one that counts.
  SeedNodes choices = {};
};

struct ExperimentRow {
  std::string id, label;
  CheckedRow checked;                      ///< what the recipe says of it; empty for one not run
  std::string reason;                      ///< why nothing of it runs
  std::map<int64_t, std::string> trained;  ///< seed -> node
  SeedNodes samples, reconstructions;
  std::string interpolations, neighbors;        ///< nodes of the first seed; empty: none
  std::map<std::string, ExperimentCell> cells;  ///< metric id -> cell
  /// Scores at each kept checkpoint: metric id -> nodes; and what chooses among these: select id.
  std::map<std::string, SeedNodes> at_checkpoints, checkpoint_choices;

  /// The scores of a metric at the checkpoint that a select chose; without a select (empty), or
  /// without scores of kept checkpoints, those of the selected weights.
  ExperimentCell cell(const std::string& metric, const std::string& select) const;

  /// True of a model that is trained, false of one that is fitted and of given texts.
  bool is_trained() const {
    return !trained.empty() && checked.entry && checked.entry->is_trained();
  }
};

/// What fills the inputs of a figure or a sheet for a row, or the reason why there is nothing.
struct ExperimentPanel {
  std::string row = {}, label = {}, reason = {};
  FilledInputs inputs = {};

  /// All nodes that must be finished before the inputs can be read.
  std::vector<std::string> nodes() const;
};

/// A choice among rows, for each seed.
struct ExperimentSelect {
  std::string id;
  SeedNodes choices;
  std::map<std::string, std::string> rows;  ///< key -> row
  std::string reason;                       ///< why there is none
};

struct ExperimentFigure {
  CheckedFigure checked;
  std::vector<std::vector<ExperimentPanel>> rows;  ///< as FigureReferences::rows has them
  ExperimentPanel alone;  ///< of a figure without rows: what fills its inputs

  /// All of these.
  std::vector<const ExperimentPanel*> panels() const;
};

/// What raters see of a row, or of a split of a data set.
struct ExperimentSheetRow {
  ExperimentPanel panel;
  bool is_real = false;              ///< no model wrote it
  bool of_data = false;              ///< a split, no row
  std::optional<int64_t> seed = {};  ///< of the row's training
};

struct ExperimentSheet {
  std::string id;
  SheetKind kind;  ///< as this sheet shows it
  SheetOptions options;
  std::vector<InputDecl> inputs;
  bool is_written = false;  ///< by the recipe
  std::vector<ExperimentSheetRow> rows = {};

  /// Whether a row is rated where --rows names none: it has numbers of the paper, or none has.
  bool is_rated(const ExperimentSheetRow& row) const {
    return row.of_data || options.paper.empty() || options.paper.contains(row.panel.row);
  }
};

struct ExperimentMetric {
  std::string id;
  std::string evaluator;
  std::string score;  ///< which of the evaluator's scores the table shows; empty: the first
  /// By input: the text on which the weights of the model that fills it are selected.
  std::map<std::string, std::string> selected_on;
  std::vector<std::string> across = {};              ///< rows that it is computed from together
  ExperimentCell of_rows = {};                       ///< its scores then
  bool scores_each_row = false;                      ///< one score for each row of `across`
  std::map<std::string, std::string> left_out = {};  ///< rows of `across` that it lacks, and why
};

struct Experiment {
  Recipe recipe;
  std::string paper, table;  ///< the two halves of the recipe's name
  Graph graph{"", ""};
  DataNodes data;                              ///< of the set called "data", else of the first one
  DataBlock data_options;                      ///< likewise
  std::map<std::string, DataNodes> data_sets;  ///< by id
  std::vector<ExperimentRow> rows;
  std::vector<ExperimentMetric> metrics;  ///< in the order of `evaluate`
  std::vector<ExperimentSelect> selects;
  std::vector<ExperimentFigure> figures;
  std::vector<ExperimentSheet> sheets;  ///< by id
  std::vector<CheckedTable> tables;     ///< the first one is the report's own

  const ExperimentRow* row(const std::string& id) const;        ///< nullptr: there is none
  const ExperimentSelect* select(const std::string& id) const;  ///< nullptr: there is none
  /// The scores of a cell, by seed, or why it has none. Of a metric that uses no row those that any
  /// row has; of a line that is a select none, as what it chose is known when it has run.
  ExperimentCell cell(const TableLine& line, const TableColumn& column) const;

  /// All nodes that the report needs; with `training_only` just those that train rows.
  std::vector<std::string> targets(bool training_only = false) const;
};

struct ExperimentRequest {
  std::vector<std::string> rows;  ///< only these; empty: all
  std::optional<int64_t> seeds;   ///< trainings of each row; unset: what the row says
  DataLocations locations;
  size_t max_nodes = 5000;
};

/// Builds the graph of a recipe. `registries` must outlive the result. Throws ConfigError, also for
/// more nodes than are asked for, or UsageError.
Experiment build_experiment(const CheckedRecipe& recipe, const Registries& registries,
                            const ExperimentRequest& request);

}  // namespace lvtext
