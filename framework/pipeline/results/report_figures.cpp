#include "framework/pipeline/results/report_figures.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/pipeline/figures/figure_data.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/input_reader.h"
#include "framework/pipeline/nodes/joined_rows.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/svg_file.h"
#include "framework/pipeline/results/figure_pictures.h"
#include "framework/pipeline/results/row_checkpoints.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/loaded_inputs.h"

namespace lvtext {
namespace {

/// The first node that is needed and not finished; empty if all are.
std::string missing_node(const ExperimentPanel& panel, const GraphStatus& status) {
  for (const auto& node : panel.nodes()) {
    if (status.at(node).state != NodeState::kFinished) return node;
  }
  return "";
}

/// Creates one figure's data from finished nodes.
class FigureMaker {
 public:
  FigureMaker(const Experiment& experiment, const FinishedScores& finished,
              const GraphStatus& status, const Registries& registries,
              const ExperimentFigure& planned)
      : experiment_(experiment),
        finished_(finished),
        status_(status),
        registries_(registries),
        planned_(planned) {}

  Figure make() const {
    const CheckedFigure& checked = planned_.checked;
    FigureData data;
    data.title = checked.options.title.empty() ? checked.id : checked.options.title;
    const Node* seed = checked.kind.options.find("seed");
    data.file = file_name_of(checked.id) + (seed ? "-seed" + seed->text() : "");
    for (size_t g = 0; g < planned_.rows.size(); ++g) {
      FigureRows& group = data.groups.emplace_back();
      group.name = checked.named.rows[g].name;
      for (size_t r = 0; r < planned_.rows[g].size(); ++r) {
        group.rows.push_back(row_of(planned_.rows[g][r], checked.named.rows[g].rows[r].matched));
      }
    }
    data.members = checked.named.members;
    if (planned_.rows.empty()) read(planned_.alone, data.inputs, data.reason);
    for (const FigureMetric& metric : checked.named.row_free)
      data.scores.push_back(score_of(metric));
    try {
      return checked.kind.figure->draw(data);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      const std::vector<MissingPart> missing = {{data.title, error.what()}};
      return {.title = data.title,
              .file = data.file,
              .svg = svg_file(data.title, error.what(), {}, 1, missing),
              .csv = "reason\n" + escape_csv(error.what()) + "\n",
              .missing = missing};
    }
  }

 private:
  FigureRow row_of(const ExperimentPanel& panel, const std::string& matched) const {
    FigureRow row{panel.row, panel.label, matched, panel.reason};
    const auto known = std::find_if(experiment_.rows.begin(), experiment_.rows.end(),
                                    [&](const auto& each) { return each.id == panel.row; });
    row.color = static_cast<size_t>(known - experiment_.rows.begin());
    const FigureNeeds& needs = planned_.checked.needs;
    if (needs.at_checkpoints) {
      RowCheckpoints kept =
          row_checkpoints({experiment_, finished_, status_, registries_}, panel, planned_.checked);
      row.checkpoints = std::move(kept.checkpoints);
      row.no_checkpoints = panel.reason.empty() ? kept.reason : panel.reason;
    } else if (row.reason.empty()) {
      read(panel, row.inputs, row.reason);
      if (row.reason.empty()) read_images(row);
    }
    for (const FigureMetric& metric : planned_.checked.named.metrics) {
      row.values.push_back(value_of(panel, metric));
    }
    return row;
  }

  /// Reads the inputs, or returns the reason why that is not possible.
  void read(const ExperimentPanel& panel, Inputs& inputs, std::string& reason) const {
    reason = panel.reason;
    if (!reason.empty()) return;
    const std::string missing = missing_node(panel, status_);
    if (!missing.empty()) {
      reason = failure_of(status_, missing);
      return;
    }
    try {
      inputs = read_filled(experiment_.graph, status_, registries_, planned_.checked.kind.inputs,
                           panel.inputs);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      reason = error.what();
    }
  }

  void read_images(FigureRow& row) const {
    for (const InputDecl& input : planned_.checked.kind.inputs) {
      if (!contains(planned_.checked.needs.pictures, input.name) || !row.inputs.has(input.name))
        continue;
      try {
        row.pictures[input.name] = pictures_of(row.inputs.dataset(input.name), input.rows);
      } catch (const Error& error) {
        row.reason = error.what();
      }
    }
  }

  /// A row's score at its first seed.
  FigureValue value_of(const ExperimentPanel& panel, const FigureMetric& metric) const {
    TableLine line;
    line.rows[""] = panel.row;
    if (!panel.reason.empty() && !experiment_.row(panel.row)) return {std::nullopt, panel.reason};
    std::string reason;
    const Score* score = find(line, metric, reason);
    return score ? FigureValue{score->value, ""} : FigureValue{std::nullopt, reason};
  }

  FigureScore score_of(const FigureMetric& metric) const {
    FigureScore all{metric.name, metric.matched};
    const Score* score = find({}, metric, all.value.reason);
    if (!score) return all;
    all.score = *score;
    all.value.value = score->value;
    return all;
  }

  /// The score of a cell at its first seed; nullptr with the reason why there is none.
  const Score* find(const TableLine& line, const FigureMetric& metric, std::string& reason) const {
    if (!metric.reason.empty()) {
      reason = metric.reason;
      return nullptr;
    }
    const ExperimentCell cell = experiment_.cell(line, {.id = metric.name,
                                                        .metric = metric.metric,
                                                        .score = metric.score,
                                                        .choose = planned_.checked.options.choose});
    if (cell.scores.empty()) {
      reason = cell.reason.empty() ? "there is no such score" : cell.reason;
      return nullptr;
    }
    const auto& [seed, node] = *cell.scores.begin();
    const SeedScores scores = seed_scores(finished_, cell, seed, node, reason);
    if (!scores.all) return nullptr;
    return figure_score(experiment_, metric, *scores.all, cell.line, reason);
  }

  const Experiment& experiment_;
  const FinishedScores& finished_;
  const GraphStatus& status_;
  const Registries& registries_;
  const ExperimentFigure& planned_;
};

}  // namespace

std::vector<Figure> figures_of(const Experiment& experiment, const FinishedScores& finished,
                               const GraphStatus& status, const Registries& registries) {
  std::vector<Figure> figures;
  for (const auto& figure : experiment.figures) {
    figures.push_back(FigureMaker(experiment, finished, status, registries, figure).make());
  }
  return figures;
}

const std::vector<std::string>& ReconstructedTexts::of(const ExperimentRow& row) {
  static const std::vector<std::string> none;
  if (row.reconstructions.empty()) return none;
  const NodeRows rows = rows_of(experiment_.graph, row.reconstructions.begin()->second);
  const NodeStatus& source = status_.at(rows.source);
  const bool is_readable = experiment_.graph.at(rows.source).kind == NodeKind::kSource &&
                           source.state == NodeState::kFinished;
  if (!is_readable) return none;
  const auto [found, is_new] = texts_.try_emplace({rows.source, rows.split});
  if (is_new) found->second = read_split(source.folder, rows.split);
  return found->second;
}

std::vector<TextTable> latent_tables(const Experiment& experiment, const GraphStatus& status,
                                     ReconstructedTexts& texts) {
  const LatentSpaceOptions& options = experiment.recipe.options.latent_space;
  TextTable between{
      "Interpolations",
      "text decoded at points between the latent vectors of two test sentences, the first "
      "ones: along the sphere for spherical latent spaces, otherwise along a straight line; "
      "0 (source) and 1 (source): the sentences",
      {"row", "pair", "position", "text"},
      {},
      "interpolations.csv",
      SideBySide{.label = 0, .keys = {1, 2}}};
  TextTable near{"Nearest neighbors",
                 "nearest neighbors of the first test sentences among all of them, by their latent "
                 "vectors: 1 - cosine for spherical latent spaces, otherwise Euclidean distance",
                 {"row", "sentence", "distance", "neighbor"},
                 {},
                 "neighbors.csv",
                 SideBySide{.label = 0, .keys = {1}}};
  const auto finished = [&status](const std::string& node) {
    return !node.empty() && status.at(node).state == NodeState::kFinished;
  };
  for (const auto& row : experiment.rows) {
    if (!finished(row.interpolations) && !finished(row.neighbors)) continue;
    const std::vector<std::string>& test = texts.of(row);
    if (test.empty()) continue;
    if (finished(row.interpolations)) {
      const auto lines = read_text(status.at(row.interpolations).folder);
      for (size_t i = 0; i < lines.size(); ++i) {
        const size_t pair = i / options.steps, step = i % options.steps;
        const std::string number = std::to_string(pair + 1);
        if (step == 0) between.rows.push_back({row.label, number, "0 (source)", test.at(2 * pair)});
        between.rows.push_back(
            {row.label, number,
             fixed(static_cast<double>(step) / static_cast<double>(options.steps - 1), 2),
             lines[i]});
        if (static_cast<int64_t>(step) == options.steps - 1) {
          between.rows.push_back({row.label, number, "1 (source)", test.at(2 * pair + 1)});
        }
      }
    }
    if (finished(row.neighbors)) {
      const auto tensors = read_tensors(status.at(row.neighbors).folder);
      const at::Tensor &indices = tensors.at("neighbors"), &distances = tensors.at("distances");
      for (int64_t i = 0; i < indices.size(0); ++i) {
        for (int64_t k = 0; k < indices.size(1); ++k) {
          near.rows.push_back({row.label, test.at(i), fixed(distances[i][k].item<double>(), 4),
                               test.at(indices[i][k].item<int64_t>())});
        }
      }
    }
  }
  std::vector<TextTable> tables;
  for (TextTable* table : {&between, &near}) {
    if (!table->rows.empty()) tables.push_back(std::move(*table));
  }
  return tables;
}

}  // namespace lvtext
